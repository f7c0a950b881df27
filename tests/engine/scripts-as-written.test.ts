import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, expect, it, vi } from 'vitest';
import type { JsonObject, JsonValue } from '../../src/toolbox.js';
import { describeLaunchers, describeWithEngine, failureOf, fixture, folderWith } from './harness.js';

describeWithEngine('A script as people write it', { idleChildren: 1 }, (engine, launcher) => {
  const call = (script: string, name: string, args: JsonObject = {}) =>
    engine().call({ script: fixture(script), function: name, args });
  const valueFrom = async (script: string, name: string, args?: JsonObject): Promise<JsonValue> =>
    (await call(script, name, args)).value;

  it('logs as it configured logging at import', async () => {
    const { value, stderr } = await call('logs_as_configured.py', 'order', { item: 'ink' });
    expect([value, stderr]).toEqual([20, 'INFO shop: ordered ink\n']);
  });

  it('may print at import, and that is no part of a call', async () => {
    for (const attempt of [1, 2, 3]) {
      const { stdout, stderr } = await call('prints_at_import.py', 'speak');
      expect([stdout, stderr], `attempt ${attempt}`).toEqual(['in the call\n', '']);
    }
  });

  it('may wrap its standard streams', async () => {
    const { stdout, stderr } = await call('wraps_stdout.py', 'speak');
    expect([stdout, stderr]).toEqual(['wrapped ä\n', 'detached ä\n']);
  });

  it('handles signals as it said at import', async () => {
    expect(await valueFrom('handles_signals.py', 'handle')).toEqual([true, true]);
    expect(await valueFrom('handles_signals.py', 'wait_for_a_child')).toBe(0);
  });

  it('may patch whatever it likes', async () => {
    expect(await valueFrom('patches_everything.py', 'patched')).toBe('patched');
    const raised = await failureOf(call('patches_everything.py', 'raising'));
    expect(raised).toMatchObject({ code: 'EXCEPTION', message: 'still reported', details: { type: 'ValueError' } });
    const exited = await failureOf(call('patches_everything.py', 'exiting'));
    expect(exited).toMatchObject({ code: 'PROCESS_FAILED', details: { exitCode: 1 } });
    expect(await valueFrom('patches_everything.py', 'patched')).toBe('patched');
  });

  it('draws other random numbers in each call, unless it has a seed', async () => {
    const [first, second] = (await Promise.all([
      valueFrom('draws_at_random.py', 'draw'),
      valueFrom('draws_at_random.py', 'draw'),
    ])) as [Record<string, number>, Record<string, number>];
    const same = Object.keys(first).filter((name) => first[name] === second[name]);
    expect(same).toEqual(['seeded']);
  });

  it('draws the same numbers in each call after a seed at import', async () => {
    const numbers = (await valueFrom('seeds_at_import.py', 'draw')) as number[];
    expect(await valueFrom('seeds_at_import.py', 'draw')).toEqual(numbers);
    expect(numbers.slice(0, 2)).toEqual([0.6394267984578837, 0.025010755222666936]);
  });

  it('finds its own variables fresh in each call', async () => {
    expect(await valueFrom('keeps_a_cache.py', 'remember', { key: 'a' })).toEqual(['a']);
    expect(await valueFrom('keeps_a_cache.py', 'remember', { key: 'b' })).toEqual(['b']);
  });

  it('keeps the settings of the interpreter that it made at import', async () => {
    expect(await valueFrom('keeps_a_cache.py', 'settings')).toEqual([3000, false, [123, 4, 5]]);
  });

  it('changes its surroundings for itself alone', async () => {
    const own = [['CHANGED_AT_IMPORT'], 0o077, false, ['/changed/at/import']];
    expect(await valueFrom('changes_its_surroundings.py', 'look')).toEqual(own);
    expect(await valueFrom('changes_its_surroundings.py', 'look')).toEqual(own);
    const source = `${readFileSync(fixture('changes_its_surroundings.py'), 'utf8').split('def look')[0]}`;
    await engine().run({ source });
    const others = await engine().run({
      source: 'import os\nresult([os.environ.get("CHANGED_AT_IMPORT"), os.umask(0)])',
    });
    expect(others.value).toEqual([null, process.umask()]);
  });

  it('sees the end of its input, and says so', async () => {
    const error = await failureOf(call('asks_for_input.py', 'ask'));
    expect(error).toMatchObject({ code: 'EXCEPTION', message: 'EOF when reading a line' });
    expect(error.details).toMatchObject({
      type: 'EOFError',
      stdout: 'your name? ',
      text: 'return input("your name? ")',
    });
    expect(await valueFrom('asks_for_input.py', 'read_all')).toBe('');
  });

  it.each([
    ['fork_and_exit', 0, 'child\n', ''],
    ['fork_and_raise', 1, '', 'ValueError: in the child'],
    ['fork_and_return', 'from the parent', '', ''],
  ])('may fork by itself: %s', async (name, expected, stdout, stderr) => {
    const run = await call('forks_by_itself.py', name);
    expect(run.value).toBe(expected);
    expect(run.stdout).toBe(stdout);
    expect(run.stderr).toContain(stderr);
  });

  it('finishes after its answer what plain Python would finish', async () => {
    const folder = folderWith({});
    expect(await valueFrom('leaves_work_behind.py', 'leave', { folder })).toBe('answered');
    const all = ['executor.txt', 'handler.txt', 'thread.txt', 'unflushed.txt'];
    await vi.waitFor(() => expect(readdirSync(folder).sort()).toEqual(all), { timeout: 10_000, interval: 10 });
    await vi.waitFor(() => expect(readFileSync(join(folder, 'unflushed.txt'), 'utf8')).toBe('unflushed'));
  });

  it('may set an alarm and block signals at import', async () => {
    const first = (await valueFrom('sets_an_alarm_at_import.py', 'now')) as number;
    await vi.waitUntil(() => Date.now() / 1000 > first + 0.1);
    expect(await valueFrom('sets_an_alarm_at_import.py', 'now')).toBeGreaterThan(first);
  });

  it(`runs by ${launcher} and says so`, async () => {
    expect((await call('seeds_at_import.py', 'draw')).figures).toMatchObject({ launcher });
  });
});

describeLaunchers('What a script does when it is imported', (makeEngine, launcher) => {
  afterEach(() => {
    vi.unstubAllEnvs();
  });

  it('registers exit handlers that run when the process that imported it ends', async () => {
    const path = join(folderWith({}), 'registered.txt');
    vi.stubEnv('REGISTERED_PATH', path);
    const engine = makeEngine({ idleChildren: 1 });
    const work = { script: fixture('registers_at_import.py'), function: 'call' };
    const pids = [await pidOfCall(), await pidOfCall()].sort();
    await vi.waitFor(() => expect(noted('call')).toEqual(pids), { timeout: 10_000, interval: 10 });
    expect(noted('import').every((pid) => launcher === 'warm' && pids.includes(pid))).toBe(true);
    await engine.close();
    expect(noted('call')).toEqual(pids);
    if (launcher === 'fork') expect(noted('import')).toHaveLength(1);

    async function pidOfCall(): Promise<number> {
      return (await engine.call(work)).value as number;
    }

    function noted(text: string): number[] {
      const lines = existsSync(path) ? readFileSync(path, 'utf8').trim().split('\n') : [];
      const pids = lines.filter((line) => line.startsWith(text)).map((line) => Number(line.split(' ')[1]));
      return pids.sort();
    }
  });

  it('does not yet include what its functions import from beside it', async () => {
    const path = join(folderWith({ 'acted.txt': '' }), 'acted.txt');
    vi.stubEnv('ACTED_PATH', path);
    const engine = makeEngine({ idleChildren: 1 });
    const script = fixture('acts_when_imported/imports_in_its_function.py');
    await engine.warm(script);
    expect(readFileSync(path, 'utf8')).toBe('');
    expect((await engine.call({ script, function: 'call' })).value).toBe('calendar');
    expect(readFileSync(path, 'utf8')).toBe('acted\n');
    expect((await engine.call({ script, function: 'quiet' })).stdout).toContain('The Zen of Python');
  });

  it('is done anew when a file that it read has changed', async () => {
    const folder = folderWith({
      'reads.py':
        'from pathlib import Path\nimport beside\ndata = Path(__file__).with_name("data.txt").read_text()\ndef f():\n    return [data, beside.word]\n',
      'beside.py': 'word = "one"\n',
      'data.txt': 'first',
    });
    const engine = makeEngine({ idleChildren: 1 });
    const work = { script: join(folder, 'reads.py'), function: 'f' };
    expect((await engine.call(work)).value).toEqual(['first', 'one']);
    writeFileSync(join(folder, 'data.txt'), 'second');
    expect((await engine.call(work)).value).toEqual(['second', 'one']);
    writeFileSync(join(folder, 'beside.py'), 'word = "another"\n');
    expect((await engine.call(work)).value).toEqual(['second', 'another']);
  });
});
