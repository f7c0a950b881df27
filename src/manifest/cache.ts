import { createHash, randomUUID } from 'node:crypto';
import { readFileSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { pythonPart } from '../python/part.js';
import type { FoundScript } from './found.js';

/** Raised whenever discovery says something else of the same script. */
const discoveryVersion = 2;
const maxEntries = 4000;
const digestLength = 64;

/** What was found, and the state of everything beside the script that it was found from. */
interface Entry {
  readonly found: FoundScript;
  /** Each file with its hash, or null where it was not there. */
  readonly beside: readonly (readonly [file: string, hash: string | null])[];
}

/** What was found earlier in a script, if nothing that it was found from has changed; in as few system calls as possible. */
export function recallFound(folder: string, script: string): FoundScript | undefined {
  try {
    const entry = readEntry(folder, script, readFileSync(script));
    return entry !== undefined && isCurrent(entry, script) ? entry.found : undefined;
  } catch {
    // Nothing is remembered, or the script is gone: discovery says which.
    return undefined;
  }
}

/** Keeps what was found for later. A cache that cannot be written costs time, and nothing else. */
export async function rememberFound(folder: string, found: FoundScript): Promise<void> {
  const { mkdir, rename, rm, writeFile } = await import('node:fs/promises');
  const { importedFiles } = await import('./imported.js');
  const { path, sha256 } = found.script;
  const draft = join(folder, `.${randomUUID()}`);
  try {
    const bytes = readFileSync(path);
    if (hashOf(bytes) !== sha256) return;
    const beside = [join(dirname(path), 'requirements.txt'), ...importedFiles(found.script)];
    const entry: Entry = { found, beside: beside.map((file) => [file, hashOfFile(file)]) };
    const text = JSON.stringify(entry);
    await mkdir(folder, { mode: 0o700 }).catch(() => undefined);
    await writeFile(draft, `${hashOf(text)}${text}`, { mode: 0o600, flag: 'wx' });
    await rename(draft, join(folder, keyOf(path, bytes)));
  } catch {
    await rm(draft, { force: true }).catch(() => undefined);
  }
}

/** Removes the oldest entries where there are too many. */
export async function pruneFound(folder: string, most: number = maxEntries): Promise<void> {
  const { readdir, rm, stat } = await import('node:fs/promises');
  const names = await readdir(folder).catch(() => []);
  if (names.length <= most) return;
  const ages = names.map(async (name) => ({ name, writtenMs: (await stat(join(folder, name))).mtimeMs }));
  const aged = (await Promise.allSettled(ages)).flatMap((age) => (age.status === 'fulfilled' ? [age.value] : []));
  aged.sort((one, other) => one.writtenMs - other.writtenMs);
  const surplus = aged.slice(0, names.length - Math.floor(most * 0.9));
  await Promise.all(surplus.map(({ name }) => rm(join(folder, name), { force: true }).catch(() => undefined)));
}

export function hashOf(content: Buffer | string): string {
  return createHash('sha256').update(content).digest('hex');
}

export function hasHash(file: string, sha256: string): boolean {
  try {
    return hashOfFile(file) === sha256;
  } catch {
    return false;
  }
}

function readEntry(folder: string, script: string, bytes: Buffer): Entry | undefined {
  const text = readFileSync(join(folder, keyOf(script, bytes)), 'utf8');
  const content = text.slice(digestLength);
  if (hashOf(content) !== text.slice(0, digestLength)) return undefined;
  // What we wrote ourselves, whole and unchanged, needs no second look at its form.
  const entry: Entry = JSON.parse(content);
  return entry;
}

function isCurrent({ found, beside }: Entry, script: string): boolean {
  return (
    found.script.path === script &&
    found.script.files.every(({ path, sha256 }) => hasHash(path, sha256)) &&
    beside.every(([file, hash]) => hashOfFile(file) === hash)
  );
}

/** null where there is no such file. */
function hashOfFile(file: string): string | null {
  // Most are not there, and asking costs far less than a failure to read.
  if (statSync(file, { throwIfNoEntry: false })?.isFile() !== true) return null;
  return hashOf(readFileSync(file));
}

function keyOf(script: string, bytes: Buffer): string {
  const hash = createHash('sha256');
  for (const part of [String(discoveryVersion), packageVersion(), script]) hash.update(`${part.length}:${part}`);
  return hash.update(bytes).digest('hex');
}

let version: string | undefined;

/** Read without a schema, because this is on the way to the first answer. That of an export is the version of the bundle. */
function packageVersion(): string {
  version ??= /"version":\s*"([^"]*)"/.exec(textOf(join(pythonPart(), '..', 'package.json')))?.[1] ?? '';
  return version;
}

function textOf(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return '';
  }
}
