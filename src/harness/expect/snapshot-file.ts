import { randomUUID } from 'node:crypto';
import { mkdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { CallerError } from '../../errors.js';
import { isJsonObject, type JsonValue } from '../../toolbox.js';
import { printable } from './shown.js';
import { linesJoined, linesSplit } from './snapshot-lines.js';

/** By the id of the case, then by name. */
export type Kept = ReadonlyMap<string, ReadonlyMap<string, JsonValue>>;

const version = 1;
const largestFile = 64 * 1024 * 1024;
const outsideOfNames = /[\p{Cc}\\/:*?"<>|]+/gu;

/** Beside the suite, in a folder for all of them. */
export function snapshotFileOf(suiteFile: string, folder = dirname(suiteFile)): string {
  return join(folder, '__snapshots__', `${basename(suiteFile).replace(outsideOfNames, '_')}.snap.json`);
}

export async function readSnapshots(file: string): Promise<Kept> {
  const text = await textOf(file);
  if (text === undefined) return new Map();
  let document: JsonValue;
  try {
    document = JSON.parse(text);
  } catch (cause) {
    throw broken(file, `it is no JSON: ${cause instanceof Error ? cause.message : String(cause)}`, cause);
  }
  if (!isJsonObject(document)) throw broken(file, 'it is no object');
  if (document.version !== version) throw broken(file, `its version is not ${version}`);
  if (!isJsonObject(document.snapshots)) throw broken(file, 'it has no object "snapshots"');
  return new Map(
    Object.entries(document.snapshots).map(([id, names]) => {
      if (!isJsonObject(names)) throw broken(file, `what it has for ${JSON.stringify(id)} is no object`);
      return [id, new Map(Object.entries(names).map(([name, value]) => [name, linesJoined(value)]))];
    }),
  );
}

/** Puts the new file in the place of the old one whole or not at all, and leaves alone one that says the same. */
export async function writeSnapshots(file: string, kept: Kept): Promise<void> {
  try {
    if (kept.size === 0) return await rm(file, { force: true });
    const text = snapshotText(kept);
    if ((await textOf(file)) === text) return;
    await mkdir(dirname(file), { recursive: true });
    await replace(file, text);
  } catch (cause) {
    if (cause instanceof CallerError) throw cause;
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new CallerError(
      'INVALID_SUITE',
      `The snapshots cannot be written to ${file}: ${reason}`,
      { file },
      { cause },
    );
  }
}

/** Sorted, so that the same snapshots are the same text and a change is a change of few lines. */
export function snapshotText(kept: Kept): string {
  const snapshots = sorted([...kept].map(([id, names]) => [id, sorted([...names].map(split))]));
  return `${printable(JSON.stringify({ version, snapshots }, null, 2))}\n`;
}

function split([name, value]: readonly [string, JsonValue]): [string, JsonValue] {
  return [name, linesSplit(value)];
}

function sorted<T>(entries: readonly [string, T][]): Record<string, T> {
  return Object.fromEntries([...entries].sort(([one], [other]) => (one < other ? -1 : 1)));
}

async function textOf(file: string): Promise<string | undefined> {
  try {
    const found = await stat(file);
    if (!found.isFile()) throw broken(file, 'it is no file');
    const { size } = found;
    if (size > largestFile) throw broken(file, `it has ${size} bytes, more than ${largestFile}`);
    return await readFile(file, 'utf8');
  } catch (cause) {
    if (cause instanceof CallerError) throw cause;
    if (cause instanceof Error && 'code' in cause && cause.code === 'ENOENT') return undefined;
    throw broken(file, cause instanceof Error ? cause.message : String(cause), cause);
  }
}

async function replace(file: string, text: string): Promise<void> {
  const draft = `${file}.${randomUUID()}.tmp`;
  try {
    await writeFile(draft, text, { flag: 'wx' });
    await rename(draft, file);
  } catch (error) {
    await rm(draft, { force: true });
    throw error;
  }
}

function broken(file: string, reason: string, cause?: unknown): CallerError {
  const advice = 'Mend it, or delete it and run with --update-snapshots to keep the answers anew.';
  return new CallerError(
    'INVALID_SUITE',
    `The snapshots in ${file} cannot be read: ${reason}. ${advice}`,
    { file },
    { cause },
  );
}
