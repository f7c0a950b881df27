import { execFile } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { HostError } from '../../src/errors.js';
import { findPython, surveyPythons } from '../../src/python/interpreter.js';
import { createFolder, writeExecutable, writePretender } from './scripts.js';

const run = promisify(execFile);

describe('the order of the search', () => {
  it('begins with the setting', async () => {
    const home = await createFolder();
    const named = await writePretender(join(home, 'named'), '3.12.0');
    await writePretender(join(home, 'bin/python3'), '3.13.0');
    const found = await findPython({ python: named, environment: environmentOf(home) });
    expect(found.executable).toBe(named);
  });

  it('takes a command name as a setting and looks it up on PATH', async () => {
    const home = await createFolder();
    const special = await writePretender(join(home, 'bin/python-special'), '3.12.0');
    const found = await findPython({ python: 'python-special', environment: environmentOf(home) });
    expect(found.executable).toBe(special);
  });

  it('takes the folder of a virtual environment as a setting', async () => {
    const home = await createFolder();
    const inside = await writePretender(join(home, 'venv/bin/python'), '3.12.0');
    const found = await findPython({ python: join(home, 'venv'), environment: environmentOf(home) });
    expect(found.executable).toBe(inside);
  });

  it('goes on to VIRTUAL_ENV, .venv beside the script, python3 and python', async () => {
    const home = await createFolder();
    const places = ['active/bin/python', 'script/.venv/bin/python', 'bin/python3', 'bin/python'];
    for (const place of places) await writePretender(join(home, place), '3.11.0');
    const environment = { ...environmentOf(home), VIRTUAL_ENV: join(home, 'active') };
    const attempts = await surveyPythons({ scriptDir: join(home, 'script'), environment });
    expect(attempts.map(({ path }) => path)).toEqual(places.map((place) => join(home, place)));
    const found = await findPython({ scriptDir: join(home, 'script'), environment });
    expect(found.executable).toBe(join(home, 'active/bin/python'));
  });

  it('passes over a Python that is too old', async () => {
    const home = await createFolder();
    await writePretender(join(home, 'bin/python3'), '3.9.18');
    const newer = await writePretender(join(home, 'bin/python'), '3.10.0');
    expect((await findPython({ environment: environmentOf(home) })).executable).toBe(newer);
  });
});

describe('PYTHON_NOT_FOUND', () => {
  it('names what was tried, what was found and what to do', async () => {
    const home = await createFolder();
    await writePretender(join(home, 'bin/python3'), '3.9.18');
    const environment = { ...environmentOf(home), VIRTUAL_ENV: join(home, 'gone') };
    const error = await failureOf(findPython({ environment }));
    expect(error.code).toBe('PYTHON_NOT_FOUND');
    expect(error.message).toContain('No Python 3.10 or newer was found');
    expect(error.message).toContain('Python 3.9.18 is too old');
    expect(error.message).toContain('Install one, or name one with --python');
    expect(error.details.tried).toEqual([
      'VIRTUAL_ENV: not found',
      `python3: ${join(home, 'bin/python3')}: Python 3.9.18 is too old`,
      'python: not found',
    ]);
  });

  it('is the answer to a setting that fails, even where another Python would do', async () => {
    const home = await createFolder();
    await writePretender(join(home, 'bin/python3'), '3.12.0');
    const error = await failureOf(findPython({ python: join(home, 'missing'), environment: environmentOf(home) }));
    expect(error.message).toContain('The named Python cannot be used');
    expect(error.details.tried).toHaveLength(1);
  });

  it('names the version of a Python from before isolated mode', async () => {
    const home = await createFolder();
    const ancient = await writeExecutable(
      join(home, 'python2'),
      '[ "$1" = -V ] && echo Python 2.7.18 >&2 && exit 0',
      'echo Unknown option: -I >&2; exit 2',
    );
    const error = await failureOf(findPython({ python: ancient, environment: environmentOf(home) }));
    expect(error.message).toContain('Python 2.7.18 is too old');
  });

  it.each([
    ['prints garbage', 'echo hello'],
    ['prints a broken answer', 'echo "mcp-execution-interpreter:{broken"'],
    ['crashes', 'kill -SEGV $$'],
  ])('says of a candidate that %s that it did not answer', async (_, line) => {
    const home = await createFolder();
    const odd = await writeExecutable(join(home, 'odd'), line);
    const error = await failureOf(findPython({ python: odd, environment: environmentOf(home) }));
    expect(error.message).toContain('found, but it did not answer as Python does');
  });

  it('says why a candidate could not be started', async () => {
    const home = await createFolder();
    const foreign = await writeExecutable(join(home, 'foreign'));
    await writeFile(foreign, '#!/nowhere/at/all\n');
    const error = await failureOf(findPython({ python: foreign, environment: environmentOf(home) }));
    expect(error.message).toContain('could not be started');
  });
});

describe('a real interpreter', () => {
  it('is described by itself', async () => {
    const found = await findPython();
    expect(found.version).toMatch(/^3\.\d+\.\d+$/);
    expect(found.versionInfo.join('.')).toBe(found.version);
    expect(found.magic).toMatch(/^[0-9a-f]{8}$/);
    expect(found.cacheTag).toContain(`${found.versionInfo[0]}${found.versionInfo[1]}`);
    expect(found.platform).toBe(process.platform);
    expect(found.canFork).toBe(process.platform === 'linux');
    const { stdout } = await run(found.executable, ['-c', 'import sys; print(sys.executable)']);
    expect(stdout.trim()).toBe(found.executable);
  });

  it('of a virtual environment keeps its prefix, although its file is a link to the base', async () => {
    const home = await createFolder();
    const base = await findPython();
    await run(base.executable, ['-m', 'venv', '--without-pip', join(home, '.venv')]);
    const found = await findPython({ scriptDir: home, environment: environmentOf(home) });
    expect(found.prefix).toBe(join(home, '.venv'));
    expect(found.executable).toBe(join(home, '.venv/bin/python'));
    expect(found.basePrefix).toBe(base.basePrefix);
  });

  it('behind a shim is named by its own path', async () => {
    const home = await createFolder();
    const { executable } = await findPython();
    const shim = await writeExecutable(join(home, 'bin/python3'), `exec "${executable}" "$@"`);
    const found = await findPython({ environment: environmentOf(home) });
    expect(found.executable).toBe(executable);
    expect(found.executable).not.toBe(shim);
  });

  it('answers although PYTHONPATH offers modules with the names of the standard library', async () => {
    const home = await createFolder();
    const { executable, version } = await findPython();
    await writeFile(join(home, 'json.py'), 'raise SystemExit("imported from PYTHONPATH")');
    await writeExecutable(join(home, 'bin/python3'), `exec "${executable}" "$@"`);
    const found = await findPython({ environment: { ...environmentOf(home), PYTHONPATH: home } });
    expect(found.version).toBe(version);
  });
});

describe('an answer', () => {
  it('is asked for once by all who want it at the same time', async () => {
    const home = await createFolder();
    const python = await writePretender(join(home, 'bin/python3'), '3.12.0');
    const options = { environment: environmentOf(home) };
    await Promise.all([findPython(options), findPython(options), findPython(options)]);
    await findPython(options);
    expect(await readFile(`${python}.asked`, 'utf8')).toBe('asked\n');
  });

  it('is asked for again once the file has changed', async () => {
    const home = await createFolder();
    const python = await writePretender(join(home, 'bin/python3'), '3.12.0');
    const options = { environment: environmentOf(home) };
    expect((await findPython(options)).version).toBe('3.12.0');
    await writePretender(python, '3.13.10');
    expect((await findPython(options)).version).toBe('3.13.10');
  });
});

function environmentOf(home: string): NodeJS.ProcessEnv {
  return { HOME: home, PATH: join(home, 'bin'), XDG_CACHE_HOME: join(home, 'cache') };
}

async function failureOf(work: Promise<unknown>): Promise<HostError> {
  const error = await work.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  if (error instanceof HostError) return error;
  throw new Error(`expected a HostError, got ${String(error)}`);
}
