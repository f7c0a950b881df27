export interface KeepOptions {
  readonly maxBytes: () => number;
  readonly maxCount: number;
  readonly ttlMs: () => number;
}

/** Values that are kept for a while. The least recently used ones make room. */
export interface Keep<T> {
  readonly size: number;
  readonly bytes: number;
  get(key: string): { readonly value: T; readonly leftMs: number } | undefined;
  /** False where it is too large, or nothing is to be kept. */
  set(key: string, value: T, bytes: number): boolean;
  clear(): void;
}

interface Entry<T> {
  readonly value: T;
  readonly bytes: number;
  readonly expiresAt: number;
}

const sweepMs = 10_000;

export function createKeep<T>({ maxBytes, maxCount, ttlMs }: KeepOptions): Keep<T> {
  /** The longest unused first. */
  const entries = new Map<string, Entry<T>>();
  let total = 0;
  let sweeping: NodeJS.Timeout | undefined;

  return {
    get size() {
      return entries.size;
    },
    get bytes() {
      return total;
    },
    get(key) {
      const entry = entries.get(key);
      if (!entry) return undefined;
      drop(key);
      const leftMs = entry.expiresAt - performance.now();
      if (leftMs <= 0) return undefined;
      put(key, entry);
      return { value: entry.value, leftMs };
    },
    set(key, value, bytes) {
      drop(key);
      if (bytes > maxBytes() || ttlMs() <= 0) return false;
      put(key, { value, bytes, expiresAt: performance.now() + ttlMs() });
      makeRoom();
      sweeping ??= setInterval(sweep, sweepMs).unref();
      return true;
    },
    clear() {
      entries.clear();
      total = 0;
      stopSweeping();
    },
  };

  function put(key: string, entry: Entry<T>): void {
    entries.set(key, entry);
    total += entry.bytes;
  }

  function drop(key: string): void {
    const entry = entries.get(key);
    if (!entry) return;
    entries.delete(key);
    total -= entry.bytes;
  }

  function makeRoom(): void {
    for (const key of entries.keys()) {
      if (total <= maxBytes() && entries.size <= maxCount) return;
      drop(key);
    }
  }

  function sweep(): void {
    const now = performance.now();
    for (const [key, { expiresAt }] of entries) if (expiresAt <= now) drop(key);
    makeRoom();
    if (entries.size === 0) stopSweeping();
  }

  function stopSweeping(): void {
    clearInterval(sweeping);
    sweeping = undefined;
  }
}

/** What a value takes, roughly: its text, and the objects around it. */
export function sizeOf(value: object): number {
  try {
    return JSON.stringify(value).length * 2 + 512;
  } catch {
    return Number.POSITIVE_INFINITY;
  }
}
