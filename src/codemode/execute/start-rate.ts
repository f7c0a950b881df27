import { CallerError } from '../../errors.js';

/** How many runs are begun in a minute. */
export interface StartRate {
  /** Throws TOO_MANY_REQUESTS, which says when to come again. */
  take(): void;
}

const minuteMs = 60_000;

export function createStartRate(perMinute: number, now: () => number = () => performance.now()): StartRate {
  const starts: number[] = [];
  return {
    take() {
      const time = now();
      while (starts[0] !== undefined && time - starts[0] >= minuteMs) starts.shift();
      const [oldest] = starts;
      if (oldest === undefined || starts.length < perMinute) {
        starts.push(time);
        return;
      }
      const retryAfterMs = Math.max(1, Math.ceil(minuteMs - (time - oldest)));
      const message = `${perMinute} scripts were started within a minute, which is all that runsPerMinute allows; the next can be in ${Math.ceil(retryAfterMs / 1000)} s`;
      throw new CallerError('TOO_MANY_REQUESTS', message, { limit: perMinute, retryAfterMs });
    },
  };
}
