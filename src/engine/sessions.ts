import type { Settings } from '../config.js';
import { HostError } from '../errors.js';
import type { Pool, TakenWorker } from './pool.js';

/** Processes that outlast a call: one per script and session, each serving one call at a time. */
export interface Sessions {
  run<T>(
    pool: Pool,
    script: string,
    session: string | undefined,
    signal: AbortSignal | undefined,
    task: (taken: TakenWorker) => Promise<T>,
  ): Promise<T>;
  end(session: string): Promise<void>;
  close(): Promise<void>;
}

interface Held {
  readonly session: string | undefined;
  readonly script: string;
  worker: Promise<TakenWorker> | undefined;
  last: Promise<unknown>;
  using: number;
  idle: NodeJS.Timeout | undefined;
}

export function createSessions({ maxSessions, sessionIdleMs }: Settings): Sessions {
  const held = new Map<string, Held>();

  return {
    run(pool, script, session, signal, task) {
      const key = JSON.stringify([script, session ?? null]);
      const entry = held.get(key) ?? {
        session,
        script,
        worker: undefined,
        last: Promise.resolve(),
        using: 0,
        idle: undefined,
      };
      held.delete(key);
      held.set(key, entry);
      evict();
      clearTimeout(entry.idle);
      entry.using++;
      const turn = entry.last.then(async () => task(await workerOf(key, entry, pool, signal)));
      entry.last = turn.catch(() => {}).then(() => rest(key, entry));
      return turn;
    },
    async end(session) {
      await Promise.all([...held].filter(([, entry]) => entry.session === session).map(([key]) => drop(key)));
    },
    async close() {
      await Promise.all([...held.keys()].map(drop));
    },
  };

  function workerOf(key: string, entry: Held, pool: Pool, signal: AbortSignal | undefined): Promise<TakenWorker> {
    if (held.get(key) !== entry) throw new HostError('CLOSED', 'The session has ended');
    if (entry.worker) return entry.worker;
    const taking = pool.take(signal);
    entry.worker = taking;
    const forget = () => {
      if (entry.worker === taking) entry.worker = undefined;
    };
    taking.then(({ worker }) => worker.gone).then(forget, forget);
    return taking;
  }

  function rest(key: string, entry: Held): void {
    if (--entry.using > 0 || held.get(key) !== entry) return;
    entry.idle = setTimeout(() => void drop(key), sessionIdleMs).unref();
  }

  function evict(): void {
    if (held.size <= maxSessions) return;
    for (const [key, entry] of held) {
      if (entry.using === 0) return void drop(key);
    }
  }

  async function drop(key: string): Promise<void> {
    const entry = held.get(key);
    if (!entry) return;
    held.delete(key);
    clearTimeout(entry.idle);
    const taken = await entry.worker?.catch(() => undefined);
    taken?.worker.kill();
    await taken?.worker.gone;
  }
}
