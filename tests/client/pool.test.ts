import fc from 'fast-check';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { serverFailed } from '../../src/client/failures.js';
import type { Seat } from '../../src/client/pool/member.js';
import { createPool, type Pool, type PoolOptions } from '../../src/client/pool/pool.js';
import { fillOptions } from '../../src/client/target.js';
import { FakeConnection } from './fake-connection.js';

const shared: Seat = { kind: 'shared' };
const own = (key: string, isNamed = true): Seat => ({ kind: 'own', key, isNamed });

interface Setting {
  readonly pool: Pool;
  readonly opened: FakeConnection[];
  /** Sits on a connection until it is let go. */
  occupy(seat: Seat, signal?: AbortSignal): { readonly seated: Promise<FakeConnection>; leave(): Promise<void> };
}

const pools: Pool[] = [];
afterEach(async () => {
  vi.useRealTimers();
  await Promise.all(pools.splice(0).map((pool) => pool.close()));
});

function setUp(options: Partial<PoolOptions> = {}): Setting {
  const opened: FakeConnection[] = [];
  const pool = createPool({
    ...fillOptions({}),
    min: 0,
    max: 2,
    isShared: true,
    async open() {
      const connection = new FakeConnection(opened.length);
      opened.push(connection);
      return connection;
    },
    ...options,
  });
  pools.push(pool);
  return { pool, opened, occupy };

  function occupy(seat: Seat, signal?: AbortSignal) {
    let leave = (): void => {};
    let seatedAt: (connection: FakeConnection) => void = () => {};
    const seated = new Promise<FakeConnection>((resolve) => {
      seatedAt = resolve;
    });
    const done = pool.use({ seat, signal }, (connection) => {
      if (connection instanceof FakeConnection) seatedAt(connection);
      return new Promise<void>((resolve) => {
        leave = resolve;
      });
    });
    const seatedOrRefused = Promise.race([seated, done.then(() => seated)]);
    seatedOrRefused.catch(() => {});
    return {
      seated: seatedOrRefused,
      async leave() {
        leave();
        await done;
      },
    };
  }
}

describe('a shared pool', () => {
  it('starts a process for the first call, and another while the first is busy', async () => {
    const { pool, opened, occupy } = setUp();
    const first = occupy(shared);
    expect((await first.seated).number).toBe(0);
    const second = occupy(shared);
    await second.seated;
    await vi.waitFor(() => expect(opened.length).toBe(2));
    const third = occupy(shared);
    expect((await third.seated).number).toBe(1);
    expect(pool.status()).toEqual({ idle: 0, busy: 2, starts: 2, crashes: 0 });
    await Promise.all([first, second, third].map(({ leave }) => leave()));
    expect(pool.status()).toMatchObject({ idle: 2, busy: 0 });
  });

  it('takes no more calls at once than its processes may, and the rest in order', async () => {
    const { occupy } = setUp({ max: 1, callsPerProcess: 2 });
    const seated: number[] = [];
    const all = Array.from({ length: 4 }, (_, index) => {
      const call = occupy(shared);
      call.seated.then(() => seated.push(index));
      return call;
    });
    await vi.waitFor(() => expect(seated).toEqual([0, 1]));
    await all[0]?.leave();
    await vi.waitFor(() => expect(seated).toEqual([0, 1, 2]));
    await all[1]?.leave();
    await vi.waitFor(() => expect(seated).toEqual([0, 1, 2, 3]));
    await Promise.all([all[2]?.leave(), all[3]?.leave()]);
  });

  it('refuses calls when the line is full, and lets a cancelled one leave it', async () => {
    const { pool, occupy } = setUp({ max: 1, callsPerProcess: 1, queueLength: 1 });
    const first = occupy(shared);
    await first.seated;
    const aborter = new AbortController();
    const waiting = pool.use({ seat: shared, signal: aborter.signal }, async () => {});
    await expect(pool.use({ seat: shared }, async () => {})).rejects.toMatchObject({ code: 'QUEUE_FULL' });
    aborter.abort();
    await expect(waiting).rejects.toMatchObject({ code: 'CANCELLED' });
    await first.leave();
  });

  it('never gives a call a process that has failed', async () => {
    const { pool, opened, occupy } = setUp({ max: 1 });
    const first = occupy(shared);
    const connection = await first.seated;
    connection.isOver = true;
    await first.leave();
    expect((await occupy(shared).seated).number).toBe(1);
    connection.crash();
    await vi.waitFor(() => expect(pool.status().crashes).toBe(1));
    expect(opened.length).toBe(2);
  });

  it('replaces a process after its calls, when the last of them is answered', async () => {
    const { opened, occupy } = setUp({ max: 1, recycleAfterCalls: 2 });
    const calls = [occupy(shared), occupy(shared), occupy(shared)];
    for (const { seated } of calls) expect((await seated).number).toBe(0);
    await calls[0]?.leave();
    await calls[1]?.leave();
    expect(opened[0]?.ends).toEqual([]);
    expect((await occupy(shared).seated).number).toBe(1);
    await calls[2]?.leave();
    expect(opened[0]?.ends.length).toBe(1);
  });

  it('lets calls under way finish on the old processes when it is recycled', async () => {
    const { pool, opened, occupy } = setUp({ max: 1 });
    const first = occupy(shared);
    await first.seated;
    pool.recycle();
    expect((await occupy(shared).seated).number).toBe(1);
    expect(opened[0]?.ends).toEqual([]);
    await first.leave();
    expect(opened[0]?.ends.length).toBe(1);
  });

  it('keeps as many ready as it is told, and lets others go when nobody needs them', async () => {
    vi.useFakeTimers();
    const { pool, opened, occupy } = setUp({ min: 1, max: 2, idleMs: 1000 });
    await vi.advanceTimersByTimeAsync(0);
    expect(pool.status()).toMatchObject({ idle: 1, starts: 1 });
    const calls = [occupy(shared), occupy(shared)];
    await vi.advanceTimersByTimeAsync(0);
    expect(pool.status().starts).toBe(2);
    await Promise.all(calls.map(({ leave }) => leave()));
    await vi.advanceTimersByTimeAsync(5000);
    expect(pool.status()).toMatchObject({ idle: 1 });
    expect(opened.filter(({ ends }) => ends.length > 0).length).toBe(1);
  });
});

describe('a pool whose server fails', () => {
  it('passes on why, and then says when to try again', async () => {
    vi.useFakeTimers();
    const { pool } = setUp({ open: () => Promise.reject(serverFailed('it has no config')) });
    const use = () => pool.use({ seat: shared }, async () => {});
    await expect(use()).rejects.toMatchObject({ message: 'it has no config' });
    await expect(use()).rejects.toMatchObject({ message: 'it has no config' });
    await expect(use()).rejects.toMatchObject({
      code: 'SERVER_FAILED',
      message: 'it has no config. It failed several times in a row, and is started again in a moment',
      details: { retryAfterMs: 100 },
    });
    await vi.advanceTimersByTimeAsync(100);
    await expect(use()).rejects.toMatchObject({ message: 'it has no config' });
    await expect(use()).rejects.toMatchObject({ details: { retryAfterMs: 200 } });
    expect(pool.status()).toMatchObject({ starts: 3, crashes: 3 });
  });

  it('starts those that are to be ready again only now and then', async () => {
    vi.useFakeTimers();
    const { pool } = setUp({ min: 1, open: () => Promise.reject(serverFailed('no')) });
    await vi.advanceTimersByTimeAsync(60_000);
    expect(pool.status().starts).toBeLessThan(15);
    expect(pool.status().starts).toBeGreaterThan(8);
  });

  it('works at once after a crash of a process that had answered', async () => {
    const { opened, occupy } = setUp({ max: 1 });
    for (let crashes = 0; crashes < 5; crashes++) {
      const call = occupy(shared);
      await call.seated;
      await call.leave();
      opened.at(-1)?.crash();
    }
    expect(opened.length).toBe(5);
  });
});

describe('a pool of sessions', () => {
  const perSession = { isShared: false, max: 2 };

  it("gives each session a process, always the same and never another one's", async () => {
    const { occupy } = setUp({ ...perSession, max: 10 });
    const numbers = [];
    for (const key of ['a', 'b', 'a', 'b', 'c', 'a']) {
      const call = occupy(own(key));
      numbers.push((await call.seated).number);
      await call.leave();
    }
    expect(numbers).toEqual([0, 1, 0, 1, 2, 0]);
  });

  it('ends the session that was idle longest where there is no room', async () => {
    const { opened, occupy } = setUp(perSession);
    for (const key of ['a', 'b', 'a']) {
      const call = occupy(own(key));
      await call.seated;
      await call.leave();
    }
    expect((await occupy(own('c')).seated).number).toBe(2);
    expect(opened.map(({ ends }) => ends.length)).toEqual([0, 1, 0]);
  });

  it('lets a new session wait while all others are busy', async () => {
    const { opened, occupy } = setUp(perSession);
    const [a, b] = [occupy(own('a')), occupy(own('b'))];
    await Promise.all([a.seated, b.seated]);
    const c = occupy(own('c'));
    await new Promise(setImmediate);
    expect(opened.length).toBe(2);
    await a.leave();
    expect((await c.seated).number).toBe(2);
    await Promise.all([b.leave(), c.leave()]);
  });

  it('ends a session on request, and one that nobody used for a while', async () => {
    vi.useFakeTimers();
    const { pool, opened, occupy } = setUp({ ...perSession, sessionIdleMs: 1000 });
    for (const key of ['a', 'b']) {
      const call = occupy(own(key));
      await call.seated;
      await call.leave();
    }
    await pool.endSession('a');
    expect(opened.map(({ ends }) => ends.length)).toEqual([1, 0]);
    await vi.advanceTimersByTimeAsync(1000);
    expect(opened.map(({ ends }) => ends.length)).toEqual([1, 1]);
  });

  it('gives up the process that is being started for a session that ends, and starts one for a call that comes after', async () => {
    let isSlow = true;
    const { pool, opened } = setUp({
      ...perSession,
      open(signal) {
        const connection = new FakeConnection(opened.length);
        opened.push(connection);
        if (!isSlow) return Promise.resolve(connection);
        return new Promise((_, reject) => signal.addEventListener('abort', () => reject(new Error('given up'))));
      },
    });
    const gone = new AbortController();
    const call = pool.use({ seat: own('a'), signal: gone.signal }, async () => 'never');
    gone.abort();
    await expect(call).rejects.toMatchObject({ code: 'CANCELLED' });
    isSlow = false;
    await pool.endSession('a');
    expect(pool.status()).toEqual({ idle: 0, busy: 0, starts: 1, crashes: 0 });
    expect(await pool.use({ seat: own('a') }, async () => 'served')).toBe('served');
    expect(pool.status().starts).toBe(2);
  });

  it('hands a process that is kept ready to the first session that comes', async () => {
    const { pool, opened, occupy } = setUp({ ...perSession, min: 1 });
    await vi.waitFor(() => expect(pool.status().idle).toBe(1));
    expect((await occupy(own('a')).seated).number).toBe(0);
    await vi.waitFor(() => expect(opened.length).toBe(2));
  });

  it('never serves two sessions by one process, nor has more than it may', async () => {
    const keys = fc.constantFrom('a', 'b', 'c', 'd', 'e');
    const steps = fc.array(fc.tuple(keys, fc.nat(3)), { minLength: 1, maxLength: 40 });
    await fc.assert(
      fc.asyncProperty(steps, fc.integer({ min: 1, max: 4 }), async (given, max) => {
        const { pool, opened, occupy } = setUp({ ...perSession, max });
        const served = new Map<number, Set<string>>();
        const sitting: { leave(): Promise<void> }[] = [];
        for (const [key, leaving] of given) {
          const call = occupy(own(key));
          const note = (connection: FakeConnection) => {
            served.set(connection.number, new Set([...(served.get(connection.number) ?? []), key]));
            sitting.push(call);
          };
          call.seated.then(note, () => {});
          await new Promise(setImmediate);
          for (let left = 0; left < leaving; left++) await sitting.shift()?.leave();
          expect(opened.filter(({ isOver }) => !isOver).length).toBeLessThanOrEqual(max);
        }
        for (const keysOfOne of served.values()) expect(keysOfOne.size).toBe(1);
        await pool.close();
        expect(opened.every(({ isOver }) => isOver)).toBe(true);
      }),
      { numRuns: 50 },
    );
  });
});

describe('after a call was given up', () => {
  it('a process that does not answer is killed', async () => {
    const { opened, occupy } = setUp({ isShared: false });
    const call = occupy(own('a'));
    const connection = await call.seated;
    connection.abandoned = 1;
    connection.pings = 'unanswered';
    await call.leave();
    await vi.waitFor(() => expect(connection.ends.at(-1)?.how).toEqual({ graceMs: 0 }));
    expect((await occupy(own('a')).seated).number).toBe(1);
    expect(opened.length).toBe(2);
  });

  it('a restart ends calls under way and those that start, and the next call works', async () => {
    const { pool, opened, occupy } = setUp();
    const call = occupy(shared);
    await call.seated;
    await pool.restart();
    expect(opened[0]?.ends.length).toBe(1);
    expect((await occupy(shared).seated).number).toBe(1);
    expect(pool.status().crashes).toBe(0);
  });

  it('a closed pool refuses calls', async () => {
    const { pool } = setUp();
    await pool.close();
    await expect(pool.use({ seat: shared }, async () => {})).rejects.toMatchObject({ code: 'CLOSED' });
  });
});
