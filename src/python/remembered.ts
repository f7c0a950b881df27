import { randomBytes } from 'node:crypto';
import { type FileHandle, open, readFile, realpath, rename, rm, stat, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import * as z from 'zod';
import { type Interpreter, interpreterSchema } from './ask.js';
import type { Command } from './candidates.js';

const maxEntries = 32;
const fileName = 'interpreters.json';

const entrySchema = z.strictObject({
  command: z.string(),
  fingerprint: z.string(),
  executableFingerprint: z.string(),
  interpreter: interpreterSchema,
});
type Entry = z.output<typeof entrySchema>;

/** Everything that decides what a command answers; undefined when that cannot be known from files alone. */
export async function fingerprintOf({ path }: Command, environment: NodeJS.ProcessEnv): Promise<string | undefined> {
  const parts = [await describeFile(path), ...(await describeVenv(path))];
  if (basename(dirname(path)) === 'shims') {
    if (!(await isPyenvShim(path))) return undefined;
    parts.push(...(await describePyenv(path, environment)));
  }
  return parts.join('|');
}

/** What an earlier run learnt, if nothing it depends on has changed since. */
export async function recall(folder: string, command: Command, fingerprint: string): Promise<Interpreter | undefined> {
  const name = nameOf(command);
  const entry = (await readEntries(folder)).find(
    (known) => known.command === name && known.fingerprint === fingerprint,
  );
  if (entry === undefined) return undefined;
  const unchanged = entry.executableFingerprint === (await describeExecutable(entry.interpreter));
  return unchanged ? entry.interpreter : undefined;
}

/** Keeps an answer for later runs, unless an unknown shim gave it: what such a one says next time is its own affair. */
export async function remember(
  folder: string,
  command: Command,
  fingerprint: string,
  interpreter: Interpreter,
): Promise<void> {
  const isShim = basename(dirname(command.path)) === 'shims';
  if (!isShim && !(await isSameFile(command.path, interpreter.executable))) return;
  const entry: Entry = {
    command: nameOf(command),
    fingerprint,
    executableFingerprint: await describeExecutable(interpreter),
    interpreter,
  };
  // A shell and an npm script, which has another PATH, would otherwise forget for each other.
  const others = (await readEntries(folder)).filter(
    (known) => known.command !== entry.command || known.fingerprint !== fingerprint,
  );
  await replaceFile(join(folder, fileName), JSON.stringify([entry, ...others].slice(0, maxEntries)));
}

async function readEntries(folder: string): Promise<readonly Entry[]> {
  try {
    return z.array(entrySchema).parse(JSON.parse(await readFile(join(folder, fileName), 'utf8')));
  } catch {
    return [];
  }
}

async function replaceFile(path: string, text: string): Promise<void> {
  const draft = `${path}.${randomBytes(6).toString('hex')}`;
  try {
    await writeFile(draft, text, { mode: 0o600, flag: 'wx' });
    await rename(draft, path);
  } catch {
    await rm(draft, { force: true }).catch(() => undefined);
  }
}

function nameOf({ path, args }: Command): string {
  return [path, ...args].join('\0');
}

async function describeExecutable({ executable }: Interpreter): Promise<string> {
  return [await describeFile(executable), ...(await describeVenv(executable))].join('|');
}

function describeVenv(path: string): Promise<string[]> {
  const folder = dirname(path);
  return Promise.all([folder, dirname(folder)].map((place) => describeFile(join(place, 'pyvenv.cfg'))));
}

/** pyenv chooses by these; the rest of its shim is the same for every version. */
async function describePyenv(shim: string, environment: NodeJS.ProcessEnv): Promise<string[]> {
  const root = dirname(dirname(shim));
  return [
    environment.PYENV_VERSION ?? '',
    environment.PATH ?? '',
    await describeFile(join(root, 'versions')),
    await readFile(join(root, 'version'), 'utf8').catch(() => ''),
    await nearestVersionFile(environment.PYENV_DIR ?? process.cwd()),
  ];
}

async function nearestVersionFile(folder: string): Promise<string> {
  const text = await readFile(join(folder, '.python-version'), 'utf8').catch(() => undefined);
  if (text !== undefined) return text;
  const parent = dirname(folder);
  return parent === folder ? '' : nearestVersionFile(parent);
}

async function isPyenvShim(path: string): Promise<boolean> {
  let file: FileHandle | undefined;
  try {
    file = await open(path);
    const { buffer, bytesRead } = await file.read(Buffer.alloc(2048), 0, 2048, 0);
    return /pyenv["']? exec /.test(buffer.toString('latin1', 0, bytesRead));
  } catch {
    return false;
  } finally {
    await file?.close();
  }
}

async function describeFile(path: string): Promise<string> {
  try {
    const { mtimeMs, ctimeMs, size, ino } = await stat(path);
    return [mtimeMs, ctimeMs, size, ino].join(',');
  } catch {
    return '-';
  }
}

async function isSameFile(first: string, second: string): Promise<boolean> {
  try {
    return (await realpath(first)) === (await realpath(second));
  } catch {
    return false;
  }
}
