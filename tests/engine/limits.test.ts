import { expect, it } from 'vitest';
import type { Limits } from '../../src/config.js';
import type { JsonObject } from '../../src/toolbox.js';
import { describeLaunchers, describeWithEngine, failureOf, fixture } from './harness.js';
import { outcomeOf, tellProcess } from './processes.js';

const megabyte = 1024 * 1024;

describeWithEngine('a limit', { memoryBytes: 128 * megabyte, idleChildren: 2 }, (engine) => {
  const call = (script: string, name: string, args: JsonObject, limits?: Partial<Limits>) =>
    engine().call({ script: fixture(script), function: name, args }, { limits });

  it.each(['grow_bytes', 'grow_list'])('on memory ends %s as MEMORY_LIMIT, and the next call works', async (name) => {
    const error = await failureOf(call('grows_in_memory.py', name, {}));
    expect(error.code).toBe('MEMORY_LIMIT');
    expect(error.message).not.toBe('');
    expect(error.details.figures?.peakMemoryBytes).toBeGreaterThan(32 * megabyte);
    expect((await call('grows_in_memory.py', 'take', { megabytes: 8 })).value).toBe(8 * megabyte);
  });

  it('on memory leaves the host as it was', async () => {
    const before = process.memoryUsage().rss;
    await failureOf(call('grows_in_memory.py', 'grow_bytes', {}));
    expect(process.memoryUsage().rss - before).toBeLessThan(64 * megabyte);
  });

  it('on memory counts what the call adds, and holds for that call only', async () => {
    const take = (megabytes: number, memoryBytes?: number) =>
      outcomeOf(call('grows_in_memory.py', 'take', { megabytes }, memoryBytes ? { memoryBytes } : undefined));
    expect(await take(64)).toBe(64 * megabyte);
    expect(await take(64, 32 * megabyte)).toBe('MEMORY_LIMIT');
    expect(await take(64)).toBe(64 * megabyte);
  });

  it('on memory holds for a whole script too', async () => {
    const error = await failureOf(engine().run({ source: 'data = bytearray(1 << 30)' }));
    expect(error.code).toBe('MEMORY_LIMIT');
  });

  it('on processor time ends a busy loop as CPU_LIMIT', async () => {
    const error = await failureOf(call('burns_cpu.py', 'burn', {}, { cpuMs: 1000 }));
    expect(error).toMatchObject({ code: 'CPU_LIMIT', details: { limit: 1000 } });
    expect(error.details.figures?.cpuMs).toBeGreaterThan(500);
  });

  it('on processor time holds for a script that ignores its signal', async () => {
    const error = await failureOf(call('burns_cpu.py', 'burn_on', {}, { cpuMs: 1000 }));
    expect(error).toMatchObject({ code: 'CPU_LIMIT', details: { limit: 1000 } });
  });

  it('on memory holds for the result on its way out', async () => {
    const limits = { memoryBytes: 64 * megabyte };
    const error = await failureOf(call('grows_in_memory.py', 'return_text', { megabytes: 40 }, limits));
    expect(error).toMatchObject({ code: 'MEMORY_LIMIT', details: { stderr: '' } });
  });

  it('on output names the limit and keeps what was captured', async () => {
    const limits = { maxOutputBytes: 100_000, maxCapturedBytes: 1000 };
    const error = await failureOf(call('floods.py', 'flood', { stream: 'stdout' }, limits));
    expect(error).toMatchObject({ code: 'OUTPUT_LIMIT', details: { limit: 100_000 } });
    expect(error.details.stdout).toMatch(/^x{79}\n/);
    expect(error.details.stdout).toMatch(/\[… \d+ bytes cut …\]/);
  });

  it('on output counts what a script says beside its output', async () => {
    const error = await failureOf(
      engine().run({ source: 'while True: log("info", "x" * 1000)' }, { limits: { maxOutputBytes: 100_000 } }),
    );
    expect(error.code).toBe('OUTPUT_LIMIT');
  });

  it('on the result names the size, and the next call works', async () => {
    const limits = { maxResultBytes: 100_000 };
    const error = await failureOf(call('grows_in_memory.py', 'return_text', { megabytes: 1 }, limits));
    expect(error).toMatchObject({ code: 'RESULT_LIMIT', details: { limit: 100_000 } });
    expect(error.message).toContain('1048');
    expect((await call('grows_in_memory.py', 'return_text', { megabytes: 1 })).value).toHaveLength(megabyte);
  });

  it('on open files is met by the script as by any program', async () => {
    const limits = { maxOpenFiles: 64 };
    const error = await failureOf(call('opens_files.py', 'open_many', { count: 100 }, limits));
    expect(error).toMatchObject({ code: 'EXCEPTION', details: { type: 'OSError' } });
    expect(error.message).toContain('Too many open files');
    expect((await call('opens_files.py', 'open_many', { count: 100 })).value).toBe(100);
  });

  it('on time holds for that call only', async () => {
    const error = await failureOf(call('burns_cpu.py', 'sleep', { seconds: 5 }, { timeoutMs: 100 }));
    expect(error).toMatchObject({ code: 'TIMEOUT', details: { limit: 100 } });
    expect(await outcomeOf(call('burns_cpu.py', 'sleep', { seconds: 0.2 }))).toBeNull();
  });

  it.each([
    ['timeoutMs', 60_001],
    ['cpuMs', 60_001],
    ['memoryBytes', 129 * megabyte],
    ['maxOutputBytes', 65 * megabyte],
    ['maxCapturedBytes', 2 * megabyte],
    ['maxResultBytes', 65 * megabyte],
    ['maxOpenFiles', 1025],
  ] as const)('%s cannot be raised by a call', async (setting, value) => {
    const error = await failureOf(call('says_a_word.py', 'say', { word: 'x' }, { [setting]: value }));
    expect(error).toMatchObject({ code: 'INVALID_SETTING', details: { setting } });
    expect(error.message).toContain('a call may only lower it');
  });

  it('that is unknown is an error that names it', async () => {
    const limits = { timeoutMS: 5 } as Partial<Limits>;
    const error = await failureOf(call('says_a_word.py', 'say', { word: 'x' }, limits));
    expect(error).toMatchObject({ code: 'INVALID_SETTING', details: { setting: 'timeoutMS' } });
    expect(error.message).toContain('did you mean timeoutMs?');
  });

  it('that no value can satisfy is an error that names it', async () => {
    const error = await failureOf(call('says_a_word.py', 'say', { word: 'x' }, { timeoutMs: 0 }));
    expect(error).toMatchObject({ code: 'INVALID_SETTING', details: { setting: 'timeoutMs' } });
  });

  it('that was met leaves the engine serving', async () => {
    expect((await tellProcess(engine())).calls).toBe(1);
  });
});

describeLaunchers('a single message', (makeEngine) => {
  it('larger than a result may be is fine, and larger than all output is OUTPUT_LIMIT', async () => {
    const engine = makeEngine({ maxResultBytes: 1000, maxOutputBytes: 3 * megabyte, idleChildren: 1 });
    const say = (name: string, characters: number) =>
      outcomeOf(engine.call({ script: fixture('says_much_at_once.py'), function: name, args: { characters } }));
    expect(await say('tell', 2 * megabyte)).toBe('told');
    expect(await say('tell', 5 * megabyte)).toBe('OUTPUT_LIMIT');
    expect(await say('give', 2 * megabyte)).toBe('RESULT_LIMIT');
    expect(await say('give', 5 * megabyte)).toBe('OUTPUT_LIMIT');
  });
});
