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
  /** Passes that were given and have not ended. */
  readonly promised: number;
  wait(turn: AdmissionTurn): Promise<Pass>;
  /** For one who does not have to wait. */
  pass(): Pass;
  /** By priority, then callers in turn, then as they came. */
  letIn(count?: number): void;
  refuse(error: Error): void;
}

/** Keeps what a call has waited for from those who come later. */
export interface Pass {
  /** It was used, or will not be. */
  end(): void;
}

interface Waiting extends Turn {
  letIn(): void;
  refuse(error: Error): void;
}

export function createAdmission(): Admission {
  const turns = createTurns<Waiting>();
  const passes = new Set<Pass>();
  const createPass = () => {
    const pass: Pass = { end: () => void passes.delete(pass) };
    passes.add(pass);
    return pass;
  };
  return {
    get size() {
      return turns.size;
    },
    get promised() {
      return passes.size;
    },
    pass: createPass,
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
          resolve(createPass());
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
