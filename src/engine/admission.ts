import { cancelledBeforeStart, onAbort } from '../queue/abort.js';
import { createTurns, type Turn } from '../queue/turns.js';

export interface AdmissionTurn {
  readonly priority?: number;
  readonly caller?: string;
  readonly signal?: AbortSignal;
  /** Aborts when the session of the call ends, with the error that says so. */
  readonly ended?: AbortSignal;
}

/** Calls that wait until the processes of their script exist, and take nothing from others meanwhile. */
export interface Admission {
  readonly size: number;
  wait(turn: AdmissionTurn): Promise<void>;
  /** By priority, then callers in turn, then as they came. */
  letIn(count?: number): void;
  refuse(error: Error): void;
}

interface Waiting extends Turn {
  letIn(): void;
  refuse(error: Error): void;
}

export function createAdmission(): Admission {
  const turns = createTurns<Waiting>();
  return {
    get size() {
      return turns.size;
    },
    wait({ priority = 0, caller = '', signal, ended }) {
      return new Promise((resolve, reject) => {
        const stop = () => {
          for (const stopWatching of watching) stopWatching();
        };
        const refuse = (error: Error) => {
          stop();
          reject(error);
        };
        const letIn = () => {
          stop();
          resolve();
        };
        const leave = turns.add({ priority, caller, letIn, refuse });
        const leaveWith = (errorOf: () => Error) => () => {
          leave();
          refuse(errorOf());
        };
        const watching = [
          onAbort(
            signal,
            leaveWith(() => cancelledBeforeStart(signal)),
          ),
          onAbort(
            ended,
            leaveWith(() => ended?.reason),
          ),
        ];
        if (signal?.aborted) leaveWith(() => cancelledBeforeStart(signal))();
        else if (ended?.aborted) leaveWith(() => ended.reason)();
      });
    },
    letIn(count = turns.size) {
      for (let left = count; left > 0; left--) turns.next()?.letIn();
    },
    refuse(error) {
      for (let waiting = turns.next(); waiting; waiting = turns.next()) waiting.refuse(error);
    },
  };
}
