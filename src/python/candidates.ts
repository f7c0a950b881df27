import { access, constants, stat } from 'node:fs/promises';
import { delimiter, join, resolve } from 'node:path';

/** A place where Python may be, and the command that starts it, when there is one. */
export interface Candidate {
  readonly origin: string;
  readonly command: Command | undefined;
}

export interface Command {
  readonly path: string;
  readonly args: readonly string[];
}

export interface SearchOptions {
  readonly python?: string;
  readonly scriptDir?: string;
  readonly environment: NodeJS.ProcessEnv;
}

const onWindows = process.platform === 'win32';

export async function candidateOfSetting(python: string, environment: NodeJS.ProcessEnv): Promise<Candidate> {
  const isPath = /[\\/]/.test(python);
  const path = isPath ? await fileOrVenv(resolve(python)) : await findOnPath(python, environment);
  return { origin: `the python setting (${python})`, command: path === undefined ? undefined : { path, args: [] } };
}

/** In the order in which they are preferred, looked up only when asked for. */
export async function* candidatesOfMachine({ scriptDir, environment }: SearchOptions): AsyncGenerator<Candidate> {
  if (environment.VIRTUAL_ENV) {
    yield { origin: 'VIRTUAL_ENV', command: await commandAt(pythonOfVenv(environment.VIRTUAL_ENV)) };
  }
  if (scriptDir !== undefined) {
    const command = await commandAt(pythonOfVenv(join(scriptDir, '.venv')));
    if (command !== undefined) yield { origin: '.venv beside the script', command };
  }
  for (const [name, ...args] of onWindows ? [['python3'], ['python'], ['py', '-3']] : [['python3'], ['python']]) {
    if (name === undefined) continue;
    const path = await findOnPath(name, environment);
    yield { origin: [name, ...args].join(' '), command: path === undefined ? undefined : { path, args } };
  }
}

async function commandAt(path: string): Promise<Command | undefined> {
  return (await isExecutable(path)) ? { path, args: [] } : undefined;
}

async function fileOrVenv(path: string): Promise<string | undefined> {
  const isFolder = await stat(path).then(
    (found) => found.isDirectory(),
    () => false,
  );
  const file = isFolder ? pythonOfVenv(path) : path;
  return (await isExecutable(file)) ? file : undefined;
}

function pythonOfVenv(folder: string): string {
  return onWindows ? join(folder, 'Scripts', 'python.exe') : join(folder, 'bin', 'python');
}

async function findOnPath(name: string, environment: NodeJS.ProcessEnv): Promise<string | undefined> {
  const endings = onWindows && !/\.\w+$/.test(name) ? (environment.PATHEXT ?? '.EXE;.CMD;.BAT').split(';') : [''];
  const folders = (environment.PATH ?? environment.Path ?? '').split(delimiter).filter((folder) => folder !== '');
  for (const folder of folders) {
    for (const ending of endings) {
      const path = resolve(folder, name + ending);
      if (await isExecutable(path)) return path;
    }
  }
  return undefined;
}

async function isExecutable(path: string): Promise<boolean> {
  try {
    await access(path, constants.X_OK);
    return (await stat(path)).isFile();
  } catch {
    return false;
  }
}
