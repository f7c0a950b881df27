import { randomUUID } from 'node:crypto';
import { expect, it } from 'vitest';
import type { RunOptions, RunResult } from '../../src/engine/work.js';
import type { ExecutionError } from '../../src/errors.js';
import type { CallEvent, JsonObject } from '../../src/toolbox.js';
import { collectEvents, describeLaunchers, describeWithEngine, failureOf, fixture } from './harness.js';
import { isAlive, tellProcess, until } from './processes.js';

const isLine = (line: string) => (event: CallEvent) => event.type === 'output' && event.line === line;
const isPids = (event: CallEvent) => event.type === 'output' && event.line.startsWith('left ');

function pidsIn(stdout = ''): number[] {
  const pids = /^left ([\d ]+)$/m.exec(stdout)?.[1]?.split(' ').map(Number) ?? [];
  expect(pids.length).toBeGreaterThan(0);
  return pids;
}

const leavers = [
  'leaves_a_subprocess.py',
  'leaves_a_daemon.py',
  'leaves_a_pipeline.py',
  'leaves_a_process_on_stdout.py',
  'leaves_a_process_pool.py',
];

describeWithEngine('processes that a call leaves', { idleChildren: 1 }, (engine) => {
  const leave = (script: string, args: JsonObject, options?: RunOptions) =>
    engine().call({ script: fixture(script), function: 'leave', args }, options);

  it.each(leavers)('are gone after the result: %s', async (script) => {
    const { stdout } = await leave(script, {});
    await until(() => !pidsIn(stdout).some(isAlive));
  });

  it.each(leavers)('are gone when a cancel is reported: %s', async (script) => {
    const collected = collectEvents();
    const controller = new AbortController();
    const failed = failureOf(leave(script, { hang: true }, { signal: controller.signal, onEvent: collected.onEvent }));
    await collected.next(isPids);
    controller.abort();
    const error = await failed;
    expect(error.code).toBe('CANCELLED');
    expect(pidsIn(error.details.stdout).filter(isAlive)).toEqual([]);
  });

  it('are gone when a timeout is reported', async () => {
    const leaving = leavers.map((script) => failureOf(leave(script, { hang: true }, { limits: { timeoutMs: 1500 } })));
    for (const error of await Promise.all(leaving)) {
      expect(error.code).toBe('TIMEOUT');
      expect(pidsIn(error.details.stdout).filter(isAlive)).toEqual([]);
    }
  });
});

describeWithEngine('an ending', { idleChildren: 1 }, (engine, launcher) => {
  const hang = (options: RunOptions) =>
    engine().call({ script: fixture('prints_then_hangs.py'), function: 'hang' }, options);

  it('by timeout names the limit, the time and what was written', async () => {
    const error = await failureOf(hang({ limits: { timeoutMs: 300 } }));
    expect(error.code).toBe('TIMEOUT');
    expect(error.fault).toBe('limit');
    expect(error.details).toMatchObject({ limit: 300, stdout: 'started\n' });
    expect(error.details.elapsedMs).toBeGreaterThanOrEqual(299);
    expect(error.details.figures).toMatchObject({ isolation: 'call', launcher });
  });

  it('by cancel carries the reason of the caller and the output so far', async () => {
    const collected = collectEvents();
    const controller = new AbortController();
    const failed = failureOf(hang({ signal: controller.signal, onEvent: collected.onEvent }));
    await collected.next(isLine('started'));
    const reason = new Error('enough');
    controller.abort(reason);
    const error = await failed;
    expect(error.code).toBe('CANCELLED');
    expect(error.cause).toBe(reason);
    expect(error.details.stdout).toBe('started\n');
  });

  it('by a cancel before the start runs nothing', async () => {
    const calls = () =>
      engine()
        .status()
        .scripts.reduce((sum, script) => sum + script.calls, 0);
    const before = calls();
    expect((await failureOf(hang({ signal: AbortSignal.abort() }))).code).toBe('CANCELLED');
    expect(calls()).toBe(before);
  });

  it('by a cancel in the same turn is a cancel', async () => {
    const controller = new AbortController();
    const failed = failureOf(hang({ signal: controller.signal }));
    controller.abort();
    expect((await failed).code).toBe('CANCELLED');
  });

  it('is not brought about by a cancel after the answer', async () => {
    const controller = new AbortController();
    const call = { script: fixture('tells_its_process.py'), function: 'tell' };
    const { value } = await engine().call(call, { signal: controller.signal });
    controller.abort();
    expect(value).toMatchObject({ calls: 1 });
  });

  it('of a stopped process by timeout is the same as of a running one', async () => {
    const collected = collectEvents();
    const failed = failureOf(
      engine().call(
        { script: fixture('stops_itself.py'), function: 'stop' },
        { limits: { timeoutMs: 500 }, onEvent: collected.onEvent },
      ),
    );
    const error = await failed;
    expect(error.code).toBe('TIMEOUT');
    expect(pidsIn(error.details.stdout).filter(isAlive)).toEqual([]);
  });

  it.each([
    ['sys.exit(0) is a result without a value', 'leave', { code: 0 }, null],
    ['sys.exit(3) names the exit code', 'leave', { code: 3 }, { exitCode: 3 }],
    ['os._exit(0) without an answer is a failure', 'leave_at_once', { code: 0 }, { exitCode: 0 }],
    ['os._exit(3) names the exit code and keeps the output', 'leave_at_once', { code: 3 }, { exitCode: 3 }],
  ] as const)('by %s', async (_, name, args, details) => {
    const call = engine().call({ script: fixture('exits.py'), function: name, args });
    if (details === null) return expect((await call).value).toBeNull();
    const error = await failureOf(call);
    expect(error.code).toBe('PROCESS_FAILED');
    expect(error.details).toMatchObject(details);
    if (name === 'leave_at_once') expect(error.details.stdout).toBe('before the end\n');
  });

  it('by sys.exit with words is a failure with the words on stderr', async () => {
    const error = await failureOf(engine().call({ script: fixture('exits.py'), function: 'leave_with_words' }));
    expect(error).toMatchObject({ code: 'PROCESS_FAILED', details: { exitCode: 1, stderr: 'the words\n' } });
  });

  it('of a whole script has its exit code', async () => {
    const run = (source: string) => engine().run({ source });
    expect(await run('import sys; sys.exit(0)')).toMatchObject({ exitCode: 0, value: null });
    expect(await run('import os; os._exit(0)')).toMatchObject({ exitCode: 0, value: null });
    expect(await failureOf(run('import sys; sys.exit(3)'))).toMatchObject({
      code: 'PROCESS_FAILED',
      details: { exitCode: 3 },
    });
    expect(await failureOf(run('import os; os._exit(3)'))).toMatchObject({
      code: 'PROCESS_FAILED',
      details: { exitCode: 3 },
    });
  });

  it.each([
    ['an abort', 'aborts.py', 'abort', {}, 'SIGABRT'],
    ['a segmentation fault', 'segfaults.py', 'fault', {}, 'SIGSEGV'],
    ['SIGKILL', 'kills_itself.py', 'kill', { signal: 9 }, 'SIGKILL'],
    ['SIGTERM', 'kills_itself.py', 'kill', { signal: 15 }, 'SIGTERM'],
    ['a signal without a name', 'kills_itself.py', 'kill', { signal: 40 }, 'signal 40'],
  ] as const)('by %s names the signal', async (_, script, name, args, signal) => {
    const error = await failureOf(engine().call({ script: fixture(script), function: name, args }));
    expect(error.code).toBe('PROCESS_FAILED');
    expect(error.details.signal).toMatch(signal);
    expect((await tellProcess(engine())).calls).toBe(1);
  });

  it('by a hanging exit handler comes with the answer, and the process goes at its deadline', async () => {
    const call = { script: fixture('hangs_at_exit.py'), function: 'leave' };
    const { value } = await engine().call(call, { limits: { timeoutMs: 500 } });
    expect(value).toBe(7);
    await until(() => engine().status().running === 0);
  });
});

describeLaunchers('a cancel', (makeEngine) => {
  it('while queued takes the call out of the queue', async () => {
    const engine = makeEngine({ concurrency: 1 });
    const collected = collectEvents();
    const first = new AbortController();
    const second = new AbortController();
    const call = { script: fixture('prints_then_hangs.py'), function: 'hang' };
    const running = failureOf(engine.call(call, { signal: first.signal, onEvent: collected.onEvent }));
    await collected.next(isLine('started'));
    const waiting = failureOf(engine.call(call, { signal: second.signal }));
    expect(engine.status()).toMatchObject({ running: 1, waiting: 1 });
    second.abort();
    expect((await waiting).code).toBe('CANCELLED');
    expect(engine.status()).toMatchObject({ running: 1, waiting: 0 });
    first.abort();
    await running;
  });

  it('while the script is imported does not wait for the import', async () => {
    const engine = makeEngine();
    const controller = new AbortController();
    const failed = failureOf(
      engine.call({ script: fixture('hangs_at_import.py'), function: 'never' }, { signal: controller.signal }),
    );
    await until(() => engine.status().scripts.length === 1);
    controller.abort();
    expect((await failed).code).toBe('CANCELLED');
    expect(engine.status().running).toBe(0);
  });

  it('before the interpreter is known does not wait for the import', async () => {
    const engine = makeEngine();
    const controller = new AbortController();
    const failed = failureOf(
      engine.call({ script: fixture('hangs_at_import.py'), function: 'never' }, { signal: controller.signal }),
    );
    controller.abort();
    expect((await failed).code).toBe('CANCELLED');
  });
});

describeLaunchers('of everything that can end a call', (makeEngine) => {
  it('the first wins, and each call gets exactly its own outcome', async () => {
    const engine = makeEngine();
    const outcome = (call: Promise<RunResult>) =>
      call.then(
        ({ value }) => value,
        (error: ExecutionError) => error.code,
      );
    const say = (script: string, name: string, args: JsonObject = {}, options?: RunOptions) =>
      outcome(engine.call({ script: fixture(script), function: name, args }, options));
    const word = randomUUID();
    const outcomes = await Promise.all([
      say('exits.py', 'leave', { code: 0 }),
      say('exits.py', 'leave_at_once', { code: 3 }),
      say('prints_then_hangs.py', 'hang', {}, { limits: { timeoutMs: 400 } }),
      say('prints_then_hangs.py', 'hang', {}, { signal: AbortSignal.timeout(300) }),
      say('floods.py', 'flood', { stream: 'stdout' }, { limits: { maxOutputBytes: 1_000_000 } }),
      say('segfaults.py', 'fault'),
      say('floods.py', 'write_lines', { count: 1000 }),
      outcome(engine.run({ source: `result(${JSON.stringify(word)})` })),
    ]);
    expect(outcomes).toEqual([
      null,
      'PROCESS_FAILED',
      'TIMEOUT',
      'CANCELLED',
      'OUTPUT_LIMIT',
      'PROCESS_FAILED',
      1000,
      word,
    ]);
  });
});
