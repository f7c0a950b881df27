import { constants } from 'node:fs';
import { open } from 'node:fs/promises';
import { basename, resolve } from 'node:path';
import { CallerError } from '../../errors.js';
import type { ExecuteOptions } from '../code-execution.js';
import { plainText } from './plain-text.js';
import { openSaved, type SavedScripts } from './saved-scripts.js';

/** A script as it is run, and as it would be saved: byte for byte what was given. */
export interface ScriptText {
  readonly source: string;
  readonly bytes: Buffer;
  readonly filename: string;
}

const maxScriptBytes = 1024 * 1024;

/** Of `script`, `path` and `saved` one is given. */
export async function readScript(
  { script, path, saved }: Pick<ExecuteOptions, 'script' | 'path' | 'saved'>,
  savedScripts: Pick<SavedScripts, 'pathOf' | 'unknown'>,
): Promise<ScriptText> {
  const given = Object.entries({ script, path, saved }).filter(([, value]) => value !== undefined);
  const [[name, value] = ['script', undefined]] = given;
  if (given.length !== 1) {
    const found = given.length === 0 ? 'none is' : `${given.map(([each]) => each).join(' and ')} are`;
    throw invalid(`One of script (source text), path and saved has to be given, and ${found}`);
  }
  if (typeof value !== 'string') throw invalid(`The ${name} must be a text`);
  if (name === 'script') return checked({ bytes: Buffer.from(value), filename: '<script>', whose: 'The script' });
  if (name === 'saved') return readSaved(value, savedScripts);
  const whose = plainText(value, 300);
  const bytes = await readBytes(resolve(value), (reason) => invalid(`${whose} cannot be read: ${reason}`));
  return checked({ bytes, filename: basename(value), whose });
}

async function readSaved(name: string, saved: Pick<SavedScripts, 'pathOf' | 'unknown'>): Promise<ScriptText> {
  const path = saved.pathOf(name);
  const unknown = await saved.unknown(name);
  const bytes = await readBytes(path, () => unknown, openSaved);
  return checked({ bytes, filename: basename(path), whose: basename(path) });
}

/** Never waits for a pipe that nobody writes to. */
async function readBytes(
  path: string,
  refusal: (reason: string) => Error,
  flags = constants.O_RDONLY | (constants.O_NONBLOCK ?? 0),
): Promise<Buffer> {
  if (path.includes('\0')) throw refusal('its name holds a NUL');
  const handle = await open(path, flags).catch((error: unknown) => {
    throw refusal(reasonOf(error));
  });
  try {
    const found = await handle.stat();
    if (!found.isFile()) throw refusal(found.isDirectory() ? 'it is a folder' : 'it is no file');
    if (found.size > maxScriptBytes) throw tooLarge(found.size);
    return await handle.readFile();
  } finally {
    await handle.close();
  }
}

function checked({ bytes, filename, whose }: { bytes: Buffer; filename: string; whose: string }): ScriptText {
  if (bytes.length > maxScriptBytes) throw tooLarge(bytes.length);
  const source = decoded(bytes, whose);
  if (source.trim() === '') throw invalid(`${whose} is empty`);
  return { source, bytes, filename };
}

/** Without the mark that some editors put first, which Python takes for a mistake in a text. */
function decoded(bytes: Buffer, whose: string): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw invalid(`${whose} is not text in UTF-8`);
  }
}

const reasons: Readonly<Record<string, string>> = {
  ENOENT: 'there is no such file',
  ENOTDIR: 'there is no such file',
  EACCES: 'this user may not read it',
  EISDIR: 'it is a folder',
  ELOOP: 'its symbolic links lead in a circle',
  ENXIO: 'it is no file',
};

function reasonOf(error: unknown): string {
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  return reasons[code] ?? (code || 'the reason is not known');
}

function tooLarge(bytes: number): CallerError {
  return invalid(
    `The script takes ${bytes} bytes; ${maxScriptBytes} are the most. Give data with context or a tool instead`,
  );
}

function invalid(message: string): CallerError {
  return new CallerError('INVALID_SCRIPT', message);
}
