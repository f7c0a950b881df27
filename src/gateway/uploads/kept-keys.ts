import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { CallerError } from '../../errors.js';
import { type KeyEntry, keyEntriesSchema } from '../access/keys.js';
import { writeDurably } from './durable-files.js';

/** The keys in the data folder, which stand beside those of the config file; none where there is no keys.json. */
export async function readKeptKeys(folder: string): Promise<readonly KeyEntry[]> {
  const file = join(folder, 'keys.json');
  const text = await readFile(file, 'utf8').catch((error: unknown) => {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return '[]';
    throw error;
  });
  return keysIn(text, file);
}

/** The gateway that uses the folder may run meanwhile: it reads either the old file or the new one. */
export async function addKeptKey(folder: string, entry: KeyEntry): Promise<void> {
  const entries = [...(await readKeptKeys(folder)), entry];
  await writeDurably(join(folder, 'keys.json'), `${JSON.stringify(entries, undefined, 2)}\n`);
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
