import { expect, it } from 'vitest';
import {
  createScriptToolbox,
  type ScriptToolbox,
  type ScriptToolboxOptions,
} from '../../../src/engine/toolbox/toolbox.js';
import type { Engine } from '../../../src/engine/work.js';
import type { ServiceToolbox } from '../../../src/gateway/service.js';
import type { CallEvent } from '../../../src/toolbox.js';
import { collectEvents, describeLaunchers, failureOf, processesLeft } from '../harness.js';
import { until } from '../processes.js';
import { commandTool, functionTool, manifestOf } from './manifests.js';

const tell = functionTool('tells_its_process.py', 'tell');
const add = functionTool('counts_in_globals.py', 'add');
const crash = functionTool('counts_in_globals.py', 'crash');
const hang = functionTool('prints_then_hangs.py', 'hang');
const fails = functionTool('says_what_it_returns.py', 'fails');
const command = commandTool('has_a_command_line.py', 'has_a_command_line', { word: { type: 'string' } }, [
  { name: 'word', kind: 'positional' },
]);
const tools = [tell, add, crash, hang, fails, command];
const isStarted = (event: CallEvent) => event.type === 'output' && event.line === 'started';

describeLaunchers('A toolbox of scripts as a service', (makeEngine, launcher) => {
  const make = (engine: Engine, options: Partial<ScriptToolboxOptions> = {}): ScriptToolbox =>
    createScriptToolbox({ manifest: manifestOf(tools), engine: async () => engine, ownsEngine: false, ...options });
  const newEngine = () => makeEngine({ idleChildren: 1 });
  const told = async (toolbox: ScriptToolbox) =>
    (await toolbox.run('tell', {})).value as { pid: number; parent: number };

  function startHanging(toolbox: ScriptToolbox) {
    const { onEvent, next } = collectEvents();
    return { outcome: failureOf(toolbox.run('hang', {}, { onEvent })), started: next(isStarted) };
  }

  it('is what a gateway opens', () => {
    const service: ServiceToolbox = make(newEngine());
    expect(service.status()).toEqual({ idle: 0, busy: 0, starts: 0, crashes: 0 });
  });

  it('shares an engine and no process, and leaves what is not its own when it is closed', async () => {
    const engine = newEngine();
    const [first, second] = [make(engine), make(engine)];
    await Promise.all([first.call('tell', {}), second.call('tell', {})]);
    await first.call('has_a_command_line', { word: 'x' });
    const kept = startHanging(second);
    const ended = startHanging(first);
    await Promise.all([kept.started, ended.started]);
    await first.close();
    expect((await ended.outcome).code).toBe('CLOSED');
    expect(first.status()).toMatchObject({ idle: 0, busy: 0, crashes: 0 });
    expect((await failureOf(first.call('tell', {}))).code).toBe('CLOSED');
    expect(second.status()).toMatchObject({ busy: 1, crashes: 0 });
    expect((await second.call('tell', {})).isError).toBeUndefined();
    await second.close();
    expect((await kept.outcome).code).toBe('CLOSED');
    expect(engine.status().scripts).toEqual([]);
    expect((await engine.run({ source: 'result(1)' })).value).toBe(1);
  });

  it('that is restarted ends calls under way and sessions as UNAVAILABLE, and serves the next', async () => {
    const toolbox = make(newEngine(), { isolation: 'session' });
    const counted = async () => (await toolbox.run('add', {}, { session: 'ann' })).value;
    const before = (await counted()) as { pid: number };
    const { outcome, started } = startHanging(toolbox);
    await started;
    await toolbox.restart();
    expect(await outcome).toMatchObject({ code: 'UNAVAILABLE', details: { stdout: 'started\n' } });
    expect(await counted()).toMatchObject({ count: 1 });
    expect(await counted()).toMatchObject({ count: 2 });
    expect(((await counted()) as { pid: number }).pid).not.toBe(before.pid);
    expect(toolbox.status().crashes).toBe(0);
  });

  it('that is restarted while calls wait for an import serves them afterwards', async () => {
    const engine = newEngine();
    const toolbox = make(engine, { manifest: manifestOf([tell, functionTool('hangs_at_import.py', 'never')]) });
    const hanging = failureOf(toolbox.run('never', {}));
    await until(() => engine.status().waiting === 1);
    await toolbox.restart();
    expect((await hanging).code).toBe('UNAVAILABLE');
    expect((await toolbox.call('tell', {})).isError).toBeUndefined();
  });

  it('that is recycled imports its scripts anew, and calls under way finish on what they began with', async () => {
    const toolbox = make(newEngine());
    const before = await told(toolbox);
    const controller = new AbortController();
    const { onEvent, next } = collectEvents();
    const running = failureOf(toolbox.run('hang', {}, { onEvent, signal: controller.signal }));
    await next(isStarted);
    await toolbox.recycle();
    expect(toolbox.status()).toMatchObject({ busy: 1 });
    const after = await told(toolbox);
    if (launcher === 'fork') expect(after.parent).not.toBe(before.parent);
    controller.abort();
    expect((await running).code).toBe('CANCELLED');
  });

  it('that was never asked for anything can be recycled, restarted and closed', async () => {
    const toolbox = make(newEngine());
    await toolbox.recycle();
    await toolbox.restart();
    await toolbox.endSession('nobody');
    await toolbox.close();
    expect(processesLeft()).toEqual([]);
  });

  it('ends what it kept for a session, and not what another toolbox kept under the same name', async () => {
    const engine = newEngine();
    const [first, second] = [make(engine, { isolation: 'session' }), make(engine, { isolation: 'session' })];
    const count = async (toolbox: ScriptToolbox) => (await toolbox.run('add', {}, { session: 'ann' })).value;
    await Promise.all([count(first), count(second)]);
    await first.endSession('ann');
    expect(await count(first)).toMatchObject({ count: 1 });
    expect(await count(second)).toMatchObject({ count: 2 });
  });

  it('counts processes that end by themselves, and none that were ended', async () => {
    const toolbox = make(newEngine());
    expect((await toolbox.call('crash', {})).code).toBe('PROCESS_FAILED');
    await toolbox.call('tell', {});
    await toolbox.call('hang', {}, { timeoutMs: 50 });
    await until(() => toolbox.status().busy === 0);
    expect(toolbox.status()).toMatchObject({ crashes: 1 });
    expect(toolbox.status().starts).toBeGreaterThanOrEqual(3);
    await toolbox.restart();
    // One more may have come to be ready while it was restarted.
    const { starts, ...others } = toolbox.status();
    expect(others).toEqual({ idle: 0, busy: 0, crashes: 1 });
    await toolbox.call('crash', {});
    expect(toolbox.status().crashes).toBe(2);
    expect(toolbox.status().starts).toBeGreaterThan(starts);
  });

  it('says of a failure which it is', async () => {
    const { isError, code } = await make(newEngine()).call('fails', {});
    expect([isError, code]).toEqual([true, 'EXCEPTION']);
  });

  it('lowers the time of a call, and takes what is beyond the limit for the limit', async () => {
    const engine = makeEngine({ idleChildren: 1, timeoutMs: 300 });
    const toolbox = make(engine);
    expect(await failureOf(toolbox.run('hang', {}, { timeoutMs: 20 }))).toMatchObject({ details: { limit: 20 } });
    expect(await failureOf(toolbox.run('hang', {}, { timeoutMs: 9e6 }))).toMatchObject({ details: { limit: 300 } });
    const lowered = make(engine, { limits: { timeoutMs: 30 } });
    expect(await failureOf(lowered.run('hang', {}, { timeoutMs: 9e6 }))).toMatchObject({ details: { limit: 30 } });
    expect(await failureOf(lowered.run('hang', {}))).toMatchObject({ details: { limit: 30 } });
  });

  it('passes the priority of a call on', async () => {
    const engine = makeEngine({ idleChildren: 1, concurrency: 1 });
    const toolbox = make(engine);
    await toolbox.call('tell', {});
    const controller = new AbortController();
    const { onEvent, next } = collectEvents();
    const blocker = failureOf(toolbox.run('hang', {}, { onEvent, signal: controller.signal }));
    await next(isStarted);
    const order: string[] = [];
    const call = async (name: string, priority: number) => {
      await toolbox.call('tell', {}, { priority });
      order.push(name);
    };
    const calls = [call('later', -1), call('sooner', 1)];
    await until(() => engine.status().waiting === 2);
    controller.abort();
    await Promise.all([blocker, ...calls]);
    expect(order).toEqual(['sooner', 'later']);
  });

  it('tells when its tools were replaced, for as long as somebody listens', async () => {
    const toolbox = make(newEngine());
    let changes = 0;
    const stop = toolbox.onToolsChanged(() => {
      changes += 1;
    });
    toolbox.replace(manifestOf([tell]));
    stop();
    toolbox.replace(manifestOf([add]));
    expect(changes).toBe(1);
  });

  it('proves by a call through a process of the script that it works, without a call of the script', async () => {
    const engine = newEngine();
    const toolbox = make(engine, { manifest: manifestOf([add]) });
    await toolbox.probe();
    expect(engine.status().scripts.map(({ script, calls }) => [script.split('/').at(-1), calls])).toEqual([
      ['counts_in_globals.py', 1],
    ]);
    await engine.close();
    expect((await failureOf(toolbox.probe())).code).toBe('CLOSED');
  });
});
