import { ExecutionError, HostError } from '../../errors.js';
import { createQueue, type Queue } from '../../queue/queue.js';
import type { ToolResult } from '../../toolbox.js';
import type { Principal } from '../access/principal.js';
import type { Call, Step } from './call.js';
import { tellEvent } from './events.js';

export interface TurnsOptions {
  readonly concurrency: () => number;
  readonly queueLength: () => number;
}

/** Calls that wait for their turn: those of higher priority first, clients in turn. */
export interface CallTurns {
  readonly running: number;
  readonly waiting: number;
  around(next: Step): Step;
  close(refusal: () => Error): void;
}

const positionMs = 1000;
const lowestPriority = -10;
const retryMs = { least: 1000, most: 60_000 };
/** How much the last call changes the average. */
const weight = 0.1;

export function createCallTurns({ concurrency, queueLength }: TurnsOptions): CallTurns {
  let averageMs = 0;
  const queue: Queue = createQueue({
    positionMs,
    get concurrency() {
      return concurrency();
    },
    // A call that holds its slot while its script is imported leaves room for the calls of others.
    get spare() {
      return concurrency();
    },
    get queueLength() {
      return queueLength();
    },
  });

  return {
    get running() {
      return queue.running;
    },
    get waiting() {
      return queue.waiting;
    },
    around: (next) => async (call) => {
      const { principal, signal, onEvent } = call;
      const priority = priorityOf(principal, call.priority);
      const onPosition = (position: number) => void tellEvent(onEvent, { type: 'queued', position });
      try {
        return await queue.run(() => take(next, { ...call, priority }), {
          priority,
          caller: principal.id,
          signal,
          onPosition,
        });
      } catch (error) {
        throw isFull(error) ? withRetry(error) : error;
      }
    },
    close: (refusal) => queue.close(refusal),
  };

  async function take(next: Step, call: Call): Promise<ToolResult> {
    const startedAt = performance.now();
    call.onStart();
    try {
      return await next(call);
    } finally {
      averageMs += weight * (performance.now() - startedAt - averageMs);
    }
  }

  /** As long as it takes, at the pace of late, until all that wait have had their turn. */
  function withRetry({ message, details }: HostError): HostError {
    const drainMs = Math.ceil((averageMs * queue.waiting) / concurrency());
    const retryAfterMs = Math.min(Math.max(drainMs, retryMs.least), retryMs.most);
    return new HostError('QUEUE_FULL', message, { ...details, retryAfterMs });
  }
}

/** As high as the client may go unless it asks for less. */
function priorityOf({ quotas }: Principal, asked: number | undefined): number {
  const highest = quotas?.priority ?? 0;
  if (asked === undefined || !Number.isFinite(asked)) return highest;
  return Math.min(Math.max(Math.trunc(asked), lowestPriority), highest);
}

function isFull(error: unknown): error is HostError {
  return error instanceof ExecutionError && error.code === 'QUEUE_FULL' && error.details.retryAfterMs === undefined;
}
