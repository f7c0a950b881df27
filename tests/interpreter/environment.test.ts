import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { type EnvironmentRequest, prepareEnvironment } from '../../src/python/environment.js';
import { environmentFor } from '../../src/python/environment-of-script.js';
import { findPython } from '../../src/python/interpreter.js';
import { createFolder, writeExecutable, writePretender } from './scripts.js';
import { writeWheel } from './wheels.js';

const run = promisify(execFile);
const pythonWith = async (request: EnvironmentRequest) => (await prepareEnvironment(request)).python;
const base = await findPython();
const environment = { ...process.env, PIP_NO_INDEX: '1', UV_OFFLINE: '1', PATH: await pathWithoutUv() };

describe('an environment made with venv and pip', () => {
  it('has the packages and nothing of ours, is made once, and tells its progress', async () => {
    const { request, lines } = await scene(['tiny_package']);
    const python = await pythonWith(request);
    expect(await printed(python, 'import tiny_package; print(tiny_package.VERSION)')).toBe('1.0');
    const distributions = 'import importlib.metadata as m; print(*(d.metadata["Name"] for d in m.distributions()))';
    expect(await printed(python, distributions)).toBe('tiny_package');
    expect(lines[0]).toBe(`Installing 1 package for Python ${base.version} with pip`);
    expect(lines.join('\n')).toContain('Successfully installed tiny');
    lines.length = 0;
    expect(await pythonWith(request)).toBe(python);
    expect(lines).toEqual([]);
  });

  it('gets a pip of its own where the base has none', async () => {
    const { request, folder } = await scene(['tiny_package']);
    const executable = await writeExecutable(
      join(folder, 'bin/python-without-pip'),
      `case "$*" in`,
      `  *"-m pip --python"*) echo "python: No module named pip" >&2; exit 1 ;;`,
      `  *) exec "${base.executable}" "$@" ;;`,
      'esac',
    );
    const python = await pythonWith({ ...request, base: { ...base, executable } });
    expect(await printed(python, 'import tiny_package; print(tiny_package.VERSION)')).toBe('1.0');
  });

  it('takes a wheel by its path, relative to the folder of the script, and notices when the file changes', async () => {
    const { request, folder } = await scene(['./wheels/tiny_package-1.0-py3-none-any.whl']);
    const first = await pythonWith({ ...request, folder });
    expect(await printed(first, 'import tiny_package; print(tiny_package.VERSION)')).toBe('1.0');
    await rm(join(folder, 'wheels/tiny_package-1.0-py3-none-any.whl'));
    await writeWheel(join(folder, 'wheels'), 'tiny_package');
    expect(await pythonWith({ ...request, folder })).not.toBe(first);
  });

  it('that fails says what the installer said and what to do, and leaves nothing half made', async () => {
    const { request, cacheDir } = await scene(['no_such_package_anywhere']);
    await expect(pythonWith(request)).rejects.toMatchObject({
      code: 'DEPENDENCIES_FAILED',
      message: expect.stringMatching(/No matching distribution[\s\S]*does not exist in that version[\s\S]*It was: /),
    });
    expect(await readdir(join(cacheDir, 'environments'))).toEqual([]);
  });

  it('ends with all that its installer started when cancelled', async () => {
    const { request, cacheDir, folder } = await scene(['tiny_package']);
    const pid = join(folder, 'pid');
    const executable = await writeExecutable(
      join(folder, 'bin/slow-python'),
      `sleep 1000 & echo $! > ${pid}; echo started; wait`,
    );
    const controller = new AbortController();
    const making = pythonWith({
      ...request,
      base: { ...base, executable },
      signal: controller.signal,
      onProgress: (line) => line === 'started' && controller.abort(),
    });
    await expect(making).rejects.toMatchObject({ code: 'CANCELLED' });
    expect(await isRunning(Number(await readFile(pid, 'utf8')))).toBe(false);
    expect(await readdir(join(cacheDir, 'environments'))).toEqual([]);
  });
});

describe('an environment made with uv', () => {
  it('is made for the base Python, from wheels alone', async () => {
    const { request, lines, asked } = await sceneWithUv(['tiny_package']);
    const python = await pythonWith(request);
    expect(existsSync(python)).toBe(true);
    expect(lines[0]).toBe(`Installing 1 package for Python ${base.version} with uv`);
    const [venv = '', install = ''] = await asked();
    expect(venv).toContain(`--python ${base.executable}`);
    expect(install).toContain(`pip install --python ${python} --only-binary :all: -r `);
  });

  it('is another one for other packages, in another order or by another way to install', async () => {
    const { request, asked } = await sceneWithUv(['one', 'two']);
    const pythons = [
      await pythonWith(request),
      await pythonWith({ ...request, dependencies: { packages: ['two', 'one'] } }),
      await pythonWith({ ...request, mode: 'builds' }),
    ];
    expect(new Set(pythons).size).toBe(3);
    expect((await asked()).at(-1)).not.toContain('--only-binary');
  });

  it('is made again where it was half made', async () => {
    const { request, cacheDir } = await sceneWithUv(['one']);
    const python = await pythonWith(request);
    const [key = ''] = await readdir(join(cacheDir, 'environments'));
    await rm(join(cacheDir, 'environments', key, 'ready.json'));
    await writeFile(join(cacheDir, 'environments', key, 'venv/rubbish'), '');
    expect(await pythonWith(request)).toBe(python);
    expect(existsSync(join(cacheDir, 'environments', key, 'venv/rubbish'))).toBe(false);
  });

  it('is made by one of two that ask at once, and used by both', async () => {
    const { request, lines, asked } = await sceneWithUv(['one']);
    const pythons = await Promise.all([pythonWith(request), pythonWith(request)]);
    expect(pythons[0]).toBe(pythons[1]);
    expect(lines).toContain('Another process is installing the same packages; waiting for it');
    expect(await asked()).toHaveLength(2);
  });

  it('that somebody else waits for may be given up', async () => {
    const { request, cacheDir } = await sceneWithUv(['one']);
    const python = await pythonWith(request);
    const [key = ''] = await readdir(join(cacheDir, 'environments'));
    await rm(join(cacheDir, 'environments', key, 'ready.json'));
    await writeFile(join(cacheDir, 'environments', `${key}.lock`), JSON.stringify({ pid: 1, host: 'elsewhere' }));
    const controller = new AbortController();
    const waiting = pythonWith({ ...request, signal: controller.signal, onProgress: () => controller.abort() });
    await expect(waiting).rejects.toMatchObject({ code: 'CANCELLED' });
    expect(existsSync(python)).toBe(true);
  });
});

// Where uv is installed, it is tried for real too.
for (const folder of (process.env.PATH ?? '')
  .split(':')
  .filter((folder) => existsSync(join(folder, 'uv')))
  .slice(0, 1)) {
  describe(`an environment made with ${join(folder, 'uv')}`, () => {
    it.each(['tiny_package', './wheels/tiny_package-1.0-py3-none-any.whl'])('has %s', async (line) => {
      const { request, folder: beside } = await scene([line], { PATH: process.env.PATH });
      const python = await pythonWith({ ...request, folder: beside });
      expect(await printed(python, 'import tiny_package; print(tiny_package.VERSION)')).toBe('1.0');
    });

    it('that fails says what uv said and what to do', async () => {
      const { request } = await scene(['no_such_package_anywhere'], { PATH: process.env.PATH });
      await expect(pythonWith(request)).rejects.toMatchObject({
        code: 'DEPENDENCIES_FAILED',
        message: expect.stringMatching(/no-such-package-anywhere[\s\S]*\nIt was: /),
      });
    });
  });
}

describe('files that a requirements file names', () => {
  it('are taken in, with constraints', async () => {
    const { request, folder } = await scene(['-r more/base.txt']);
    await mkdir(join(folder, 'more'));
    await writeWheel(join(folder, 'wheels'), 'tiny_package', '2.0');
    await writeFile(
      join(folder, 'more/base.txt'),
      '# what we need\ntiny_package # small\n-r rest.txt\n-c limits.txt\n',
    );
    await writeFile(join(folder, 'more/rest.txt'), 'other_package \\\n  >=1.0\n');
    await writeFile(join(folder, 'more/limits.txt'), 'tiny_package<2\n');
    const python = await pythonWith({ ...request, folder });
    const code = 'import tiny_package, other_package; print(tiny_package.VERSION, other_package.VERSION)';
    expect(await printed(python, code)).toBe('1.0 1.0');
  });

  it.each([
    ['-r missing.txt', /cannot be followed: ENOENT/],
    ['-r round.txt', /names itself/],
    ['-r builds.txt', /"-e \." is an option that may run code/],
    ['-c builds.txt', /"-e \." is an option that may run code/],
  ])('are refused where they are wrong: %s', async (line, message) => {
    const { request, folder } = await scene([line]);
    await writeFile(join(folder, 'round.txt'), '-r round.txt\n');
    await writeFile(join(folder, 'builds.txt'), '-e .\n');
    await expect(pythonWith({ ...request, folder })).rejects.toThrow(message);
  });
});

describe('a package that would run code while it is installed', () => {
  it.each([
    'x @ https://example.org/x.tar.gz',
    'git+https://example.org/x.git',
    './folder',
    '-e .',
    '--no-binary :all:',
    '--index-url https://example.org --no-binary :all:',
    'x.zip',
    'x.tar',
    'x.tbz',
    'x.tar.gz[extra]',
    'x.tar -C setting=1',
    'https://example.org/x.whl;y.tar.gz',
    './x.whl#y.tar.gz',
    'git+https://example.org/x-1-py3-none-any.whl',
    '#coding=utf-7',
    `$${'{PWD}'}`,
  ])('is refused unless builds are allowed: %s', async (line) => {
    const { request } = await scene([line]);
    await expect(pythonWith(request)).rejects.toMatchObject({
      code: 'DEPENDENCIES_FAILED',
      message: expect.stringContaining('--install-packages builds'),
    });
  });

  it.each([
    '--index-url https://example.org',
    `x @ https://example.org/$${'{SECRET}'}/x-1-py3-none-any.whl`,
    'a\n-e .',
    'a\u2028-e .',
    'a\u0085-e .',
  ])('is refused in inline metadata always where it is more than a package: %j', async (line) => {
    const { request } = await scene([line]);
    const dependencies = { source: 'inline', packages: [line] } as const;
    await expect(pythonWith({ ...request, mode: 'builds', dependencies })).rejects.toMatchObject({
      code: 'DEPENDENCIES_FAILED',
    });
  });
});

describe('requires-python', () => {
  it('that fits is no obstacle', async () => {
    const { request } = await sceneWithUv(['one']);
    await expect(pythonWith({ ...request, requiresPython: '>=3.10,<4' })).resolves.toContain('python');
  });

  it('that fits no Python is an error that names both', async () => {
    const { request } = await scene(['tiny_package']);
    await expect(pythonWith({ ...request, requiresPython: '>=3.99' })).rejects.toMatchObject({
      code: 'PYTHON_NOT_FOUND',
      message: expect.stringMatching(/asks for Python >=3\.99, and .* is 3\.\d+\.\d+; no other/),
    });
  });

  it('that cannot be read is an error', async () => {
    const { request } = await scene(['tiny_package']);
    await expect(pythonWith({ ...request, requiresPython: 'three' })).rejects.toThrow('cannot be read');
  });
});

describe('the Python of a script', () => {
  const settings = { installPackages: 'wheels' } as const;

  it('is left to the usual search where it asks for nothing, one is named, a .venv is there or nothing is to be installed', async () => {
    const folder = await createFolder();
    const script = { path: join(folder, 'a.py'), dependencies: { packages: ['no_such_package_anywhere'] } };
    expect(await environmentFor({ path: script.path }, settings)).toBeUndefined();
    expect(await environmentFor(script, { ...settings, python: 'python3' })).toBeUndefined();
    expect(await environmentFor(script, { installPackages: 'off' })).toBeUndefined();
    await mkdir(join(folder, '.venv'));
    await writeFile(join(folder, '.venv/pyvenv.cfg'), '');
    expect(await environmentFor(script, settings)).toBeUndefined();
  });

  it('is that of an environment with its packages', async () => {
    const { folder, cacheDir, request } = await sceneWithUv(['one']);
    const script = { path: join(folder, 'a.py'), dependencies: request.dependencies };
    const python = await environmentFor(script, { ...settings, cacheDir }, undefined, undefined, request.environment);
    expect(python).toEqual(expect.stringContaining(cacheDir));
  });

  it('is none for a script that is not trusted and wants variables of the environment put into its requirements', async () => {
    const folder = await createFolder();
    const variable = '$'.concat('{HOME}');
    const packages = [`--index-url https://example.invalid/${variable}/simple`, 'one'];
    const script = { path: join(folder, 'a.py'), dependencies: { source: 'requirements' as const, packages } };
    await expect(environmentFor(script, { ...settings, strict: true })).rejects.toMatchObject({
      code: 'DEPENDENCIES_FAILED',
      message: expect.stringContaining('names a variable of the environment'),
    });
  });

  it.each([
    '-r ../secret.txt',
    '-r /dev/zero',
    '--constraint=../secret.txt',
    '-r linked.txt',
    '-r inner.txt',
    '../other-1.0-py3-none-any.whl',
    'other @ file:///srv/other-1.0-py3-none-any.whl',
    '--find-links /srv',
    '-f ..',
    '--extra-index-url=file:///srv',
    '--index-url https://10.0.0.1/simple',
    'other @ https://10.0.0.1/other-1.0-py3-none-any.whl',
  ])('is none for a script that is not trusted and names what is not beside it: %s', async (line) => {
    const above = await createFolder();
    const folder = join(above, 'script');
    await mkdir(folder);
    await writeFile(join(above, 'secret.txt'), 'PASSWORD=hunter2\n');
    await writeFile(join(folder, 'inner.txt'), '-r ../secret.txt\n');
    await symlink('../secret.txt', join(folder, 'linked.txt'));
    const dependencies = { source: 'requirements' as const, packages: [line] };
    const asked = environmentFor({ path: join(folder, 'a.py'), dependencies }, { ...settings, strict: true });
    await expect(asked).rejects.toMatchObject({
      code: 'DEPENDENCIES_FAILED',
      message: expect.stringMatching(/^(?!.*hunter2).*is not in the folder of the script/),
    });
  });

  it('takes in, for a script that is not trusted, the files and wheels beside it', async () => {
    const { folder, cacheDir, request } = await scene(['-r more.txt', './wheels/other_package-1.0-py3-none-any.whl']);
    await writeFile(join(folder, 'more.txt'), 'tiny_package\n');
    const script = { path: join(folder, 'a.py'), dependencies: request.dependencies };
    const strict = { ...settings, cacheDir, strict: true };
    const python = await environmentFor(script, strict, undefined, undefined, request.environment);
    expect(typeof python === 'object' && existsSync(join(python.packages, 'other_package.py'))).toBe(true);
  });

  it('is, for a script that is not trusted, the usual one with a folder of packages, whatever stands beside the script', async () => {
    const { folder, cacheDir, request } = await scene(['tiny_package']);
    await writeExecutable(join(folder, '.venv/bin/python'), 'exit 1');
    await writeFile(join(folder, '.venv/pyvenv.cfg'), '');
    const script = { path: join(folder, 'a.py'), dependencies: request.dependencies };
    const strict = { ...settings, cacheDir, strict: true };
    const python = await environmentFor(script, strict, undefined, undefined, request.environment);
    expect(python).toEqual({ executable: base.executable, packages: expect.stringContaining(cacheDir) });
    expect(typeof python === 'object' && existsSync(join(python.packages, 'tiny_package.py'))).toBe(true);
  });

  it('is another one of the machine where the usual one is of the wrong version', async () => {
    const folder = await createFolder();
    await writePretender(join(folder, 'python3'), '3.11.2');
    const fitting = await writePretender(join(folder, 'python3.13'), '3.13.1');
    const script = { path: join(folder, 'a.py'), requiresPython: '>=3.12' };
    const cacheDir = join(folder, 'cache');
    expect(
      await environmentFor(script, { ...settings, cacheDir }, undefined, undefined, { PATH: folder, HOME: folder }),
    ).toBe(fitting);
  });
});

async function scene(packages: readonly string[], variables: NodeJS.ProcessEnv = {}) {
  const folder = await createFolder();
  const cacheDir = join(folder, 'cache');
  const wheels = join(folder, 'wheels');
  for (const name of ['tiny_package', 'other_package']) await writeWheel(wheels, name);
  const lines: string[] = [];
  const request: EnvironmentRequest = {
    dependencies: { packages },
    base,
    mode: 'wheels',
    cacheDir,
    environment: { ...environment, PIP_FIND_LINKS: wheels, UV_FIND_LINKS: wheels, ...variables },
    onProgress: (line) => void lines.push(line),
  };
  return { folder, cacheDir, request, lines };
}

/** With a uv that makes environments, installs nothing, and writes down what it was asked. */
async function sceneWithUv(packages: readonly string[]) {
  const { folder, request, ...rest } = await scene(packages);
  const notes = join(folder, 'asked');
  await writeExecutable(
    join(folder, 'bin/uv'),
    `echo "$*" >> ${notes}`,
    `for last; do :; done`,
    `case "$1" in venv) exec "${base.executable}" -m venv --without-pip "$last" ;; esac`,
  );
  const PATH = `${join(folder, 'bin')}:${request.environment?.PATH}`;
  const asked = async () => (await readFile(notes, 'utf8')).trimEnd().split('\n');
  return { ...rest, folder, request: { ...request, environment: { ...request.environment, PATH } }, asked };
}

async function printed(python: string, code: string): Promise<string> {
  return (await run(python, ['-I', '-c', code])).stdout.trim();
}

async function pathWithoutUv(): Promise<string> {
  const folders = (process.env.PATH ?? '').split(':');
  return folders.filter((folder) => !existsSync(join(folder, 'uv'))).join(':');
}

async function isRunning(pid: number): Promise<boolean> {
  const state = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => undefined);
  return state !== undefined && !/\) [ZX]/.test(state);
}
