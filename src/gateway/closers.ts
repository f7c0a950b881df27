/** What was opened, closed in the reverse order: when the work is done, or when the next thing could not be opened. */
export interface Closers {
  add(close: () => void | Promise<void>): void;
  close(): Promise<void>;
}

export function createClosers(): Closers {
  const stack: (() => void | Promise<void>)[] = [];
  let closing: Promise<void> | undefined;
  return {
    add: (close) => void stack.push(close),
    close() {
      closing ??= closeAll();
      return closing;
    },
  };

  async function closeAll(): Promise<void> {
    const failures: unknown[] = [];
    for (let close = stack.pop(); close; close = stack.pop()) {
      try {
        await close();
      } catch (error) {
        failures.push(error);
      }
    }
    if (failures.length > 0) throw failures[0];
  }
}
