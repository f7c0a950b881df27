import { type CallEvent, isJsonObject, type LogLevel, logLevels, type OnEvent } from '../toolbox.js';

/** The events of one call, handed over one after the other. */
export interface EventFlow {
  push(event: CallEvent): void;
  /** When all of them were taken. */
  flush(): Promise<void>;
  /** Nothing more is handed over, and nobody is held back any longer. */
  stop(): void;
}

const mostWaiting = 1000;

/**
 * A receiver that takes its time holds the server back, where it is this call's alone; otherwise what is too much for it
 * is left out.
 */
export function createEventFlow(onEvent: OnEvent, hold?: (until: Promise<unknown>) => void): EventFlow {
  const waiting: CallEvent[] = [];
  let taking: Promise<void> | undefined;
  let stop = (): void => {};
  const stopped = new Promise<void>((resolve) => {
    stop = resolve;
  });
  return {
    push(event) {
      if (taking) {
        if (waiting.length < mostWaiting) waiting.push(event);
        return;
      }
      const taken = handOver(onEvent, event);
      if (!taken) return;
      taking = handOverRest(taken);
      hold?.(Promise.race([taking, stopped]));
    },
    async flush() {
      await taking;
    },
    stop() {
      waiting.length = 0;
      stop();
    },
  };

  async function handOverRest(first: Promise<void>): Promise<void> {
    await first;
    for (let event = waiting.shift(); event; event = waiting.shift()) await handOver(onEvent, event);
    taking = undefined;
  }
}

/** Whoever listens may throw or reject without harm to the call. A promise is to be waited for. */
export function handOver(onEvent: OnEvent, event: CallEvent): Promise<void> | undefined {
  try {
    const taken = onEvent(event);
    return taken instanceof Promise ? taken.catch(() => {}) : undefined;
  } catch {
    return undefined;
  }
}

type ProgressEvent = Extract<CallEvent, { readonly type: 'progress' }>;
type LogEvent = Extract<CallEvent, { readonly type: 'log' }>;

export interface Notification {
  readonly method: string;
  readonly params?: unknown;
}

export function progressOf({
  params,
}: Notification): { readonly token: unknown; readonly event: ProgressEvent } | undefined {
  if (!isJsonObject(params)) return undefined;
  const { progressToken: token, progress, total, message } = params;
  if (typeof progress !== 'number') return undefined;
  const event: ProgressEvent = {
    type: 'progress',
    done: progress,
    ...(typeof total === 'number' && { total }),
    ...(typeof message === 'string' && { message }),
  };
  return { token, event };
}

export function logOf({ params }: Notification): LogEvent | undefined {
  if (!isJsonObject(params)) return undefined;
  const { level, data } = params;
  if (data === undefined) return undefined;
  return { type: 'log', level: levelOf(level), message: typeof data === 'string' ? data : JSON.stringify(data) };
}

function levelOf(level: unknown): LogLevel {
  return logLevels.find((known) => known === level) ?? 'info';
}
