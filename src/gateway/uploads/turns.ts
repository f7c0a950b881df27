/** Work under the same name is done one after the other, in the order asked for. */
export interface Turns {
  take<T>(name: string, work: () => Promise<T>): Promise<T>;
  /** Resolves when nothing is under way or waits. */
  settled(): Promise<void>;
}

export function createTurns(): Turns {
  const last = new Map<string, Promise<unknown>>();
  return {
    take(name, work) {
      const before = last.get(name) ?? Promise.resolve();
      const mine = before.then(work, work);
      last.set(name, mine);
      const forget = () => {
        if (last.get(name) === mine) last.delete(name);
      };
      mine.then(forget, forget);
      return mine;
    },
    async settled() {
      while (last.size > 0) await Promise.allSettled(last.values());
    },
  };
}

/** At most so much work at once; what is more waits in the order asked for. */
export function createSlots(count: number): { use<T>(work: () => Promise<T>): Promise<T> } {
  let free = count;
  const waiting: (() => void)[] = [];
  return {
    async use(work) {
      if (free > 0) free--;
      else await new Promise<void>((resolve) => waiting.push(resolve));
      try {
        return await work();
      } finally {
        const next = waiting.shift();
        if (next) next();
        else free++;
      }
    },
  };
}
