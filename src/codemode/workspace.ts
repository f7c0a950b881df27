import { randomUUID } from 'node:crypto';
import { readdirSync } from 'node:fs';
import { lstat, mkdir, rm, stat, writeFile } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import { CallerError } from '../errors.js';

/** Where code execution reads and writes. Said here and nowhere else. */
export interface Workspace {
  readonly folder: string;
  /** Generated wrappers; made anew at any time. */
  readonly servers: string;
  /** Inferred result schemas, a file per server; worth keeping. */
  readonly schemas: string;
  /** Saved scripts; worth keeping. */
  readonly scripts: string;
  /** The run log, and the whole of output that was cut. */
  readonly runs: string;
  readonly logFile: string;
}

/** The folder of generated wrappers may be named in place of the one around it. */
export function workspaceAt(folder: string): Workspace {
  const given = resolve(folder);
  const whole = basename(folder) === 'servers' && holdsOnlyWrappers(given) ? dirname(given) : given;
  const runs = join(whole, 'runs');
  return {
    folder: whole,
    servers: join(whole, 'servers'),
    schemas: join(whole, 'schemas'),
    scripts: join(whole, 'scripts'),
    runs,
    logFile: join(runs, 'log.jsonl'),
  };
}

/** Scripts read it, so that a workspace of that name, with a config in it, must not be taken for one. */
function holdsOnlyWrappers(folder: string): boolean {
  const names = namesIn(folder);
  return names.includes('lock.json') || names.every((name) => name === '.gitignore');
}

function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

/** Makes what is missing, and proves by a file that each folder can be written to: modes say little, to root nothing. */
export async function openWorkspace(folder: string): Promise<Workspace> {
  if (folder.includes('\0')) throw new CallerError('INVALID_WORKSPACE', 'The workspace is no path: it holds a NUL');
  const workspace = workspaceAt(folder);
  try {
    await makeFolder(workspace.folder, 0o777);
    await proveWritable(workspace.folder);
    await refuseLinks(workspace);
    for (const [path, mode] of [
      [workspace.servers, 0o777],
      [workspace.runs, 0o700],
    ] as const) {
      await makeFolder(path, mode);
      await proveWritable(path);
      await leaveOutOfGit(path);
    }
    for (const path of [workspace.schemas, workspace.scripts]) await refuseFile(path);
  } catch (error) {
    throw error instanceof CallerError ? error : unusable(workspace.folder, error);
  }
  return workspace;
}

/** With the folders above it. In places such as /proc Node's own way never comes to an end. */
export async function makeFolder(path: string, mode: number): Promise<void> {
  const refused: unknown = await mkdir(path, { mode }).catch((error: unknown) => error);
  if (refused === undefined) return;
  if (await isFolder(path)) return;
  if (codeOf(refused) === 'EEXIST') throw notAFolder(path);
  const parent = dirname(path);
  if (codeOf(refused) !== 'ENOENT' || parent === path || (await isFolder(parent))) throw refused;
  await makeFolder(parent, mode);
  await makeFolder(path, mode);
}

async function proveWritable(folder: string): Promise<void> {
  const probe = join(folder, `.probe-${randomUUID()}`);
  await writeFile(probe, '', { flag: 'wx', mode: 0o600 });
  await rm(probe);
}

/** What a person wrote there instead stays. */
async function leaveOutOfGit(folder: string): Promise<void> {
  await writeFile(join(folder, '.gitignore'), '*\n', { flag: 'wx' }).catch((error: unknown) => {
    if (codeOf(error) !== 'EEXIST') throw error;
  });
}

/** A project of somebody else could have scripts read what its link leads to, and be saved there. */
async function refuseLinks({ servers, schemas, scripts, runs }: Workspace): Promise<void> {
  for (const path of [servers, schemas, scripts, runs]) {
    const found = await lstat(path).catch(() => undefined);
    if (!found?.isSymbolicLink()) continue;
    const message = `${path} should be a folder of the workspace, and is a link. Remove it, or name another folder with --workspace.`;
    throw new CallerError('INVALID_WORKSPACE', message);
  }
}

async function refuseFile(path: string): Promise<void> {
  const found = await stat(path).catch(() => undefined);
  if (found !== undefined && !found.isDirectory()) throw notAFolder(path);
}

async function isFolder(path: string): Promise<boolean> {
  const found = await stat(path).catch(() => undefined);
  return found?.isDirectory() === true;
}

function notAFolder(path: string): CallerError {
  return new CallerError('INVALID_WORKSPACE', `${path} should be a folder of the workspace, and is a file`);
}

const reasons: Readonly<Record<string, string>> = {
  EACCES: 'this user may not write there',
  EPERM: 'this user may not write there',
  EROFS: 'the file system is read-only',
  ENOSPC: 'the disk is full',
  EDQUOT: 'the disk quota is used up',
  ENOTDIR: 'a part of the path is a file',
  ENAMETOOLONG: 'the path is too long',
  ELOOP: 'its symbolic links lead in a circle',
};

function unusable(folder: string, error: unknown): CallerError {
  const code = codeOf(error);
  const reason = reasons[code] ?? (code === '' ? String(error) : code);
  const message = `The workspace ${folder} cannot be used: ${reason}. Name another folder with --workspace.`;
  return new CallerError('INVALID_WORKSPACE', message, {}, { cause: error });
}

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : '';
}
