/** Things that are made when they are first needed, and ended when nobody has needed them for a while. */
export interface Kept<T> {
  get(key: string, make: () => T): T;
  values(): Iterable<T>;
  /** Ends those that the test picks. */
  drop(isMeant: (value: T) => boolean): void;
  close(): void;
}

export interface KeptOptions<T> {
  readonly idleMs: () => number;
  /** Beyond this many, the one that was not needed for longest goes; all are kept that are in use. */
  readonly most: () => number;
  readonly isInUse: (value: T) => boolean;
  readonly end: (value: T) => void;
}

const longestLookMs = 5000;
const looksPerIdle = 4;

export function createKept<T>({ idleMs, most, isInUse, end }: KeptOptions<T>): Kept<T> {
  /** In the order in which they were last needed. */
  const entries = new Map<string, { readonly value: T; usedAt: number }>();
  const looks = setInterval(look, Math.max(1, Math.min(longestLookMs, idleMs() / looksPerIdle)));
  looks.unref();

  return {
    get(key, make) {
      const found = entries.get(key);
      const entry = found ?? { value: make(), usedAt: 0 };
      entry.usedAt = performance.now();
      entries.delete(key);
      entries.set(key, entry);
      if (!found && entries.size > most()) dropOldest(key);
      return entry.value;
    },
    *values() {
      for (const { value } of entries.values()) yield value;
    },
    drop(isMeant) {
      for (const [key, { value }] of entries) if (isMeant(value)) remove(key, value);
    },
    close() {
      clearInterval(looks);
      for (const [key, { value }] of entries) remove(key, value);
    },
  };

  function look(): void {
    const now = performance.now();
    const idle = idleMs();
    for (const [key, entry] of entries) {
      if (isInUse(entry.value)) entry.usedAt = now;
      else if (now - entry.usedAt >= idle) remove(key, entry.value);
    }
  }

  function dropOldest(newest: string): void {
    for (const [key, { value }] of entries) {
      if (key !== newest && !isInUse(value)) return remove(key, value);
    }
  }

  function remove(key: string, value: T): void {
    entries.delete(key);
    end(value);
  }
}
