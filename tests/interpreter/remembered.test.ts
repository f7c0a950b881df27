import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import type { Interpreter } from '../../src/python/ask.js';
import { fingerprintOf, recall, remember } from '../../src/python/remembered.js';
import { createFolder, writeExecutable, writePretender } from './scripts.js';

it('an interpreter is remembered across runs', async () => {
  const { folder, command, interpreter } = await createScene();
  await rememberNow(folder, command, interpreter);
  expect(await recallNow(folder, command)).toEqual(interpreter);
});

it('an interpreter that changed is forgotten', async () => {
  const { folder, command, interpreter } = await createScene();
  await rememberNow(folder, command, interpreter);
  await writePretender(command.path, '3.13.10');
  expect(await recallNow(folder, command)).toBeUndefined();
});

it('an interpreter whose environment was made anew is forgotten', async () => {
  const { folder, command, interpreter } = await createScene();
  await rememberNow(folder, command, interpreter);
  await writeFile(join(folder, 'pyvenv.cfg'), 'home = /elsewhere');
  expect(await recallNow(folder, command)).toBeUndefined();
});

it('an interpreter that is gone is forgotten, although its shim is still there', async () => {
  const { folder, shim, interpreter } = await createPyenv();
  await rememberNow(folder, shim, interpreter);
  expect(await recallNow(folder, shim)).toEqual(interpreter);
  await rm(interpreter.executable);
  expect(await recallNow(folder, shim)).toBeUndefined();
});

it.each([
  ['PYENV_VERSION', async () => ({ PYENV_VERSION: '3.10.1' })],
  ['PATH', async () => ({ PATH: '/elsewhere' })],
  [
    'the global version',
    async (folder: string) => {
      await writeFile(join(folder, 'version'), '3.10.1');
      return {};
    },
  ],
  [
    'the version file of the folder',
    async (folder: string) => {
      await writeFile(join(folder, '.python-version'), '3.10.1');
      return { PYENV_DIR: join(folder, 'versions') };
    },
  ],
])('a pyenv shim is asked again when %s changes', async (_, change) => {
  const { folder, shim, interpreter } = await createPyenv();
  await rememberNow(folder, shim, interpreter);
  expect(await recallNow(folder, shim, await change(folder))).toBeUndefined();
});

it('a shim of an unknown kind is asked every time', async () => {
  const folder = await createFolder();
  const path = await writeExecutable(join(folder, 'shims/python3'), 'exec somewhere "$@"');
  expect(await fingerprintOf({ path, args: [] }, process.env)).toBeUndefined();
});

it('a script that starts an interpreter elsewhere is not remembered', async () => {
  const { folder, interpreter } = await createScene();
  const wrapper = { path: await writeExecutable(join(folder, 'bin/wrapper'), 'exec elsewhere'), args: [] };
  await rememberNow(folder, wrapper, interpreter);
  expect(await recallNow(folder, wrapper)).toBeUndefined();
});

it.each(['', '{', '{}', '[{"command":"x"}]', 'null'])('a file that holds %j is as good as none', async (text) => {
  const { folder, command, interpreter } = await createScene();
  await writeFile(join(folder, 'interpreters.json'), text);
  expect(await recallNow(folder, command)).toBeUndefined();
  await rememberNow(folder, command, interpreter);
  expect(await recallNow(folder, command)).toEqual(interpreter);
});

it('a folder that cannot be written to does no harm', async () => {
  const { folder, command, interpreter } = await createScene();
  await mkdir(join(folder, 'interpreters.json'));
  await rememberNow(folder, command, interpreter);
  expect(await recallNow(folder, command)).toBeUndefined();
});

it('the file keeps the latest interpreters only', async () => {
  const { folder, interpreter } = await createScene();
  for (let number = 0; number < 40; number++) {
    const path = await writePretender(join(folder, `bin/python${number}`), '3.12.0');
    await rememberNow(folder, { path, args: [] }, { ...interpreter, executable: path });
  }
  expect(JSON.parse(await readFile(join(folder, 'interpreters.json'), 'utf8'))).toHaveLength(32);
});

async function createScene() {
  const folder = await createFolder();
  const path = await writePretender(join(folder, 'bin/python3'), '3.12.0');
  return { folder, command: { path, args: [] }, interpreter: interpreterAt(path) };
}

async function createPyenv() {
  const folder = await createFolder();
  const path = await writePretender(join(folder, 'versions/3.12.0/bin/python3'), '3.12.0');
  const shim = await writeExecutable(join(folder, 'shims/python3'), 'exec "/x/pyenv" exec "$program" "$@"');
  return { folder, shim: { path: shim, args: [] }, interpreter: interpreterAt(path) };
}

async function rememberNow(folder: string, command: { path: string; args: string[] }, interpreter: Interpreter) {
  await remember(folder, command, (await fingerprintOf(command, process.env)) ?? '', interpreter);
}

async function recallNow(folder: string, command: { path: string; args: string[] }, change: NodeJS.ProcessEnv = {}) {
  return recall(folder, command, (await fingerprintOf(command, { ...process.env, ...change })) ?? '');
}

function interpreterAt(executable: string): Interpreter {
  return {
    executable,
    version: '3.12.0',
    versionInfo: [3, 12, 0],
    prefix: '/nowhere',
    basePrefix: '/nowhere',
    cacheTag: 'cpython-312',
    magic: 'cb0d0d0a',
    platform: 'linux',
    canFork: true,
  };
}
