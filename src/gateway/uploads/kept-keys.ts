import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { CallerError } from '../../errors.js';
import { type KeyEntry, keyEntriesSchema } from '../access/keys.js';
import { makeFolder, writeDurably } from './durable-files.js';
import { type FolderLock, takeFolderLock } from './folder-lock.js';

/** The keys in the data folder, which stand beside those of the config file; none where there is no keys.json. */
export async function readKeptKeys(folder: string): Promise<readonly KeyEntry[]> {
  const file = join(folder, 'keys.json');
  const text = await readFile(file, 'utf8').catch((error: unknown) => {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return '[]';
    throw unreadable(file, error);
  });
  return keysIn(text, file);
}

/** The gateway that uses the folder may run meanwhile: it reads either the old file or the new one. */
export async function addKeptKey(folder: string, entry: KeyEntry): Promise<void> {
  await makeFolder(folder);
  const lock = await lockKeys(join(folder, 'keys.lock'));
  try {
    const entries = [...(await readKeptKeys(folder)), entry];
    await writeDurably(join(folder, 'keys.json'), `${JSON.stringify(entries, undefined, 2)}\n`);
  } finally {
    await lock.release();
  }
}

const patienceMs = 5000;
const lookAgainMs = 20;

/** Two that add a key at once would each write a file without the key of the other. */
async function lockKeys(file: string): Promise<FolderLock> {
  for (const until = Date.now() + patienceMs; ; ) {
    try {
      return await takeFolderLock(file);
    } catch (error) {
      const isHeld = error instanceof CallerError && error.code === 'CONFLICT';
      if (!isHeld || Date.now() > until) throw error;
    }
    await pause(lookAgainMs);
  }
}

function unreadable(file: string, cause: unknown): CallerError {
  const reason = cause instanceof Error ? cause.message : String(cause);
  return new CallerError('INVALID_SETTING', `${file} cannot be read: ${reason}`, { setting: 'data', file }, { cause });
}

function keysIn(text: string, file: string): readonly KeyEntry[] {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (cause) {
    throw new CallerError('INVALID_CONFIG', `${file} is not valid JSON`, { file }, { cause });
  }
  const parsed = keyEntriesSchema.safeParse(value);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  throw new CallerError('INVALID_CONFIG', `${file}: ${issue?.path.join('.') || 'keys'}: ${issue?.message}`, { file });
}
