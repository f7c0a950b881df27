import { chmod, mkdir, stat } from 'node:fs/promises';
import { homedir } from 'node:os';
import { dirname, isAbsolute, join, resolve } from 'node:path';

/** A folder that is used instead of the usual one. */
export const loginsVariable = 'MCP_EXECUTION_LOGINS_DIR';

/** Where logins are kept: among the data of the user, which backups and roaming profiles treat as private. */
export function loginsFolder(environment: NodeJS.ProcessEnv): string {
  const named = environment[loginsVariable];
  if (named) return resolve(named);
  const shared = environment.XDG_DATA_HOME || (process.platform === 'win32' ? environment.LOCALAPPDATA : undefined);
  const home = environment.HOME || homedir();
  const parent = shared !== undefined && isAbsolute(shared) ? shared : join(home, '.local', 'share');
  return join(parent, 'mcp-execution', 'logins');
}

/** Makes the folder, for this user alone. What others may do in one that is there already is taken from them. */
export async function makePrivateFolder(folder: string, note: (message: string) => void): Promise<void> {
  await makeWithParents(folder);
  const { mode, uid } = await stat(folder);
  if (process.getuid === undefined) return;
  if (uid !== process.getuid()) throw new Error(`${folder} belongs to another user`);
  if ((mode & 0o077) === 0) return;
  await chmod(folder, 0o700);
  note(`The folder of logins was open to other users, and is now for you alone: ${folder}`);
}

/** Not mkdir's own `recursive`, which never ends where a folder cannot be made although its parent is there, as in /proc. */
async function makeWithParents(folder: string): Promise<void> {
  const refused = await mkdir(folder, { mode: 0o700 }).then(
    () => undefined,
    (error: NodeJS.ErrnoException) => error,
  );
  if (refused === undefined) return;
  if (refused.code === 'EEXIST' && (await stat(folder)).isDirectory()) return;
  const parent = dirname(folder);
  if (refused.code !== 'ENOENT' || parent === folder || (await isThere(parent))) throw refused;
  await makeWithParents(parent);
  await makeWithParents(folder);
}

function isThere(path: string): Promise<boolean> {
  return stat(path).then(
    () => true,
    () => false,
  );
}
