import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { beforeAll, describe, expect, it } from 'vitest';
import type { Engine } from '../../src/engine/work.js';
import type { CallEvent } from '../../src/toolbox.js';
import {
  collectEvents,
  describeLaunchers,
  describeWithEngine,
  failureOf,
  fixture,
  folderWith,
  launchers,
  processesLeft,
} from './harness.js';
import { outcomeOf, until } from './processes.js';

const isStarted = (event: CallEvent) => event.type === 'output' && event.line === 'started';
const hang = { script: fixture('prints_then_hangs.py'), function: 'hang' };
const say = { script: fixture('says_a_word.py'), function: 'say', args: { word: 'word' } };

function startHanging(engine: Engine, session?: string) {
  const { onEvent, next } = collectEvents();
  const options = session === undefined ? { onEvent } : ({ onEvent, isolation: 'session', session } as const);
  const outcome = failureOf(engine.call(hang, options)).then(({ code }) => code);
  return { outcome, started: next(isStarted) };
}

describeLaunchers('close', (makeEngine) => {
  it('ends every call that runs, waits or imports as CLOSED, and leaves no process', async () => {
    const engine = makeEngine({ concurrency: 2 });
    const running = [startHanging(engine), startHanging(engine, 'a session')];
    const importing = outcomeOf(engine.call({ script: fixture('hangs_at_import.py'), function: 'never' }));
    await Promise.all(running.map(({ started }) => started));
    const waiting = [engine.call(say), engine.run({ source: 'pass' })].map(outcomeOf);
    expect(engine.status()).toMatchObject({ running: 2, waiting: 3 });
    await engine.close();
    expect(processesLeft()).toEqual([]);
    const outcomes = await Promise.all([...running.map(({ outcome }) => outcome), importing, ...waiting]);
    expect(outcomes).toEqual(['CLOSED', 'CLOSED', 'CLOSED', 'CLOSED', 'CLOSED']);
  });

  it('may be called again, and during a close', async () => {
    const engine = makeEngine();
    await engine.call(say);
    await Promise.all([engine.close(), engine.close()]);
    await engine.close();
    expect(processesLeft()).toEqual([]);
  });

  it('of an engine that never ran anything is at once', async () => {
    await makeEngine().close();
  });

  it('right after a call was asked for ends it as CLOSED', async () => {
    const engine = makeEngine();
    const outcome = failureOf(engine.call(say));
    await engine.close();
    expect((await outcome).code).toBe('CLOSED');
  });

  it('is the end: calls, runs and warming after it fail as CLOSED', async () => {
    const engine = makeEngine();
    await engine.close();
    const late = [
      engine.call(say),
      engine.run({ source: 'pass' }),
      engine.call(say, { isolation: 'shared' }),
      engine.call(say, { isolation: 'session', session: 'late' }),
      engine.warm(say.script),
    ];
    const errors = await Promise.all(late.map(failureOf));
    expect(errors.map(({ code }) => code)).toEqual(late.map(() => 'CLOSED'));
    await engine.endSession('late');
  });

  it('leaves nothing in the temporary folder', async () => {
    const folder = folderWith({});
    const before = process.env.TMPDIR;
    process.env.TMPDIR = folder;
    const engine = makeEngine();
    try {
      await Promise.all([engine.call(say), engine.run({ source: 'print(1)' })]);
      await startHanging(engine, 'a session').started;
    } finally {
      if (before === undefined) delete process.env.TMPDIR;
      else process.env.TMPDIR = before;
    }
    await engine.close();
    expect(readdirSync(folder)).toEqual([]);
  });
});

describeWithEngine('300 calls of every kind', { idleChildren: 1 }, (engine, launcher) => {
  it('leave as many descriptors open as there were before', async () => {
    const kinds = [
      () => engine().call(say),
      () => engine().call(say, { isolation: 'shared' }),
      () => engine().run({ source: 'print(1)' }),
      () => engine().call({ script: fixture('exits.py'), function: 'leave_at_once', args: { code: 1 } }),
      () => engine().call({ script: fixture('closes_its_descriptors.py'), function: 'close' }),
      () => engine().call(hang, { limits: { timeoutMs: 20 } }),
      () => engine().call(hang, { signal: AbortSignal.timeout(10) }),
      () =>
        engine().call(
          { script: fixture('floods.py'), function: 'flood', args: { stream: 'stdout' } },
          { limits: { maxOutputBytes: 100_000 } },
        ),
      () => engine().call({ script: fixture('raises_at_import.py'), function: 'never' }),
    ];
    const runAll = (rounds: number) =>
      Promise.all(Array.from({ length: rounds }, () => kinds.map((kind) => outcomeOf(kind()))).flat());
    const settled = () => until(() => engine().status().running === 0);
    const open = () => readdirSync('/proc/self/fd').length;
    const rounds = launcher === 'fork' ? 16 : 2;
    await runAll(rounds);
    await settled();
    const before = open();
    await runAll(rounds);
    await settled();
    await until(() => open() <= before + 4 * 8);
  });
});

const root = join(dirname(fileURLToPath(import.meta.url)), '..', '..');
const library = join(root, 'node_modules', '.cache', 'mcp-execution', 'tests', 'engine.mjs');

describe.each(launchers)('a host (%s)', (launcher) => {
  beforeAll(() => {
    const entry = join(root, 'src', 'index.ts');
    const options = ['--bundle', '--platform=node', '--format=esm', '--packages=external', `--outfile=${library}`];
    execFileSync(join(root, 'node_modules', '.bin', 'esbuild'), [entry, ...options], { stdio: 'pipe' });
  });

  function startHost(name: string, ...scripts: string[]): ChildProcess {
    const args = [fixture(join('hosts', name)), library, launcher, ...scripts.map(fixture)];
    return spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
  }

  async function linesOf({ stdout }: ChildProcess, until?: string): Promise<string[]> {
    const lines: string[] = [];
    if (!stdout) return lines;
    for await (const line of createInterface(stdout)) {
      lines.push(line);
      if (line === until) break;
    }
    return lines;
  }

  it('that closes its engine ends by itself', async () => {
    const host = startHost('closes_its_engine.mjs', 'says_a_word.py');
    const exited = once(host, 'exit');
    expect(await linesOf(host)).toEqual(['done']);
    expect(await exited).toEqual([0, null]);
    expect(processesLeft()).toEqual([]);
  });

  it('that exits without closing its engine leaves no process', async () => {
    const host = startHost('exits_without_closing.mjs', 'says_a_word.py');
    expect(await linesOf(host)).toEqual(['done']);
    await until(() => processesLeft().length === 0);
  });

  it('that is killed leaves no process, whatever its scripts have started', async () => {
    const scripts = [
      'leaves_a_subprocess.py',
      'leaves_a_daemon.py',
      'leaves_a_pipeline.py',
      'leaves_a_process_on_stdout.py',
      'leaves_a_process_pool.py',
    ];
    const host = startHost('is_killed_while_calls_run.mjs', ...scripts, ...scripts);
    await linesOf(host, 'all hang');
    expect(processesLeft().length).toBeGreaterThan(scripts.length);
    host.kill('SIGKILL');
    await until(() => processesLeft().length === 0);
  });
});
