import { LimitError } from '../../errors.js';
import { onAbort } from '../../queue/abort.js';

export interface Deadline {
  readonly timeoutMs?: number;
  readonly signal?: AbortSignal;
}

/** Rejects at once when the time is over or the signal aborts; the work is told, and nobody waits for it any longer. */
export function within<T>(
  { timeoutMs, signal }: Deadline,
  work: (signal: AbortSignal) => Promise<T>,
  late: (timeoutMs: number) => Error = timedOut,
): Promise<T> {
  if (signal?.aborted) return Promise.reject(cancelled(signal));
  // Where nothing else can end it, the signal itself is what the work is told by.
  const own = signal && timeoutMs === undefined ? { signal, abort() {} } : new AbortController();
  return new Promise<T>((resolve, reject) => {
    const settle = () => {
      clearTimeout(timer);
      stopWatching();
    };
    const giveUp = (error: Error) => {
      settle();
      reject(error);
      own.abort(error);
    };
    const timer = timeoutMs === undefined ? undefined : setTimeout(() => giveUp(late(timeoutMs)), timeoutMs);
    const stopWatching = onAbort(signal, () => giveUp(cancelled(signal)));
    work(own.signal).finally(settle).then(resolve, reject);
  });
}

export function cancelled(signal?: AbortSignal): LimitError {
  return new LimitError('CANCELLED', 'The call was cancelled', {}, { cause: signal?.reason });
}

function timedOut(timeoutMs: number): LimitError {
  return new LimitError('TIMEOUT', `The MCP server did not answer within ${timeoutMs} ms`, { limit: timeoutMs });
}
