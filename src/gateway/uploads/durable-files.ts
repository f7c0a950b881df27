import { randomUUID } from 'node:crypto';
import { mkdir, open, readdir, rename, rm, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';

const filesAtOnce = 8;

/** The file as it was, or as it is now, whenever the machine stops: it is written aside, flushed, and put in place. */
export async function writeDurably(file: string, text: string, aside: string = `${file}.${randomUUID()}.tmp`) {
  try {
    const handle = await open(aside, 'wx', 0o600);
    try {
      await handle.writeFile(text);
      await handle.sync();
    } finally {
      await handle.close();
    }
    await rename(aside, file);
  } catch (error) {
    await rm(aside, { force: true });
    throw error;
  }
  await flushFolder(dirname(file));
}

/** A folder for its owner alone, and the folders above it. In places such as /proc Node's own way never comes to an end. */
export async function makeFolder(path: string): Promise<void> {
  const refused = await mkdir(path, { mode: 0o700 }).catch((error: unknown) => error);
  if (refused === undefined || (await isFolder(path))) return;
  const parent = dirname(path);
  const isMissing = refused instanceof Error && 'code' in refused && refused.code === 'ENOENT';
  if (!isMissing || (await isFolder(parent))) throw refused;
  await makeFolder(parent);
  await makeFolder(path);
}

async function isFolder(path: string): Promise<boolean> {
  const found = await stat(path).catch(() => undefined);
  return found?.isDirectory() === true;
}

/** Everything below the folder, and the folder itself. */
export async function flushTree(folder: string): Promise<void> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const waiting = entries.map((entry) => ({
    path: join(entry.parentPath, entry.name),
    flush: entry.isDirectory() ? flushFolder : flushFile,
  }));
  const work = async () => {
    for (let next = waiting.pop(); next; next = waiting.pop()) await next.flush(next.path);
  };
  await Promise.all(Array.from({ length: filesAtOnce }, work));
  await flushFolder(folder);
}

/** What was created, renamed or removed in it. */
export async function flushFolder(folder: string): Promise<void> {
  // Windows knows no flushing of folders.
  if (process.platform === 'win32') return;
  const handle = await open(folder, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

async function flushFile(file: string): Promise<void> {
  const handle = await open(file, 'r+');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}
