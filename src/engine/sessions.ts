import type { Settings } from '../config.js';
import { HostError } from '../errors.js';
import type { TakenWorker } from './pool.js';

/** Processes that outlast a call: one per script and session, each serving one call at a time. */
export interface Sessions {
  /** Runs the task when its session's turn has come. A session that is not named is the one that all share. */
  run<T>(script: string, session: string | undefined, task: (held: HeldWorker) => Promise<T>): Promise<T>;
  end(session: string): Promise<void>;
  close(): Promise<void>;
}

/** Where a session's process is found again by its next call. */
export interface HeldWorker {
  worker(take: () => Promise<TakenWorker>): Promise<TakenWorker>;
}

interface Session {
  readonly name: string | undefined;
  taken: Promise<TakenWorker> | undefined;
  last: Promise<unknown>;
  waiting: number;
  ended: boolean;
  idle: NodeJS.Timeout | undefined;
}

export function createSessions({ maxSessions, sessionIdleMs, queueLength }: Settings): Sessions {
  const sessions = new Map<string, Session>();

  return {
    run(script, name, task) {
      const key = JSON.stringify([script, name ?? null]);
      const session = sessions.get(key) ?? createSession(name);
      if (session.waiting > queueLength) return Promise.reject(full(session.waiting));
      sessions.delete(key);
      sessions.set(key, session);
      evict();
      clearTimeout(session.idle);
      session.waiting++;
      const turn = session.last.then(() => task(holding(session)));
      session.last = turn.then(ignore, ignore).then(() => rest(key, session));
      return turn;
    },
    async end(name) {
      await Promise.all([...sessions].filter(([, session]) => session.name === name).map(([key]) => drop(key)));
    },
    async close() {
      await Promise.all([...sessions.keys()].map(drop));
    },
  };

  function rest(key: string, session: Session): void {
    if (--session.waiting > 0 || session.ended) return;
    session.idle = setTimeout(() => void drop(key), sessionIdleMs).unref();
  }

  function evict(): void {
    if (sessions.size <= maxSessions) return;
    for (const [key, session] of sessions) {
      if (session.waiting === 0) return void drop(key);
    }
  }

  async function drop(key: string): Promise<void> {
    const session = sessions.get(key);
    if (!session) return;
    sessions.delete(key);
    session.ended = true;
    clearTimeout(session.idle);
    const taken = await session.taken?.catch(ignore);
    taken?.worker.kill();
    await taken?.worker.gone;
  }
}

function createSession(name: string | undefined): Session {
  return { name, taken: undefined, last: Promise.resolve(), waiting: 0, ended: false, idle: undefined };
}

function holding(session: Session): HeldWorker {
  return {
    worker(take) {
      if (session.ended) return Promise.reject(new HostError('CLOSED', 'The session has ended'));
      if (session.taken) return session.taken;
      const taking = take();
      const forget = () => {
        if (session.taken === taking) session.taken = undefined;
      };
      session.taken = taking;
      taking.then(({ worker }) => worker.gone).then(forget, forget);
      return taking;
    },
  };
}

function full(waiting: number): HostError {
  return new HostError('QUEUE_FULL', `${waiting} calls are waiting for this session; no more may wait`);
}

function ignore(): undefined {}
