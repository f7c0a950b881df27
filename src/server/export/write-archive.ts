import { randomUUID } from 'node:crypto';
import { mkdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
// The build for browsers starts no threads, so that it works in a bundle.
import { type Zippable, zipSync } from 'fflate/browser';
import type { BundleFile } from './contents.js';
import { wrongPlace } from './write-folder.js';

/** Writes the files as one archive, of the same bytes for the same files, and gives its size. */
export async function writeArchive(files: readonly BundleFile[], path: string, signal?: AbortSignal): Promise<number> {
  const entries: Zippable = {};
  for (const file of files) {
    signal?.throwIfAborted();
    const data = 'from' in file ? await readFile(file.from) : Buffer.from(file.text);
    entries[file.path] = [data, { level: 9, mtime: firstDay, os: unix, attrs: ordinaryFile }];
  }
  const archive = zipSync(entries);
  await mkdir(dirname(path), { recursive: true });
  const fresh = join(dirname(path), `.${randomUUID().slice(0, 8)}.mcpb`);
  try {
    await writeFile(fresh, archive);
    await rename(fresh, path);
  } finally {
    await rm(fresh, { force: true });
  }
  return archive.length;
}

export async function checkArchive(path: string): Promise<void> {
  const kind = await stat(path).catch(() => undefined);
  if (kind?.isDirectory()) throw wrongPlace(`${path} is a folder; name a file that is to be written`);
}

/** The first day that an archive can name, without a time zone. */
const firstDay = new Date(1980, 0, 1);
const unix = 3;
const ordinaryFile = 0o100644 << 16;
