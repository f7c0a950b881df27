import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it, vi } from 'vitest';
import type { SettingsInput } from '../../src/config.js';
import { createEngine } from '../../src/engine/engine.js';
import type { Engine } from '../../src/engine/work.js';
import { describeLaunchers, describeWithEngine, failureOf, fixture, folderWith, processesLeft } from './harness.js';
import { outcomeOf, until } from './processes.js';

const unsafe = [
  ['starts_a_thread_at_import.py', "thread 'watcher' is alive after import", 2],
  ['opens_a_socket_at_import.py', 'a socket is open after import', 'through the socket'],
  ['opens_a_file_at_import.py', /\.log is open after import$/, 'written'],
  ['opens_a_database_at_import.py', 'the SQLite database notes.db is open after import', 1],
  ['starts_a_process_at_import.py', "process 'sleep' is alive after import", true],
] as const;

describe.runIf(process.platform === 'linux')('a script that cannot be forked safely', () => {
  const engines: Engine[] = [];
  const makeEngine = (settings: SettingsInput = {}) => {
    const engine = createEngine(settings);
    engines.push(engine);
    return engine;
  };
  afterEach(async () => {
    await Promise.all(engines.splice(0).map((engine) => engine.close()));
    expect(processesLeft()).toEqual([]);
  });

  it.each(unsafe)('runs on warm interpreters and says why: %s', async (name, reason, expected) => {
    const engine = makeEngine({ idleChildren: 1 });
    const call = { script: fixture(name), function: 'answer' };
    const first = await engine.call(call);
    const second = await engine.call(call);
    expect([first.value, second.value]).toEqual([expected, expected]);
    for (const { figures } of [first, second]) {
      expect(figures.launcher).toBe('warm');
      expect(figures.launcherReason).toMatch(reason);
    }
    const [status] = engine.status().scripts;
    expect(status).toMatchObject({ launcher: 'warm', launcherReason: first.figures.launcherReason });
  });

  it('is refused, with the reason, where forks alone are asked for', async () => {
    const engine = makeEngine({ launcher: 'fork', idleChildren: 1 });
    const call = { script: fixture('opens_a_socket_at_import.py'), function: 'answer' };
    expect(await failureOf(engine.call(call))).toMatchObject({
      code: 'INVALID_SETTING',
      message: expect.stringContaining('a socket is open after import'),
      details: { setting: 'launcher' },
    });
  });

  it('has no reason to tell when warm interpreters are asked for', async () => {
    const engine = makeEngine({ launcher: 'warm', idleChildren: 1 });
    const { figures } = await engine.call({ script: fixture('opens_a_socket_at_import.py'), function: 'answer' });
    expect(figures).not.toHaveProperty('launcherReason');
  });
});

describeWithEngine('an import', { idleChildren: 1, memoryBytes: 64 * 1024 * 1024 }, (engine) => {
  const importing = (name: string) => engine().call({ script: fixture(name), function: 'never' });

  it('that raises is told with its traceback and output', async () => {
    const error = await failureOf(importing('raises_at_import.py'));
    expect(error).toMatchObject({
      code: 'EXCEPTION',
      message: expect.stringContaining('not today'),
      details: { type: 'ValueError', stdout: 'about to raise\n' },
    });
    expect(error.details.traceback).toContain('raises_at_import.py');
  });

  it('of a missing module names the module', async () => {
    const error = await failureOf(importing('imports_a_missing_module.py'));
    expect(error).toMatchObject({ code: 'IMPORT_ERROR', details: { module: 'a_module_that_nobody_wrote' } });
  });

  it('with a syntax error names the line', async () => {
    const error = await failureOf(importing('has_a_syntax_error.py'));
    expect(error).toMatchObject({ code: 'SYNTAX_ERROR', details: { line: 1, text: 'def broken(:' } });
  });

  it('that exits is told as such', async () => {
    const error = await failureOf(importing('exits_at_import.py'));
    expect(error).toMatchObject({ code: 'PROCESS_FAILED', details: { exitCode: 3 } });
  });

  it('that exits at once is told with its exit code and output', async () => {
    const error = await failureOf(importing('exits_at_once_at_import.py'));
    expect(error).toMatchObject({ code: 'PROCESS_FAILED', details: { exitCode: 3, stdout: 'about to go\n' } });
    expect(error.message).toContain('Importing the script');
  });

  it('that has a segmentation fault is told with its signal', async () => {
    const error = await failureOf(importing('segfaults_at_import.py'));
    expect(error).toMatchObject({ code: 'PROCESS_FAILED', details: { signal: 'SIGSEGV' } });
  });

  it('that takes too much memory is told as MEMORY_LIMIT', async () => {
    const error = await failureOf(importing('grows_in_memory_at_import.py'));
    expect(error.code).toBe('MEMORY_LIMIT');
  });

  it('that writes on its channel harms nobody else', async () => {
    const ending = await outcomeOf(importing('writes_to_the_channel_at_import.py'));
    expect(['PROCESS_FAILED', 'UNKNOWN_TOOL'], 'ended for it, or served before that').toContain(ending);
    const forging = { script: fixture('forges_readiness_at_import.py'), function: 'answer' };
    expect(['PROCESS_FAILED', 7]).toContain(await outcomeOf(engine().call(forging)));
    const right = { script: fixture('says_a_word.py'), function: 'say', args: { word: 'right' } };
    expect((await engine().call(right)).value).toBe('right');
  });
});

describeLaunchers('an import', (makeEngine) => {
  it('that takes too long is told as IMPORT_TIMEOUT with its limit and output', async () => {
    const engine = makeEngine({ importTimeoutMs: 1500, idleChildren: 1 });
    const error = await failureOf(engine.call({ script: fixture('hangs_at_import.py'), function: 'never' }));
    expect(error).toMatchObject({ code: 'IMPORT_TIMEOUT', details: { limit: 1500, stdout: 'importing\n' } });
  });

  it('that failed is tried again by the next call', async () => {
    const engine = makeEngine({ idleChildren: 1 });
    const folder = folderWith({
      'needs_a_file.py': `
import pathlib

word = pathlib.Path(__file__).with_name("word.txt").read_text()


def say() -> str:
    return word
`,
    });
    const call = { script: join(folder, 'needs_a_file.py'), function: 'say' };
    expect(await failureOf(engine.call(call))).toMatchObject({
      code: 'EXCEPTION',
      details: { type: 'FileNotFoundError' },
    });
    writeFileSync(join(folder, 'word.txt'), 'here');
    expect((await engine.call(call)).value).toBe('here');
  });
});

describeLaunchers('a script with effects at import', (makeEngine) => {
  it('is imported by its call and never ahead of one', async () => {
    const effects = join(folderWith({}), 'effects');
    process.env.EFFECTS_FILE = effects;
    const engine = makeEngine({ idleChildren: 2 });
    delete process.env.EFFECTS_FILE;
    const call = { script: fixture('has_effects_at_import.py'), function: 'answer', prewarm: false };
    expect((await engine.call(call)).value).toBe(7);
    expect(readFileSync(effects, 'utf8')).toBe('imported\n');
    expect((await engine.call(call)).value).toBe(7);
    await until(() => engine.status().scripts.some(({ idle }) => idle > 0));
    expect(readFileSync(effects, 'utf8')).toBe('imported\nimported\n');
  });

  it('is imported ahead where nobody says that it has any', async () => {
    const effects = join(folderWith({}), 'effects');
    process.env.EFFECTS_FILE = effects;
    const engine = makeEngine({ idleChildren: 1 });
    delete process.env.EFFECTS_FILE;
    await engine.warm(fixture('has_effects_at_import.py'));
    expect(existsSync(effects)).toBe(true);
  });
});

describe.runIf(process.platform === 'linux')('a script that acts when its process forks', () => {
  it.each([
    ['ends_at_fork.py', 'SPAWN_FAILED'],
    ['hangs_at_fork.py', 'IMPORT_TIMEOUT'],
  ])('as %s does, is told as %s', async (name, code) => {
    const engine = createEngine({ importTimeoutMs: 1500, idleChildren: 1, logLevel: 'silent' });
    try {
      expect(await outcomeOf(engine.call({ script: fixture(name), function: 'never' }))).toBe(code);
      const right = { script: fixture('says_a_word.py'), function: 'say', args: { word: 'right' } };
      expect((await engine.call(right)).value).toBe('right');
    } finally {
      await engine.close();
    }
    expect(processesLeft()).toEqual([]);
  });

  it('leaves other scripts alone, however many calls wait for a slow import', async () => {
    const engine = createEngine({ importTimeoutMs: 2000, concurrency: 500 });
    try {
      const right = { script: fixture('says_a_word.py'), function: 'say', args: { word: 'right' } };
      await engine.call(right);
      const hanging = { script: fixture('hangs_at_import.py'), function: 'never' };
      const waiting = Promise.all(Array.from({ length: 490 }, () => outcomeOf(engine.call(hanging))));
      for (let call = 0; call < 5; call += 1) expect((await engine.call(right)).value).toBe('right');
      expect(new Set(await waiting)).toEqual(new Set(['IMPORT_TIMEOUT']));
    } finally {
      await engine.close();
    }
    expect(processesLeft()).toEqual([]);
  });
});

describeLaunchers('an interpreter that does not start', (makeEngine) => {
  it('is told with a reference, and its complaint stands in the log under the same', async () => {
    const lines: string[] = [];
    const writing = vi.spyOn(process.stderr, 'write').mockImplementation((line) => lines.push(String(line)) > 0);
    vi.stubEnv('PYTHONHOME', '/no/such/home');
    try {
      const error = await failureOf(makeEngine().run({ source: 'pass' }));
      const { reference } = error.details;
      expect(error.code).toBe('SPAWN_FAILED');
      expect(error.message).toContain(`(reference ${reference})`);
      expect(error.message).not.toContain('/no/such/home');
      expect(lines.join('')).toContain(`"reference":"${reference}"`);
      expect(lines.join('')).toContain("No module named 'encodings'");
    } finally {
      vi.unstubAllEnvs();
      writing.mockRestore();
    }
  });
});
