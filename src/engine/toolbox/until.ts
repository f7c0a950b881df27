import { cancelledBeforeStart, onAbort } from '../../queue/abort.js';

/** What is waited for, or an error as soon as nobody wants it any more. */
export function unlessAborted<T>(
  waited: Promise<T>,
  signal: AbortSignal | undefined,
  errorOf: (signal: AbortSignal) => Error = cancelledBeforeStart,
): Promise<T> {
  if (!signal) return waited;
  return new Promise((resolve, reject) => {
    const end = () => reject(errorOf(signal));
    const stopWatching = onAbort(signal, end);
    if (signal.aborted) end();
    waited.then(resolve, reject).finally(stopWatching);
  });
}
