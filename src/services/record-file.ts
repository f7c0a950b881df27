import { randomUUID } from 'node:crypto';
import { access, constants, copyFile, link, mkdir, rename, rm, writeFile } from 'node:fs/promises';
import { dirname, extname } from 'node:path';
import { CallerError } from '../errors.js';

/** The file of a recording, which is written again and again, each time whole or not at all. */
export interface RecordFile {
  /** Resolves when it is on the disk. */
  save(text: string): Promise<void>;
  /** Where it is, once it was saved. */
  readonly path: string | undefined;
}

export interface RecordFileOptions {
  /** Writes over a file that is there; otherwise its name gets the next number that is free. */
  readonly force?: boolean;
}

const mostNumbers = 1000;

/** Rejects where nothing can be written there, before anything is recorded. */
export async function openRecordFile(file: string, { force = false }: RecordFileOptions = {}): Promise<RecordFile> {
  const folder = dirname(file);
  try {
    await mkdir(folder, { recursive: true });
    await access(folder, constants.W_OK);
  } catch (cause) {
    throw cannotWrite(file, cause);
  }
  let path = force ? file : undefined;
  let isSaved = false;
  let last = Promise.resolve();
  return {
    get path() {
      return isSaved ? path : undefined;
    },
    save(text) {
      const saved = last.then(() => write(text));
      last = saved.catch(() => {});
      return saved;
    },
  };

  async function write(text: string): Promise<void> {
    const draft = `${file}.${randomUUID()}.tmp`;
    try {
      await writeFile(draft, text, { flag: 'wx' });
      if (path === undefined) path = await placeFree(draft, file);
      else await rename(draft, path);
      isSaved = true;
    } catch (cause) {
      throw cannotWrite(file, cause);
    } finally {
      await rm(draft, { force: true });
    }
  }
}

/** A client starts its servers again and again, and no recording is to replace the one before. */
async function placeFree(draft: string, file: string): Promise<string> {
  const ending = extname(file);
  const stem = file.slice(0, file.length - ending.length);
  for (let number = 1; number <= mostNumbers; number += 1) {
    const path = number === 1 ? file : `${stem}-${number}${ending}`;
    try {
      await placeNew(draft, path);
      return path;
    } catch (error) {
      if (!isThere(error)) throw error;
    }
  }
  throw new Error(`there are ${mostNumbers} recordings of that name already`);
}

/** Not every file system has links; a copy is there as well, if not at once. */
async function placeNew(draft: string, path: string): Promise<void> {
  try {
    await link(draft, path);
  } catch (error) {
    if (isThere(error)) throw error;
    await copyFile(draft, path, constants.COPYFILE_EXCL);
  }
}

function isThere(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'EEXIST';
}

function cannotWrite(file: string, cause: unknown): CallerError {
  const reason = cause instanceof Error ? cause.message : String(cause);
  return new CallerError('INVALID_SUITE', `The suite cannot be written to ${file}: ${reason}`, { file }, { cause });
}
