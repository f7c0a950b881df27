import { randomUUID } from 'node:crypto';
import { copyFile, mkdir, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import * as z from 'zod';
import { CallerError } from '../../errors.js';
import { bundleMark } from './bundle-manifest.js';
import type { BundleFile } from './contents.js';

/** Writes the files beside their folder and then puts them in its place, so that nothing is ever half written. */
export async function writeFolder(files: readonly BundleFile[], folder: string, signal?: AbortSignal): Promise<number> {
  const fresh = join(dirname(folder), `.${basename(folder)}.${randomUUID().slice(0, 8)}`);
  try {
    let bytes = 0;
    for (const file of files) {
      signal?.throwIfAborted();
      bytes += await writeOne(file, join(fresh, file.path));
    }
    await swap(fresh, folder);
    return bytes;
  } finally {
    await rm(fresh, { recursive: true, force: true });
  }
}

/** What is there is given up only where it is an earlier export, or where that was asked for. */
export async function checkFolder(folder: string, force: boolean): Promise<void> {
  const names = await readdir(folder).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return [];
    const reason = error.code === 'ENOTDIR' ? 'is a file; name a folder, or a file that ends in .mcpb' : error.message;
    throw wrongPlace(`${folder} ${reason}`, error);
  });
  if (names.length === 0 || force || (await isExport(folder))) return;
  throw wrongPlace(
    `${folder} is not empty and is no earlier export; choose another folder, or give up what is in it with --force`,
  );
}

export function wrongPlace(reason: string, cause?: unknown): CallerError {
  return new CallerError('INVALID_ARGUMENTS', `--to: ${reason}`, { argument: '--to' }, { cause });
}

const markedSchema = z.object({ _meta: z.object({ [bundleMark]: z.unknown() }) });

async function isExport(folder: string): Promise<boolean> {
  const text = await readFile(join(folder, 'manifest.json'), 'utf8').catch(() => '');
  try {
    return markedSchema.safeParse(JSON.parse(text)).success;
  } catch {
    return false;
  }
}

async function writeOne(file: BundleFile, path: string): Promise<number> {
  await mkdir(dirname(path), { recursive: true });
  if ('from' in file) await copyFile(file.from, path);
  else await writeFile(path, file.text);
  return (await stat(path)).size;
}

async function swap(fresh: string, folder: string): Promise<void> {
  const old = `${fresh}.old`;
  const hadOne = await rename(folder, old).then(
    () => true,
    (error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT') return false;
      throw wrongPlace(`${folder} cannot be replaced: ${error.message}`, error);
    },
  );
  try {
    await rename(fresh, folder);
  } catch (error) {
    if (hadOne) await rename(old, folder);
    throw error;
  }
  await rm(old, { recursive: true, force: true });
}
