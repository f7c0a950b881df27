import { readdir } from 'node:fs/promises';
import { homedir } from 'node:os';
import { delimiter, join } from 'node:path';

/** Every usable Python on this machine, one for each minor version, the default one first. */
export async function findPythons() {
  const { findPython } = await import('../dist/index.js');
  const found = new Map();
  const standard = await findPython();
  found.set(minorOf(standard), standard);
  for (const path of await candidates()) {
    const interpreter = await findPython({ python: path }).catch(() => undefined);
    if (interpreter !== undefined && !found.has(minorOf(interpreter))) found.set(minorOf(interpreter), interpreter);
  }
  return [...found.values()];
}

function minorOf({ versionInfo: [major, minor] }) {
  return `${major}.${minor}`;
}

async function candidates() {
  const folders = (process.env.PATH ?? '').split(delimiter);
  const versions = join(process.env.PYENV_ROOT ?? join(homedir(), '.pyenv'), 'versions');
  const ofPyenv = (await namesIn(versions)).map((name) => join(versions, name, 'bin', 'python3'));
  const onPath = [];
  for (const folder of folders) {
    const names = (await namesIn(folder)).filter((name) => /^python3\.\d+$/.test(name));
    onPath.push(...names.map((name) => join(folder, name)));
  }
  return [...onPath.sort(), ...ofPyenv.sort()].filter((path) => !path.includes('shims'));
}

async function namesIn(folder) {
  return readdir(folder).catch(() => []);
}
