import { rmSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { parseSettings, type SettingsInput } from '../../src/config.js';
import type { Pass } from '../../src/engine/admission.js';
import type { Launcher, Readiness } from '../../src/engine/launch/launcher.js';
import { type Death, swept, type Worker } from '../../src/engine/launch/worker.js';
import { createPool, type Pool, type TakenWorker } from '../../src/engine/pool.js';
import { HostError, ScriptError } from '../../src/errors.js';
import { failureOf, folderWith } from './harness.js';

interface FakeWorker extends Worker {
  readonly number: number;
  die(): void;
  readonly isDead: boolean;
}

interface FakeLauncher extends Launcher {
  growthBytes: number;
  readonly reason: string | undefined;
  readonly born: FakeWorker[];
  readonly isClosed: boolean;
  end(): void;
}

interface Behaviour {
  readonly maxStarting?: number;
  readonly readiness?: Promise<Readiness>;
  readonly files?: readonly string[];
  readonly launch?: () => Promise<void>;
}

const nothingRead: Behaviour = {};

function createFakeWorker(number: number): FakeWorker {
  let resolveGone: (death: Death) => void = () => {};
  let isDead = false;
  const gone = new Promise<Death>((resolve) => {
    resolveGone = resolve;
  });
  const die = () => {
    isDead = true;
    resolveGone(swept);
  };
  const nothing = () => {};
  return {
    number,
    gone,
    die,
    kill: die,
    get isDead() {
      return isDead;
    },
    listen: nothing,
    send: nothing,
    pause: nothing,
    resume: nothing,
    finished: nothing,
  };
}

function createFakeLauncher(reason: string | undefined, behaviour: Behaviour): FakeLauncher {
  const { readiness, files = [], launch, maxStarting = Number.POSITIVE_INFINITY } = behaviour;
  const born: FakeWorker[] = [];
  let onEnd: ((error: Error) => void) | undefined;
  let isClosed = false;
  return {
    kind: reason === undefined ? 'fork' : 'warm',
    reason,
    maxStarting,
    ready: readiness ?? Promise.resolve({ files, bytes: 0 }),
    growthBytes: 0,
    born,
    get isClosed() {
      return isClosed;
    },
    async launch() {
      await launch?.();
      const worker = createFakeWorker(born.length + 1);
      born.push(worker);
      return worker;
    },
    onEnd(listener) {
      onEnd = listener;
    },
    end: () => onEnd?.(new HostError('SPAWN_FAILED', 'gone')),
    async close() {
      isClosed = true;
      for (const worker of born) worker.die();
    },
  };
}

const turn = () => new Promise((resolve) => setImmediate(resolve));

describe('a pool', () => {
  const pools: Pool[] = [];

  function makePool(settings: SettingsInput = {}, behaviour: (number: number) => Behaviour = () => nothingRead) {
    const launchers: FakeLauncher[] = [];
    const pool = createPool({
      name: 'fake.py',
      profile: 'trusted',
      settings: parseSettings(settings),
      createLauncher(reason) {
        const launcher = createFakeLauncher(reason, behaviour(launchers.length + 1));
        launchers.push(launcher);
        return launcher;
      },
    });
    pools.push(pool);
    return { pool, launchers };
  }

  /** As a call does: it waits for the import beside whatever it holds, and takes what that gave. */
  async function takeOne(pool: Pool): Promise<TakenWorker> {
    let pass: Pass | undefined;
    for (let attempt = 0; attempt < 10; attempt += 1) {
      const taken = await pool.take({ pass });
      if (taken) return taken;
      pass = await pool.admit();
    }
    throw new Error('nothing could be taken');
  }
  const take = async (pool: Pool) => (await takeOne(pool)).worker as FakeWorker;

  afterEach(async () => {
    vi.useRealTimers();
    await Promise.all(pools.splice(0).map((pool) => pool.close()));
  });

  it('hands out the worker that has waited longest', async () => {
    const { pool } = makePool({ idleChildren: 2 });
    await pool.warm();
    await turn();
    const numbers = [];
    for (let call = 0; call < 4; call += 1) {
      numbers.push((await take(pool)).number);
      await turn();
    }
    expect(numbers).toEqual([1, 2, 3, 4]);
  });

  it('is warm when a worker is ready, and has used none for that', async () => {
    const { pool, launchers } = makePool();
    await pool.warm();
    expect(pool.status()).toMatchObject({ calls: 0, busy: 0 });
    expect(pool.status().idle).toBeGreaterThan(0);
    expect(launchers[0]?.born.some(({ isDead }) => isDead)).toBe(false);
  });

  it('keeps no more ready because of a call that had to wait for the import', async () => {
    const { pool } = makePool();
    await take(pool);
    await turn();
    expect(pool.status().idle).toBe(2);
  });

  it('keeps more ready when calls had to wait, and never more than set', async () => {
    const { pool } = makePool({ idleChildren: 5 });
    await pool.warm();
    await turn();
    expect(pool.status().idle).toBe(2);
    await Promise.all(Array.from({ length: 12 }, () => take(pool)));
    await turn();
    expect(pool.status().idle).toBe(5);
  });

  it('lets go of all ready workers but one when nobody needs them', async () => {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
    const { pool, launchers } = makePool({ idleChildren: 8, idleMs: 1000 });
    await pool.warm();
    await Promise.all(Array.from({ length: 8 }, () => take(pool)));
    await turn();
    expect(pool.status().idle).toBe(8);
    vi.advanceTimersByTime(3000);
    await turn();
    expect(pool.status().idle).toBe(1);
    expect(launchers[0]?.isClosed).toBe(false);
  });

  it('keeps as many ready as set, however quiet it is', async () => {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
    const { pool } = makePool({ idleChildren: 8, minIdleChildren: 3, idleMs: 1000 });
    await pool.warm();
    await turn();
    expect(pool.status().idle).toBe(3);
    await Promise.all(Array.from({ length: 8 }, () => take(pool)));
    await turn();
    expect(pool.status().idle).toBe(8);
    vi.advanceTimersByTime(3000);
    await turn();
    expect(pool.status().idle).toBe(3);
  });

  it('starts no more workers at once than its launcher can', async () => {
    let starting = 0;
    let most = 0;
    const launch = async () => {
      most = Math.max(most, ++starting);
      await turn();
      starting--;
    };
    const { pool } = makePool({}, () => ({ launch, maxStarting: 2 }));
    await Promise.all(Array.from({ length: 7 }, () => take(pool)));
    expect(most).toBe(2);
  });

  it('replaces a ready worker that dies', async () => {
    const { pool, launchers } = makePool({ idleChildren: 1 });
    await pool.warm();
    launchers[0]?.born[0]?.die();
    await turn();
    expect(pool.status().idle).toBe(1);
    expect((await take(pool)).number).toBe(2);
  });

  it('does not go on replacing workers that keep dying unused', async () => {
    const { pool, launchers } = makePool({ idleChildren: 1 });
    await pool.warm();
    for (let death = 0; death < 10; death += 1) {
      launchers[0]?.born.at(-1)?.die();
      await turn();
    }
    expect(launchers[0]?.born.length).toBeLessThan(5);
    expect((await take(pool)).isDead).toBe(false);
  });

  it('imports anew after the set number of calls, and ends the old import with its last call', async () => {
    const { pool, launchers } = makePool({ idleChildren: 1, recycleAfterCalls: 2 });
    const first = await take(pool);
    const second = await take(pool);
    await take(pool);
    expect(launchers).toHaveLength(2);
    first.die();
    await turn();
    expect(launchers[0]?.isClosed).toBe(false);
    second.die();
    await turn();
    expect(launchers.map(({ isClosed }) => isClosed)).toEqual([true, false]);
  });

  it('imports anew when the importing process has grown', async () => {
    const { pool, launchers } = makePool({ recycleGrowthBytes: 1000 });
    await take(pool);
    const [first] = launchers;
    if (first) first.growthBytes = 1001;
    await take(pool);
    expect(launchers).toHaveLength(2);
  });

  it('imports anew at the set age', async () => {
    vi.useFakeTimers({ toFake: ['Date'] });
    const { pool, launchers } = makePool({ recycleAfterMs: 1000 });
    await take(pool);
    vi.advanceTimersByTime(1001);
    await take(pool);
    expect(launchers).toHaveLength(2);
  });

  it('imports anew when a file that the import read has changed or is gone', async () => {
    const folder = folderWith({ 'data.txt': 'one' });
    const path = join(folder, 'data.txt');
    utimesSync(path, 1, 1);
    const { pool, launchers } = makePool({}, () => ({ files: [path] }));
    await take(pool);
    await take(pool);
    expect(launchers).toHaveLength(1);
    writeFileSync(path, 'two');
    await take(pool);
    expect(launchers).toHaveLength(2);
    rmSync(path);
    await take(pool);
    expect(launchers).toHaveLength(3);
    symlinkSync(path, path);
    expect((await take(pool)).isDead).toBe(false);
  });

  it('starts again with warm interpreters when the import shows that forks are unsafe', async () => {
    const readiness = Promise.resolve({ files: [], bytes: 0, reason: 'a thread is alive' });
    const { pool, launchers } = makePool({}, (number) => (number === 1 ? { readiness } : nothingRead));
    await turn();
    await pool.warm();
    await turn();
    const taken = await takeOne(pool);
    expect(taken).toMatchObject({ launcher: 'warm', launcherReason: 'a thread is alive' });
    expect(pool.status()).toMatchObject({ launcher: 'warm', launcherReason: 'a thread is alive' });
    expect(launchers.map(({ isClosed }) => isClosed)).toEqual([true, false]);
  });

  it('tells all who wait of an import that failed, and tries again with the next call', async () => {
    const failure = new ScriptError('IMPORT_ERROR', 'no such module');
    const readiness = Promise.reject(failure);
    readiness.catch(() => {});
    const never = () => new Promise<void>(() => {});
    const { pool, launchers } = makePool({}, (number) => (number === 1 ? { readiness, launch: never } : nothingRead));
    const outcomes = [failureOf(take(pool)), failureOf(take(pool)), failureOf(pool.warm())];
    expect(await Promise.all(outcomes)).toEqual([failure, failure, failure]);
    expect((await take(pool)).number).toBe(1);
    expect(launchers).toHaveLength(2);
  });

  it('tries a launch that the host failed at again, and gives up after a few times', async () => {
    const failure = new HostError('SPAWN_FAILED', 'no memory');
    let attempts = 0;
    const failing = async (until: number) => {
      attempts += 1;
      if (attempts < until) throw failure;
    };
    const lucky = makePool({ idleChildren: 1 }, () => ({ launch: () => failing(3) }));
    expect((await take(lucky.pool)).number).toBe(1);
    attempts = 0;
    const hopeless = makePool({ idleChildren: 1 }, () => ({ launch: () => failing(Number.POSITIVE_INFINITY) }));
    expect(await failureOf(hopeless.pool.warm())).toBe(failure);
    expect(attempts).toBeLessThan(10);
  });

  it('starts a new import for those who wait when the importing process ends', async () => {
    const blocked = new Promise<void>(() => {});
    const { pool, launchers } = makePool({}, (number) => (number === 1 ? { launch: () => blocked } : nothingRead));
    const waiting = take(pool);
    await turn();
    launchers[0]?.end();
    expect((await waiting).number).toBe(1);
    expect(launchers).toHaveLength(2);
  });

  it('gives up on a script whose importing process keeps ending before it gave a worker', async () => {
    const blocked = new Promise<void>(() => {});
    const { pool, launchers } = makePool({}, () => ({ launch: () => blocked }));
    const failed = failureOf(take(pool));
    for (let ended = 0; ended < 3; ended += 1) {
      await turn();
      launchers[ended]?.end();
    }
    expect((await failed).code).toBe('SPAWN_FAILED');
    expect(launchers).toHaveLength(3);
  });

  it('serves those who wait by the workers that it can have, and asks for more when one of them is gone', async () => {
    const failure = new HostError('SPAWN_FAILED', 'no descriptors');
    let alive = 0;
    const launch = async () => {
      if (alive >= 2) throw failure;
      alive += 1;
    };
    const { pool } = makePool({ idleChildren: 1 }, () => ({ launch }));
    const served = Array.from({ length: 6 }, async () => {
      const worker = await take(pool);
      await turn();
      alive -= 1;
      worker.die();
    });
    await Promise.all(served);
    expect(pool.status()).toMatchObject({ calls: 6 });
  });

  it('takes a worker from nobody who has waited for it, where each imports the script anew', async () => {
    const reason = 'a thread is alive';
    const unsafe = { readiness: Promise.resolve({ files: [], bytes: 0, reason }) };
    let arrive: (() => void)[] = [];
    const launch = () => new Promise<void>((resolve) => arrive.push(resolve));
    const { pool } = makePool({ idleChildren: 1 }, (number) => (number === 1 ? unsafe : { launch }));
    const first = pool.admit();
    await turn();
    arrive.splice(0, 1)[0]?.();
    const pass = await first;
    expect(await pool.take()).toBeUndefined();
    expect(await pool.take({ pass })).toMatchObject({ launcher: 'warm' });
    arrive = [];
  });

  it('is recycled by a new import, and ends the old one with its last call', async () => {
    const { pool, launchers } = makePool({ idleChildren: 1 });
    await pool.recycle();
    expect(launchers).toHaveLength(0);
    const running = await take(pool);
    await pool.recycle();
    expect(launchers.map(({ isClosed }) => isClosed)).toEqual([false, false]);
    expect(pool.status()).toMatchObject({ idle: 1, busy: 1 });
    running.die();
    await turn();
    expect(launchers.map(({ isClosed }) => isClosed)).toEqual([true, false]);
  });

  it('counts workers that came, and those that ended without being asked to', async () => {
    const { pool, launchers } = makePool({ idleChildren: 1 });
    await pool.warm();
    launchers[0]?.born[0]?.die();
    await turn();
    expect(pool.status()).toMatchObject({ starts: 2, crashes: 1 });
    launchers[0]?.end();
    expect(pool.status().crashes).toBe(2);
  });

  it('counts those who wait as busy', async () => {
    const blocked = new Promise<void>(() => {});
    const { pool } = makePool({}, () => ({ launch: () => blocked }));
    const importing = pool.admit();
    expect(pool.busy).toBe(1);
    const forking = pool.take({ pass: await importing });
    expect(pool.busy).toBe(1);
    await pool.close();
    expect(await forking).toBeUndefined();
  });

  it('closes the imports of calls that still run, the replaced ones too', async () => {
    const { pool, launchers } = makePool({ recycleAfterCalls: 1 });
    await take(pool);
    await take(pool);
    expect(pool.status().busy).toBe(2);
    await pool.close();
    expect(launchers.map(({ isClosed }) => isClosed)).toEqual([true, true]);
    expect(await pool.take()).toBeUndefined();
    expect((await failureOf(pool.warm())).code).toBe('CLOSED');
  });

  it('does not wait for a worker for a call that was cancelled before', async () => {
    const { pool, launchers } = makePool();
    expect((await failureOf(pool.take({ signal: AbortSignal.abort() }))).code).toBe('CANCELLED');
    expect(launchers).toHaveLength(0);
  });
});
