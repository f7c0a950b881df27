export interface Gatherer<T> {
  /** A promise holds the giver back: it resolves when there is room for more. */
  push(item: T, bytes: number): Promise<void> | undefined;
  /** Sends what is left, at once; resolves when it is sent. */
  flush(): Promise<void>;
}

const gatherMs = 5;
const maxGatheredBytes = 64 * 1024;

/**
 * Sends the first item at once. What comes within a few milliseconds after it, or while the other side takes no more,
 * goes together in the order it came, so that a flood is a few large messages and never fills the memory.
 */
export function createGatherer<T>(send: (items: readonly T[]) => Promise<void>): Gatherer<T> {
  let items: T[] = [];
  let bytes = 0;
  let running: Promise<void> | undefined;
  let room: { readonly promise: Promise<void>; readonly make: () => void } | undefined;
  let endPause = (): void => {};
  let isHurried = false;

  return {
    push(item, itemBytes) {
      items.push(item);
      bytes += itemBytes;
      running ??= run();
      if (bytes <= maxGatheredBytes) return undefined;
      endPause();
      room ??= createRoom();
      return room.promise;
    },
    async flush() {
      isHurried = true;
      endPause();
      if (items.length > 0) running ??= run();
      await running;
      isHurried = false;
    },
  };

  async function run(): Promise<void> {
    while (items.length > 0) {
      const batch = items;
      items = [];
      bytes = 0;
      const sent = send(batch).catch(() => {});
      await sent;
      room?.make();
      room = undefined;
      if (!isHurried && bytes <= maxGatheredBytes) await pause();
    }
    running = undefined;
  }

  function pause(): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, gatherMs);
      endPause = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }
}

function createRoom() {
  let make = (): void => {};
  const promise = new Promise<void>((resolve) => {
    make = resolve;
  });
  return { promise, make };
}
