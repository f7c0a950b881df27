import { randomUUID } from 'node:crypto';
import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import * as z from 'zod';
import { CallerError } from '../../errors.js';
import { type KeyEntry, keyEntriesSchema } from '../access/keys.js';

const keysFileSchema = z.strictObject({ keys: keyEntriesSchema });

/** The file of keys in a data folder. */
export function keysFileOf(dataFolder: string): string {
  return join(dataFolder, 'keys.json');
}

/** The keys that mcp-exec key has put there; none where there is no file. */
export async function readKeysFile(file: string): Promise<readonly KeyEntry[]> {
  const text = await readFile(file, 'utf8').catch((cause: unknown) => {
    if (cause instanceof Error && 'code' in cause && cause.code === 'ENOENT') return undefined;
    throw cannot('read', file, cause);
  });
  if (text === undefined) return [];
  const parsed = keysFileSchema.safeParse(asJson(text, file));
  if (parsed.success) return parsed.data.keys;
  const [issue] = parsed.error.issues;
  throw malformed(file, `${issue?.path.join('.')}: ${issue?.message}`);
}

/** Puts an entry beside those that are there; the file is exchanged whole, and only its owner reads it. */
export async function addToKeysFile(file: string, entry: KeyEntry): Promise<void> {
  const keys = [...(await readKeysFile(file)), entry];
  const draft = `${file}.${randomUUID().slice(0, 8)}`;
  try {
    await mkdir(dirname(file), { recursive: true, mode: 0o700 });
    await writeFile(draft, `${JSON.stringify({ keys }, null, 2)}\n`, { flag: 'wx', mode: 0o600 });
    await rename(draft, file);
  } catch (cause) {
    await rm(draft, { force: true }).catch(() => undefined);
    throw cannot('written', file, cause);
  }
}

function asJson(text: string, file: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw malformed(file, cause instanceof Error ? cause.message : String(cause));
  }
}

function malformed(file: string, reason: string): CallerError {
  return new CallerError('INVALID_CONFIG', `${file}: ${reason}`, { file });
}

function cannot(verb: 'read' | 'written', file: string, cause: unknown): CallerError {
  const reason = cause instanceof Error ? cause.message : String(cause);
  return new CallerError('INVALID_CONFIG', `${file} cannot be ${verb}: ${reason}`, { file }, { cause });
}
