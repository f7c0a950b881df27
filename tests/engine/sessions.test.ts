import { execFileSync } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import type { Engine, RunOptions } from '../../src/engine/work.js';
import type { CallEvent } from '../../src/toolbox.js';
import { collectEvents, describeLaunchers, describeWithEngine, failureOf, fixture, folderWith } from './harness.js';
import { isAlive, tellProcess, until } from './processes.js';

interface Counted {
  readonly count: number;
  readonly pid: number;
}

const isLine = (line: string) => (event: CallEvent) => event.type === 'output' && event.line === line;

async function count(engine: Engine, session: string, options: RunOptions = {}): Promise<Counted> {
  const call = { script: fixture('counts_in_globals.py'), function: 'add' };
  const { value } = await engine.call(call, { isolation: 'session', session, ...options });
  return value as unknown as Counted;
}

function newPipe(): string {
  const pipe = join(folderWith({}), 'pipe');
  execFileSync('mkfifo', [pipe]);
  return pipe;
}

describeWithEngine('isolation', { idleChildren: 1 }, (engine, launcher) => {
  it('call gives each call a process of its own, in which no global lasts', async () => {
    const told = [await tellProcess(engine()), await tellProcess(engine()), await tellProcess(engine())];
    expect(told.map(({ calls }) => calls)).toEqual([1, 1, 1]);
    expect(new Set(told.map(({ pid }) => pid)).size).toBe(3);
  });

  it('session keeps the process and its globals for the session', async () => {
    const first = await count(engine(), 'keeps');
    const second = await count(engine(), 'keeps');
    expect(second).toEqual({ count: 2, pid: first.pid });
    await engine().endSession('keeps');
  });

  it('session shares nothing with another session', async () => {
    const ann = await count(engine(), 'ann');
    const bob = await count(engine(), 'bob');
    expect(bob.count).toBe(1);
    expect(bob.pid).not.toBe(ann.pid);
    expect((await count(engine(), 'ann')).count).toBe(2);
    await Promise.all([engine().endSession('ann'), engine().endSession('bob')]);
  });

  it('session has a process for each script', async () => {
    const counted = await count(engine(), 'two scripts');
    const told = await tellProcess(engine(), { isolation: 'session', session: 'two scripts' });
    expect(told.pid).not.toBe(counted.pid);
    expect((await tellProcess(engine(), { isolation: 'session', session: 'two scripts' })).calls).toBe(2);
    await engine().endSession('two scripts');
    expect([counted.pid, told.pid].filter(isAlive)).toEqual([]);
  });

  it('shared keeps one process for all calls', async () => {
    const told = await Promise.all([1, 2, 3, 4].map(() => tellProcess(engine(), { isolation: 'shared' })));
    expect(told.map(({ calls }) => calls)).toEqual([1, 2, 3, 4]);
    expect(new Set(told.map(({ pid }) => pid)).size).toBe(1);
  });

  it('is told in the figures', async () => {
    const call = { script: fixture('counts_in_globals.py'), function: 'add' };
    const { figures } = await engine().call(call, { isolation: 'session', session: 'figures' });
    expect(figures).toMatchObject({ isolation: 'session', launcher });
    await engine().endSession('figures');
  });

  it('session without a name is an error that names the setting', async () => {
    const call = { script: fixture('counts_in_globals.py'), function: 'add' };
    const error = await failureOf(engine().call(call, { isolation: 'session' }));
    expect(error).toMatchObject({ code: 'INVALID_SETTING', details: { setting: 'session' } });
  });

  it.each(['session', 'shared'] as const)('%s is refused for what no process imports ahead', async (isolation) => {
    const options = { isolation, session: 'a' };
    const script = fixture('counts_in_globals.py');
    const asked = [
      engine().run({ source: 'pass' }, options),
      engine().call({ script, function: 'add', prewarm: false }, options),
    ];
    for (const call of asked) {
      expect(await failureOf(call)).toMatchObject({ code: 'INVALID_SETTING', details: { setting: 'isolation' } });
    }
  });

  it('session serves its calls one at a time and in order', async () => {
    const words = ['one', 'two', 'three', 'four'];
    const call = (word: string) => ({ script: fixture('notes_the_order.py'), function: 'note', args: { word } });
    const results = await Promise.all(
      words.map((word) => engine().call(call(word), { isolation: 'session', session: 'order' })),
    );
    expect(results.at(-1)?.value).toEqual(words.flatMap((word) => [`${word} begins`, `${word} ends`]));
    await engine().endSession('order');
  });
});

describeWithEngine('a session', { idleChildren: 1 }, (engine) => {
  it('has a new process after a crash', async () => {
    const before = await count(engine(), 'crash');
    const crash = { script: fixture('counts_in_globals.py'), function: 'crash' };
    const error = await failureOf(engine().call(crash, { isolation: 'session', session: 'crash' }));
    expect(error).toMatchObject({ code: 'PROCESS_FAILED', details: { exitCode: 9 } });
    const after = await count(engine(), 'crash');
    expect(after.count).toBe(1);
    expect(after.pid).not.toBe(before.pid);
    await engine().endSession('crash');
  });

  it('has a new process after a timeout', async () => {
    const hang = { script: fixture('waits_for_a_pipe.py'), function: 'wait', args: { pipe: newPipe() } };
    const options = { isolation: 'session', session: 'timeout' } as const;
    const error = await failureOf(engine().call(hang, { ...options, limits: { timeoutMs: 200 } }));
    expect(error.code).toBe('TIMEOUT');
    const pipe = newPipe();
    const [{ value }] = await Promise.all([engine().call({ ...hang, args: { pipe } }, options), writeFile(pipe, 'go')]);
    expect(value).toMatchObject({ read: 'go', calls: 1 });
    await engine().endSession('timeout');
  });

  it('keeps its process after an exception and after a limit that the script met itself', async () => {
    const options = { isolation: 'session', session: 'exception' } as const;
    const grow = (name: string, args = {}) =>
      engine().call({ script: fixture('grows_in_memory.py'), function: name, args }, options);
    const limits = { memoryBytes: 64 * 1024 * 1024 };
    const take = { script: fixture('grows_in_memory.py'), function: 'take', args: { megabytes: 100 } };
    expect((await failureOf(engine().call(take, { ...options, limits }))).code).toBe('MEMORY_LIMIT');
    expect((await grow('take', { megabytes: 100 })).value).toBe(100 << 20);
    expect((await failureOf(engine().call(take, { ...options, limits }))).code).toBe('MEMORY_LIMIT');
    await engine().endSession('exception');
  });

  it('that dies between two calls gets a new process', async () => {
    const call = (name: string) =>
      engine().call(
        { script: fixture('dies_between_calls.py'), function: name },
        { isolation: 'session', session: 'dies' },
      );
    const before = Number((await call('die_soon')).value);
    await until(
      () =>
        !isAlive(before) &&
        engine()
          .status()
          .scripts.every(({ busy }) => busy === 0),
    );
    expect((await call('answer')).value).not.toBe(before);
    await engine().endSession('dies');
  });

  it('that ends during a call ends the call as CLOSED', async () => {
    const collected = collectEvents();
    const options = { isolation: 'session', session: 'ends', onEvent: collected.onEvent } as const;
    const hang = { script: fixture('prints_then_hangs.py'), function: 'hang' };
    const running = failureOf(engine().call(hang, options));
    const waiting = failureOf(engine().call(hang, options));
    await collected.next(isLine('started'));
    await engine().endSession('ends');
    expect((await running).code).toBe('CLOSED');
    expect((await waiting).code).toBe('CLOSED');
  });

  it('lets a waiting call be cancelled while another runs', async () => {
    const collected = collectEvents();
    const options = { isolation: 'session', session: 'cancel' } as const;
    const controller = new AbortController();
    const pipe = newPipe();
    const call = { script: fixture('waits_for_a_pipe.py'), function: 'wait', args: { pipe } };
    const running = engine().call(call, { ...options, onEvent: collected.onEvent });
    await collected.next(isLine('waiting'));
    const waiting = failureOf(engine().call(call, { ...options, signal: controller.signal }));
    controller.abort();
    expect((await waiting).code).toBe('CANCELLED');
    await writeFile(pipe, 'go');
    expect((await running).value).toMatchObject({ read: 'go', calls: 1 });
    await engine().endSession('cancel');
  });
});

describeLaunchers('sessions', (makeEngine) => {
  it('as the setting of an engine leave whole scripts their own processes', async () => {
    const engine = makeEngine({ isolation: 'session' });
    await engine.warm();
    expect((await engine.run({ source: 'result(1)' })).figures.isolation).toBe('call');
  });

  it('beyond the set number end, the least recently used one first', async () => {
    const engine = makeEngine({ maxSessions: 2 });
    const ann = await count(engine, 'ann');
    const bob = await count(engine, 'bob');
    await count(engine, 'ann');
    await count(engine, 'cid');
    await until(() => !isAlive(bob.pid));
    expect(await count(engine, 'ann')).toEqual({ count: 3, pid: ann.pid });
  });

  it('beyond the set number are all served while each has a call under way', async () => {
    const engine = makeEngine({ maxSessions: 1, idleChildren: 2 });
    const names = ['ann', 'bob', 'cid'];
    expect((await Promise.all(names.map((name) => count(engine, name)))).map((counted) => counted.count)).toEqual([
      1, 1, 1,
    ]);
    const { pid } = await count(engine, 'last');
    await until(() => engine.status().scripts.every(({ busy }) => busy === 1));
    expect(await count(engine, 'last')).toEqual({ count: 2, pid });
  });

  it('end when they are idle for the set time', async () => {
    const engine = makeEngine({ sessionIdleMs: 50 });
    const { pid } = await count(engine, 'idle');
    await until(() => !isAlive(pid));
    expect((await count(engine, 'idle')).count).toBe(1);
  });

  it('do not wait for an import that hangs when the engine closes', async () => {
    const engine = makeEngine();
    const call = { script: fixture('hangs_at_import.py'), function: 'never' };
    const failed = failureOf(engine.call(call, { isolation: 'session', session: 'import' }));
    await until(() => engine.status().scripts.length === 1);
    await engine.close();
    expect((await failed).code).toBe('CLOSED');
  });

  it('refuse a call when too many wait for their turn', async () => {
    const engine = makeEngine({ queueLength: 1 });
    const collected = collectEvents();
    const options = { isolation: 'session', session: 'full', onEvent: collected.onEvent } as const;
    const hang = { script: fixture('prints_then_hangs.py'), function: 'hang' };
    const running = failureOf(engine.call(hang, options));
    await collected.next(isLine('started'));
    const waiting = failureOf(engine.call(hang, options));
    expect((await failureOf(engine.call(hang, options))).code).toBe('QUEUE_FULL');
    await engine.close();
    expect([(await running).code, (await waiting).code]).toEqual(['CLOSED', 'CLOSED']);
  });
});
