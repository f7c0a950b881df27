import { mkdir, stat } from 'node:fs/promises';
import { homedir } from 'node:os';
import { dirname, isAbsolute, join, resolve } from 'node:path';
import { CallerError } from '../errors.js';

export interface CacheFolderOptions {
  readonly cacheDir?: string;
  readonly environment?: NodeJS.ProcessEnv;
}

/** The folder for what can be made again, private to the user; undefined where none can be had. */
export async function cacheFolder({
  cacheDir,
  environment = process.env,
}: CacheFolderOptions = {}): Promise<string | undefined> {
  if (cacheDir === undefined) return createPrivately(folderOfUser(environment)).catch(() => undefined);
  const folder = resolve(cacheDir);
  return createPrivately(folder).catch((cause: unknown) => {
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new CallerError(
      'INVALID_SETTING',
      `Setting cacheDir: the folder ${folder} cannot be used: ${reason}`,
      { setting: 'cacheDir' },
      { cause },
    );
  });
}

function folderOfUser(environment: NodeJS.ProcessEnv): string {
  const named = environment.XDG_CACHE_HOME || (process.platform === 'win32' ? environment.LOCALAPPDATA : undefined);
  const parent = named !== undefined && isAbsolute(named) ? named : join(environment.HOME || homedir(), '.cache');
  return join(parent, 'mcp-execution');
}

async function createPrivately(folder: string): Promise<string> {
  await makeWithParents(folder);
  const found = await stat(folder);
  if (!found.isDirectory()) throw new Error('it is not a folder');
  const { uid, mode } = found;
  if (process.getuid === undefined) return folder;
  if (uid !== process.getuid()) throw new Error('it belongs to another user');
  if ((mode & 0o022) !== 0) throw new Error('other users may write to it');
  return folder;
}

/** Not mkdir's own `recursive`, which never ends where a folder cannot be made although its parent is there, as in /proc. */
async function makeWithParents(folder: string): Promise<void> {
  const failure = await make(folder);
  if (failure === undefined || failure.code === 'EEXIST') return;
  if (failure.code !== 'ENOENT' || dirname(folder) === folder) throw failure;
  await makeWithParents(dirname(folder));
  const again = await make(folder);
  if (again !== undefined && again.code !== 'EEXIST') throw again;
}

function make(folder: string): Promise<NodeJS.ErrnoException | undefined> {
  return mkdir(folder, { mode: 0o700 }).then(
    () => undefined,
    (failure: NodeJS.ErrnoException) => failure,
  );
}
