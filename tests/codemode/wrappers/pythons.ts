import { execFile } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { homedir } from 'node:os';
import { delimiter, join } from 'node:path';
import { promisify } from 'node:util';
import { findPython } from '../../../src/python/interpreter.js';

const pythonPart = join(import.meta.dirname, '../../../python');
const run = promisify(execFile);

/** Every Python that there is and that the product takes, one for each minor version. */
export async function everyPython(): Promise<ReadonlyMap<string, string>> {
  const found = new Map<string, string>();
  for (const path of [undefined, ...candidates()]) {
    const python = await findPython(path === undefined ? {} : { python: path }).catch(() => undefined);
    const [major, minor] = python?.versionInfo ?? [];
    if (python && !found.has(`${major}.${minor}`)) found.set(`${major}.${minor}`, python.executable);
  }
  return found;
}

/** What the script printed; rejects with what it wrote to stderr where it fails. */
export async function runPython(python: string, ...args: readonly string[]): Promise<string> {
  const env = { ...process.env, PYTHONPATH: pythonPart, PYTHONDONTWRITEBYTECODE: '1', PYTHONWARNINGS: 'error' };
  const { stdout } = await run(python, [...args], { env, maxBuffer: 64 * 1024 * 1024 });
  return stdout;
}

function candidates(): readonly string[] {
  const versions = join(process.env.PYENV_ROOT ?? join(homedir(), '.pyenv'), 'versions');
  const ofPyenv = namesIn(versions).map((name) => join(versions, name, 'bin', 'python3'));
  const onPath = (process.env.PATH ?? '')
    .split(delimiter)
    .flatMap((folder) => namesIn(folder).map((name) => join(folder, name)))
    .filter((path) => /python3\.\d+$/.test(path) && !path.includes('shims'));
  return [...onPath, ...ofPyenv];
}

function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}
