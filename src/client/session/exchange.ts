import { createKeptEvents } from '../../keptevents.js';
import { onAbort } from '../../queue/abort.js';
import type { Exchange, Outcome, RequestOptions, TimedEvent } from '../../testedserver.js';
import { longestTimerMs } from '../deadline.js';
import { cancelled, timedOut } from '../failures.js';

/** One request, until something settles it: an answer, the end of the server, of its time, or of whoever asked. */
export interface OpenRequest {
  readonly exchange: Promise<Exchange>;
  readonly isSettled: boolean;
  settle(outcome: Outcome): void;
  hear(event: HeardEvent): void;
}

export interface Watcher {
  readonly onSettled: () => void;
  /** Told before that, where nobody waits for the answer any longer. */
  readonly onGivenUp: (reason: string) => void;
}

type HeardEvent = WithoutTime<TimedEvent>;
type WithoutTime<E> = E extends unknown ? Omit<E, 'atMs'> : never;

export function openRequest({ timeoutMs, signal, onEvent }: RequestOptions, watcher: Watcher): OpenRequest {
  const startedAt = performance.now();
  const kept = createKeptEvents();
  let isSettled = false;
  let resolve: (exchange: Exchange) => void = () => {};
  const exchange = new Promise<Exchange>((resolved) => {
    resolve = resolved;
  });
  const timer = setTimeout(
    () => giveUp(timedOut(timeoutMs), 'The time for the answer is over'),
    Math.min(timeoutMs, longestTimerMs),
  );
  const stopWatching = onAbort(signal, () => giveUp(cancelled(signal), 'The call was cancelled'));
  if (signal?.aborted) giveUp(cancelled(signal), '');

  return {
    exchange,
    get isSettled() {
      return isSettled;
    },
    settle,
    hear(event) {
      if (isSettled) return;
      const timed = { ...event, atMs: performance.now() - startedAt };
      if (kept.keep(timed)) tell(timed);
    },
  };

  function giveUp(error: { readonly code: string; readonly message: string }, reason: string): void {
    if (isSettled) return;
    watcher.onGivenUp(reason);
    settle({ kind: 'none', code: error.code, message: error.message });
  }

  function settle(outcome: Outcome): void {
    if (isSettled) return;
    isSettled = true;
    clearTimeout(timer);
    stopWatching();
    watcher.onSettled();
    const { events, leftOut } = kept;
    resolve({ outcome, events, ms: performance.now() - startedAt, ...(leftOut.length > 0 && { leftOut }) });
  }

  /** Whoever listens may throw without harm to the request. */
  function tell(event: TimedEvent): void {
    try {
      onEvent?.(event);
    } catch {
      // It is in the exchange all the same.
    }
  }
}
