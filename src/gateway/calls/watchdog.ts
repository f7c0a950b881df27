import { LimitError } from '../../errors.js';
import { onAbort } from '../../queue/abort.js';
import type { OnEvent, ToolResult } from '../../toolbox.js';
import { type Call, endingOf, type Step } from './call.js';

export interface WatchdogOptions {
  readonly timeoutMs: () => number;
  /** Beside the time of the call itself: importing, connecting. */
  readonly startMs: () => number;
}

/** What the toolbox has to end a call by itself, before that is done for it. */
const graceMs = 5000;
const longestTimerMs = 2 ** 31 - 1;

/** No call lasts longer than it may, whatever becomes of it further on. */
export function withWatchdog({ timeoutMs, startMs }: WatchdogOptions, next: Step): Step {
  return (call) =>
    new Promise<ToolResult>((resolve, reject) => {
      const controller = new AbortController();
      const limit = Math.min(call.timeoutMs ?? Number.POSITIVE_INFINITY, timeoutMs());
      const withinMs = limit + startMs() + graceMs;
      let timer: NodeJS.Timeout | undefined;
      setTimer(withinMs, endLate);
      const stopWatching = onAbort(call.signal, () => {
        const ending = endingOf(call.signal);
        controller.abort(ending);
        setTimer(graceMs, () => reject(ending));
      });
      const watched = { ...call, signal: controller.signal, onEvent: allowingForQueues(call, setTimerAnew) };
      const settle = () => {
        clearTimeout(timer);
        stopWatching();
      };
      next(watched).then(resolve, reject).finally(settle);

      function setTimer(ms: number, callback: () => void): void {
        clearTimeout(timer);
        timer = setTimeout(callback, Math.min(ms, longestTimerMs)).unref();
      }

      function setTimerAnew(position: number): void {
        if (!controller.signal.aborted) setTimer(withinMs * (position + 1), endLate);
      }

      function endLate(): void {
        stopWatching();
        const error = lateError(limit);
        controller.abort(error);
        reject(error);
      }
    });
}

/** Waiting further on, behind calls that have their limits too, is no fault of the call. */
function allowingForQueues({ onEvent }: Call, onQueued: (position: number) => void): OnEvent {
  return (event) => {
    if (event.type === 'queued') onQueued(event.position);
    return onEvent?.(event);
  };
}

function lateError(limit: number): LimitError {
  return new LimitError('TIMEOUT', `The call took longer than ${limit} ms and did not end by itself`, { limit });
}
