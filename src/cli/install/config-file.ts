import { randomUUID } from 'node:crypto';
import { chmod, constants, copyFile, mkdir, readFile, realpath, rename, rm, stat, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { CallerError } from '../../errors.js';
import { malformed } from './config-error.js';

/** A client's file as it was found. */
export interface ConfigFile {
  /** Where the bytes are: a link was followed. */
  readonly path: string;
  readonly text: string;
  readonly hasMark: boolean;
  /** Not there where there was no file. */
  readonly mode?: number;
}

const mark = '\uFEFF';

export async function readConfig(file: string): Promise<ConfigFile> {
  const path = await realpath(file).catch(() => file);
  try {
    const [bytes, { mode }] = [await readFile(path), await stat(path)];
    const text = decode(bytes, file);
    return { path, text: text.startsWith(mark) ? text.slice(1) : text, hasMark: text.startsWith(mark), mode };
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return { path, text: '', hasMark: false };
    if (error instanceof CallerError) throw error;
    throw cannot('read', file, error);
  }
}

/** Puts the new text in place whole, and gives the path of the copy of the old one, if there was one. */
export async function replaceConfig(config: ConfigFile, text: string, now = new Date()): Promise<string | undefined> {
  const { path, mode, hasMark } = config;
  if (mode !== undefined && (mode & 0o222) === 0) throw cannot('written', path, new Error('it is read-only'));
  if ((await readConfig(path)).text !== config.text)
    throw cannot('written', path, new Error('it changed meanwhile; try again'));
  const fresh = `${path}.${randomUUID().slice(0, 8)}`;
  try {
    await mkdir(dirname(path), { recursive: true });
    const backup = mode === undefined ? undefined : await keep(path, now);
    await writeFile(fresh, hasMark ? mark + text : text, { flag: 'wx', mode: mode ?? 0o600 });
    if (mode !== undefined) await chmod(fresh, mode & 0o777);
    await rename(fresh, path);
    return backup;
  } catch (error) {
    await rm(fresh, { force: true }).catch(() => undefined);
    throw cannot('written', path, error);
  }
}

async function keep(path: string, now: Date): Promise<string> {
  const two = (number: number) => String(number).padStart(2, '0');
  const day = `${now.getFullYear()}${two(now.getMonth() + 1)}${two(now.getDate())}`;
  const stamp = `${day}-${two(now.getHours())}${two(now.getMinutes())}${two(now.getSeconds())}`;
  for (let number = 1; ; number++) {
    const backup = `${path}.bak-${stamp}${number === 1 ? '' : `-${number}`}`;
    try {
      await copyFile(path, backup, constants.COPYFILE_EXCL);
      return backup;
    } catch (error) {
      if (codeOf(error) !== 'EEXIST') throw error;
    }
  }
}

function decode(bytes: Buffer, file: string): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    throw malformed(file, 'it is not text in UTF-8');
  }
}

function cannot(verb: 'read' | 'written', file: string, error: unknown): CallerError {
  const reason = error instanceof Error ? error.message : String(error);
  const message = `${file} cannot be ${verb}: ${reason}`;
  return new CallerError('INVALID_CONFIG', message, { argument: '--config', file }, { cause: error });
}

function codeOf(error: unknown): unknown {
  return error instanceof Error && 'code' in error ? error.code : undefined;
}
