import { onAbort } from '../queue/abort.js';
import { cancelled, timedOut } from './failures.js';

/** Rejects at once when the time is over or the signal aborts; the work is told, and nobody waits for it any longer. */
export function within<T>(
  timeoutMs: number | undefined,
  work: (options: { readonly signal: AbortSignal }) => Promise<T>,
  signal?: AbortSignal,
): Promise<T> {
  if (signal?.aborted) return Promise.reject(cancelled(signal));
  const own = new AbortController();
  return new Promise<T>((resolve, reject) => {
    const giveUp = (error: Error) => {
      settle();
      own.abort(error.message);
      reject(error);
    };
    const timer =
      timeoutMs === undefined
        ? undefined
        : setTimeout(() => giveUp(timedOut(timeoutMs)), Math.min(timeoutMs, longestTimerMs));
    const stopWatching = onAbort(signal, () => giveUp(cancelled(signal)));
    const settle = () => {
      clearTimeout(timer);
      stopWatching();
    };
    work({ signal: own.signal }).then(
      (value) => {
        settle();
        resolve(value);
      },
      (error: unknown) => {
        settle();
        reject(error);
      },
    );
  });
}

/** Rejects at once when the signal aborts, which the work sees too: it is to be one call's alone. */
export function unlessAborted<T>(signal: AbortSignal | undefined, work: () => Promise<T>): Promise<T> {
  if (!signal) return work();
  if (signal.aborted) return Promise.reject(cancelled(signal));
  return new Promise<T>((resolve, reject) => {
    const stopWatching = onAbort(signal, () => reject(cancelled(signal)));
    work().finally(stopWatching).then(resolve, reject);
  });
}

export const longestTimerMs = 2 ** 31 - 1;
