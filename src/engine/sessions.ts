import type { Settings } from '../config.js';
import { HostError } from '../errors.js';
import { cancelledBeforeStart, onAbort } from '../queue/abort.js';
import type { TakenWorker } from './pool.js';

/** Processes that outlast a call: one per script and session, each serving one call at a time. */
export interface Sessions {
  /** Runs the task when its turn has come. A session that is not named is the one that all share. */
  run<T>(turn: SessionTurn, task: (held: HeldWorker) => Promise<T>): Promise<T>;
  end(session: string): Promise<void>;
  /** Ends the sessions with such scripts. */
  endWith(isMeant: (script: string) => boolean): Promise<void>;
  close(): Promise<void>;
}

export interface SessionTurn {
  readonly script: string;
  readonly session: string | undefined;
  /** Takes a waiting task out; a running one has to look at the signal itself. */
  readonly signal?: AbortSignal;
}

/** Where a session's process is found again by its next call. */
export interface HeldWorker {
  worker(take: () => Promise<TakenWorker | undefined>): Promise<TakenWorker | undefined>;
  /** Aborts when the session ends, with the error that says so. */
  readonly ended: AbortSignal;
}

interface Session {
  readonly script: string;
  readonly name: string | undefined;
  taken: Promise<TakenWorker | undefined> | undefined;
  last: Promise<unknown>;
  waiting: number;
  readonly end: AbortController;
  idle: NodeJS.Timeout | undefined;
}

export function createSessions({ maxSessions, sessionIdleMs, queueLength }: Settings): Sessions {
  const sessions = new Map<string, Session>();

  return {
    run({ script, session: name, signal }, task) {
      if (signal?.aborted) return Promise.reject(cancelledBeforeStart(signal));
      const key = JSON.stringify([script, name ?? null]);
      const session = sessions.get(key) ?? createSession(script, name);
      if (session.waiting > queueLength) return Promise.reject(full(session.waiting));
      sessions.delete(key);
      sessions.set(key, session);
      session.waiting++;
      evict();
      clearTimeout(session.idle);
      return new Promise((resolve, reject) => {
        const stopWatching = onAbort(signal, () => reject(cancelledBeforeStart(signal)));
        const turn = session.last.then(() => {
          stopWatching();
          return task(holding(session));
        });
        turn.then(resolve, reject);
        session.last = turn.then(ignore, ignore).then(() => rest(key, session));
      });
    },
    async end(name) {
      const named = [...sessions].filter(([, session]) => session.name === name);
      await Promise.all(named.map(([key]) => drop(key, 'The session has ended')));
    },
    async endWith(isMeant) {
      const meant = [...sessions].filter(([, session]) => isMeant(session.script));
      await Promise.all(meant.map(([key]) => drop(key, 'The process of the session was ended')));
    },
    async close() {
      await Promise.all([...sessions.keys()].map((key) => drop(key, 'The engine was closed during the call')));
    },
  };

  function rest(key: string, session: Session): void {
    if (--session.waiting > 0 || session.end.signal.aborted) return;
    session.idle = setTimeout(() => void drop(key), sessionIdleMs).unref();
  }

  function evict(): void {
    for (const [key, session] of sessions) {
      if (sessions.size <= maxSessions) return;
      if (session.waiting === 0) void drop(key);
    }
  }

  async function drop(key: string, why = 'The session has ended'): Promise<void> {
    const session = sessions.get(key);
    if (!session) return;
    sessions.delete(key);
    session.end.abort(new HostError('CLOSED', why));
    clearTimeout(session.idle);
    const taken = await session.taken?.catch(ignore);
    taken?.worker.kill();
    await taken?.worker.gone;
  }
}

function createSession(script: string, name: string | undefined): Session {
  const end = new AbortController();
  return { script, name, taken: undefined, last: Promise.resolve(), waiting: 0, end, idle: undefined };
}

function holding(session: Session): HeldWorker {
  const ended = session.end.signal;
  return {
    ended,
    worker(take) {
      if (ended.aborted) return Promise.reject(ended.reason);
      if (session.taken) return session.taken;
      const taking = take();
      const forget = () => {
        if (session.taken === taking) session.taken = undefined;
      };
      session.taken = taking;
      taking.then((taken) => taken?.worker.gone).then(forget, forget);
      return taking;
    },
  };
}

function full(waiting: number): HostError {
  return new HostError('QUEUE_FULL', `${waiting} calls are waiting for this session; no more may wait`);
}

function ignore(): undefined {}
