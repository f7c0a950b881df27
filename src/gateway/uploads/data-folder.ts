import { chmod, mkdir, readdir, readFile, realpath, rm, stat } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import * as z from 'zod';
import { CallerError } from '../../errors.js';
import { flushFolder, makeFolder, writeDurably } from './durable-files.js';
import { type FolderLockOptions, takeFolderLock } from './folder-lock.js';

/** What the gateway keeps, in a folder that is its alone until it is closed. */
export interface DataFolder {
  readonly path: string;
  /** A folder for each uploaded service. */
  readonly services: string;
  /** What is being made; whatever is here at the start was never finished, and is gone. */
  readonly unfinished: string;
  readonly problems: readonly string[];
  /** Aborts when another gateway has taken the folder over. */
  readonly lost: AbortSignal;
  close(): Promise<void>;
}

const currentVersion = 1;

/** What makes a folder of that version one of the next. */
const migrations: ReadonlyMap<number, (path: string) => Promise<void>> = new Map();

/** What may stand in a folder that was never used: what others put there, and what an interrupted first start left. */
const mayBeThereBefore =
  /^(?:(?:keys\.)?lock|(?:lock|keys\.lock|keys\.json|version\.json)\..*\.tmp|keys\.json|audit\.jsonl(?:\.1)?|lost\+found)$/;
const versionSchema = z.object({ version: z.int().positive() });

export async function openDataFolder(path: string, options: FolderLockOptions = {}): Promise<DataFolder> {
  const folder = await createFolder(path);
  const known = await versionOf(folder);
  if (known === undefined) await refuseForeign(folder);
  else refuseNewer(folder, known);
  const lock = await takeFolderLock(join(folder, 'lock'), options);
  try {
    await migrate(folder, known);
    const services = join(folder, 'services');
    const unfinished = join(folder, 'unfinished');
    await rm(unfinished, { recursive: true, force: true });
    for (const each of [services, unfinished]) await mkdir(each, { recursive: true, mode: 0o700 });
    await removeAsides(folder);
    await flushFolder(folder);
    return {
      path: folder,
      services,
      unfinished,
      problems: await closeToOthers(folder),
      lost: lock.lost,
      close: lock.release,
    };
  } catch (error) {
    await lock.release();
    throw error;
  }
}

async function createFolder(path: string): Promise<string> {
  try {
    await makeFolder(resolve(path));
    return await realpath(path);
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new CallerError(
      'INVALID_SETTING',
      `The data folder cannot be made: ${reason}`,
      { setting: 'data' },
      { cause },
    );
  }
}

async function versionOf(folder: string): Promise<number | undefined> {
  const file = join(folder, 'version.json');
  const text = await readFile(file, 'utf8').catch((error: unknown) => {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined;
    throw error;
  });
  if (text === undefined) return undefined;
  try {
    return versionSchema.parse(JSON.parse(text)).version;
  } catch (cause) {
    const message = `${file} does not say the version of the data folder: it should read {"version":${currentVersion}}`;
    throw new CallerError('INVALID_SETTING', message, { setting: 'data' }, { cause });
  }
}

/** A folder given by mistake would lose what has the names of ours. */
async function refuseForeign(folder: string): Promise<void> {
  const found = (await readdir(folder)).filter((name) => !mayBeThereBefore.test(name));
  if (found.length === 0) return;
  const message = `${folder} has other things in it (${found.slice(0, 3).join(', ')}) and was never a data folder; give an empty folder, or one that does not exist yet`;
  throw new CallerError('INVALID_SETTING', message, { setting: 'data' });
}

function refuseNewer(folder: string, version: number): void {
  if (version <= currentVersion) return;
  const message = `The data folder ${folder} has version ${version}, and this gateway knows versions up to ${currentVersion}; start the newer gateway that made it`;
  throw new CallerError('INVALID_SETTING', message, { setting: 'data' });
}

async function migrate(folder: string, known: number | undefined): Promise<void> {
  for (let version = known ?? currentVersion; version < currentVersion; version++) {
    await migrations.get(version)?.(folder);
  }
  if (known === currentVersion) return;
  await writeDurably(join(folder, 'version.json'), `${JSON.stringify({ version: currentVersion })}\n`);
}

/** What a killed process wrote aside and never put in place. */
async function removeAsides(folder: string): Promise<void> {
  const asides = (await readdir(folder)).filter((name) => /^(?:lock|version\.json)\..*\.tmp$/.test(name));
  for (const name of asides) await rm(join(folder, name), { force: true });
}

async function closeToOthers(folder: string): Promise<readonly string[]> {
  const { mode } = await stat(folder);
  if (process.platform === 'win32' || (mode & 0o077) === 0) return [];
  try {
    await chmod(folder, 0o700);
    return [];
  } catch {
    return [`Others can look into the data folder ${folder}, and its rights cannot be changed`];
  }
}
