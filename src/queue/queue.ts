import { HostError } from '../errors.js';
import { cancelledBeforeStart, onAbort } from './abort.js';
import { createTurns, type Turn } from './turns.js';

/** Read whenever a task comes or goes, so that they may change. */
export interface QueueOptions {
  readonly concurrency: number;
  readonly queueLength: number;
  /** Slots beyond the concurrency for callers that have less than their share of it running; none unless said. */
  readonly spare?: number;
  /** Time between two tellings of the positions that changed; not given, a position is told once. */
  readonly positionMs?: number;
}

/** Keeps the task's slot taken until the promise settles, even after the task has answered. */
export type Hold = (until: Promise<unknown>) => void;

export interface QueueTurn {
  /** Higher goes first; 0 unless said. */
  readonly priority?: number;
  /** Waiting tasks of different callers take turns. */
  readonly caller?: string;
  /** Takes a waiting task out; a running one has to look at the signal itself. */
  readonly signal?: AbortSignal;
  /** Told when the task has to wait, and with `positionMs` when it has moved: 1 is next. */
  readonly onPosition?: (position: number) => void;
}

export interface Queue {
  readonly running: number;
  readonly waiting: number;
  run<T>(task: (hold: Hold) => Promise<T>, turn?: QueueTurn): Promise<T>;
  /** Refuses what waits and what comes; what runs goes on. */
  close(refusal?: () => Error): void;
}

interface Waiting extends Turn {
  start(): void;
  refuse(error: Error): void;
  tell(position: number): void;
}

export function createQueue(options: QueueOptions): Queue {
  const turns = createTurns<Waiting>();
  const runningOf = new Map<string, number>();
  let running = 0;
  let refusal: (() => Error) | undefined;
  let telling: NodeJS.Timeout | undefined;

  return {
    get running() {
      return running;
    },
    get waiting() {
      return turns.size;
    },
    run(task, turn = {}) {
      const refused = refusalOf(turn.signal);
      if (refused) return Promise.reject(refused);
      if (running < options.concurrency || mayUseSpare(turn.caller)) return begin(task, turn.caller);
      if (turns.size >= options.queueLength) return Promise.reject(fullError());
      return wait(task, turn);
    },
    close(refuse = queueClosed) {
      refusal = refuse;
      for (let waiting = turns.next(); waiting; waiting = turns.next()) waiting.refuse(refuse());
      stopTelling();
    },
  };

  function begin<T>(task: (hold: Hold) => Promise<T>, caller = ''): Promise<T> {
    count(caller, 1);
    let holds = 1;
    const letGo = () => {
      holds -= 1;
      if (holds > 0) return;
      count(caller, -1);
      startWaiting();
    };
    const result = startTask(task, (until) => {
      if (holds === 0) return;
      holds += 1;
      until.then(letGo, letGo);
    });
    result.then(letGo, letGo);
    return result;
  }

  function count(caller: string, change: 1 | -1): void {
    running += change;
    const own = (runningOf.get(caller) ?? 0) + change;
    if (own > 0) runningOf.set(caller, own);
    else runningOf.delete(caller);
  }

  function startWaiting(): void {
    while (running < options.concurrency) {
      const waiting = turns.next();
      if (!waiting) return;
      waiting.start();
    }
    while (spareIsFree()) {
      const waiting = turns.next(({ caller }) => mayUseSpare(caller));
      if (!waiting) return;
      waiting.start();
    }
  }

  function spareIsFree(): boolean {
    return running < options.concurrency + (options.spare ?? 0);
  }

  function mayUseSpare(caller = ''): boolean {
    if (!spareIsFree()) return false;
    const own = runningOf.get(caller) ?? 0;
    const callers = runningOf.size + (own === 0 ? 1 : 0);
    return own < Math.max(1, Math.floor(options.concurrency / callers));
  }

  function wait<T>(task: (hold: Hold) => Promise<T>, turn: QueueTurn): Promise<T> {
    const { priority = 0, caller = '', signal, onPosition } = turn;
    return new Promise<T>((resolve, reject) => {
      let told: number | undefined;
      const tell = (position: number) => {
        if (position === told) return;
        told = position;
        onPosition?.(position);
      };
      tell(turns.ahead({ priority, caller }) + 1);
      const refused = refusalOf(signal);
      if (refused) return reject(refused);
      const leave = turns.add({
        priority,
        caller,
        tell,
        start() {
          stopWatching();
          resolve(begin(task, caller));
        },
        refuse(error) {
          leave();
          stopWatching();
          reject(error);
        },
      });
      const stopWatching = onAbort(signal, () => {
        leave();
        reject(cancelledBeforeStart(signal));
      });
      startTelling();
    });
  }

  function startTelling(): void {
    if (telling || options.positionMs === undefined) return;
    telling = setInterval(tellPositions, options.positionMs).unref();
  }

  function tellPositions(): void {
    if (turns.size === 0) return stopTelling();
    for (const [ahead, waiting] of [...turns.inOrder()].entries()) {
      try {
        waiting.tell(ahead + 1);
      } catch (error) {
        waiting.refuse(error instanceof Error ? error : new Error(String(error)));
      }
    }
  }

  function stopTelling(): void {
    clearInterval(telling);
    telling = undefined;
  }

  function refusalOf(signal: AbortSignal | undefined): Error | undefined {
    if (refusal) return refusal();
    return signal?.aborted ? cancelledBeforeStart(signal) : undefined;
  }

  function fullError(): HostError {
    return new HostError('QUEUE_FULL', `${running} calls are running and ${turns.size} are waiting; no more may wait`, {
      limit: options.queueLength,
    });
  }
}

function startTask<T>(task: (hold: Hold) => Promise<T>, hold: Hold): Promise<T> {
  try {
    return task(hold);
  } catch (error) {
    return Promise.reject(error);
  }
}

function queueClosed(): HostError {
  return new HostError('CLOSED', 'The queue is closed');
}
