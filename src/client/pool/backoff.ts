/** How long to wait before another start, after starts that led to nothing. */
export interface Backoff {
  /** 0: now. */
  remainingMs(): number;
  failed(): void;
  succeeded(): void;
}

const firstMs = 100;
const longestMs = 30_000;

/** The first failure costs nothing; from the second in a row on the wait doubles. */
export function createBackoff(now: () => number = Date.now): Backoff {
  let failures = 0;
  let until = 0;
  return {
    remainingMs: () => Math.max(0, until - now()),
    failed() {
      failures += 1;
      if (failures > 1) until = now() + Math.min(longestMs, firstMs * 2 ** (failures - 2));
    },
    succeeded() {
      failures = 0;
      until = 0;
    },
  };
}
