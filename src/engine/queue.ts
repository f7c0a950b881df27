import { HostError } from '../errors.js';
import { onAbort } from './abort.js';
import { cancelledBeforeStart, engineClosed } from './failure.js';
import { createTurns, type Turn } from './turns.js';

export interface QueueOptions {
  readonly concurrency: number;
  readonly queueLength: number;
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
  /** Told once, when the task has to wait: 1 is next. */
  readonly onPosition?: (position: number) => void;
}

export interface Queue {
  readonly running: number;
  readonly waiting: number;
  run<T>(task: (hold: Hold) => Promise<T>, turn?: QueueTurn): Promise<T>;
  /** Refuses what waits and what comes; what runs goes on. */
  close(): void;
}

interface Waiting extends Turn {
  start(): void;
  refuse(error: Error): void;
}

export function createQueue({ concurrency, queueLength }: QueueOptions): Queue {
  const turns = createTurns<Waiting>();
  let running = 0;
  let closed = false;

  return {
    get running() {
      return running;
    },
    get waiting() {
      return turns.size;
    },
    run(task, turn = {}) {
      const refusal = refusalOf(turn.signal);
      if (refusal) return Promise.reject(refusal);
      if (running < concurrency) {
        running += 1;
        return begin(task);
      }
      if (turns.size >= queueLength) return Promise.reject(fullError());
      return wait(task, turn);
    },
    close() {
      closed = true;
      for (let waiting = turns.next(); waiting; waiting = turns.next()) waiting.refuse(engineClosed());
    },
  };

  function begin<T>(task: (hold: Hold) => Promise<T>): Promise<T> {
    let holds = 1;
    const letGo = () => {
      holds -= 1;
      if (holds === 0) passSlotOn();
    };
    const result = startTask(task, (until) => {
      if (holds === 0) return;
      holds += 1;
      until.then(letGo, letGo);
    });
    result.then(letGo, letGo);
    return result;
  }

  function passSlotOn(): void {
    const waiting = turns.next();
    if (waiting) waiting.start();
    else running -= 1;
  }

  function wait<T>(task: (hold: Hold) => Promise<T>, turn: QueueTurn): Promise<T> {
    const { priority = 0, caller = '', signal, onPosition } = turn;
    return new Promise<T>((resolve, reject) => {
      onPosition?.(turns.ahead({ priority, caller }) + 1);
      const refusal = refusalOf(signal);
      if (refusal) return reject(refusal);
      const leave = turns.add({
        priority,
        caller,
        start() {
          stopWatching();
          resolve(begin(task));
        },
        refuse(error) {
          stopWatching();
          reject(error);
        },
      });
      const stopWatching = onAbort(signal, () => {
        leave();
        reject(cancelledBeforeStart(signal));
      });
    });
  }

  function refusalOf(signal: AbortSignal | undefined): Error | undefined {
    if (closed) return engineClosed();
    return signal?.aborted ? cancelledBeforeStart(signal) : undefined;
  }

  function fullError(): HostError {
    return new HostError('QUEUE_FULL', `${running} calls are running and ${turns.size} are waiting; no more may wait`, {
      limit: queueLength,
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
