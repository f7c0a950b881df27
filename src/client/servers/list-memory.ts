import { createHash, randomBytes } from 'node:crypto';
import { constants } from 'node:fs';
import { open, readdir, rename, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import * as z from 'zod';
import type { Log } from '../../log.js';
import { cacheFolder } from '../../python/cache-folder.js';
import type { Tool } from '../../toolbox.js';
import { readTool } from '../results.js';

/** A list as it was at some time. */
export interface RememberedList {
  readonly tools: readonly Tool[];
  readonly title?: string;
  readonly instructions?: string;
  readonly expiresAt: number;
}

/** Lists of tools that outlast this process. Whatever goes wrong here costs a start of a server, and nothing else. */
export interface ListMemory {
  recall(key: string): Promise<RememberedList | undefined>;
  remember(key: string, list: RememberedList): Promise<void>;
  forget(key: string): Promise<void>;
}

const mostBytes = 32 * 1024 * 1024;
const mostFiles = 256;

/** The folder is private to the user, and so is each file. A file is what was written or counts as none. */
export function createListMemory(cacheDir: string | undefined, log: Log, now: () => number = Date.now): ListMemory {
  if (cacheDir === undefined) return noMemory;
  let found: Promise<string | undefined> | undefined;
  const folder = () => {
    found ??= folderIn(cacheDir).catch((error: unknown) => {
      log.warn('lists of tools are not remembered', { reason: error instanceof Error ? error.message : String(error) });
      return undefined;
    });
    return found;
  };
  const forget = async (key: string): Promise<void> => {
    await withFile(key, (file) => rm(file, { force: true }));
  };
  const withFile = async <T>(
    key: string,
    work: (file: string, inside: string) => Promise<T>,
  ): Promise<T | undefined> => {
    const inside = await folder();
    return inside === undefined ? undefined : work(join(inside, `${key}.json`), inside).catch(() => undefined);
  };

  return {
    recall: (key) =>
      withFile(key, async (file) => {
        const list = parse(await readPrivate(file), key);
        return list && list.expiresAt > now() ? list : undefined;
      }),
    async remember(key, list) {
      const body = JSON.stringify(list);
      const text = `${headOf(key, body)}\n${body}`;
      if (Buffer.byteLength(text) > mostBytes) return forget(key);
      await withFile(key, async (file, inside) => {
        await replaceFile(file, text);
        await dropOldest(inside);
      });
    },
    forget,
  };
}

/** One of its own, since others use the cache too. Both are checked: who may write to one may exchange the other. */
async function folderIn(cacheDir: string): Promise<string | undefined> {
  await cacheFolder({ cacheDir });
  return cacheFolder({ cacheDir: join(cacheDir, 'tool-lists') });
}

const noMemory: ListMemory = {
  recall: async () => undefined,
  remember: async () => {},
  forget: async () => {},
};

/** Says what the rest is, so that a part of a file, or one that somebody edited, is none. */
function headOf(key: string, body: string): string {
  return JSON.stringify({ format: 1, key, sha256: createHash('sha256').update(body).digest('hex') });
}

const listSchema = z.object({
  tools: z.array(z.unknown()),
  title: z.string().optional(),
  instructions: z.string().optional(),
  expiresAt: z.number(),
});

function parse(text: string, key: string): RememberedList | undefined {
  const end = text.indexOf('\n');
  const body = text.slice(end + 1);
  if (end === -1 || text.slice(0, end) !== headOf(key, body)) return undefined;
  const { tools, ...list } = listSchema.parse(JSON.parse(body));
  return { ...list, tools: tools.map(readTool).filter((tool) => typeof tool !== 'string') };
}

async function readPrivate(file: string): Promise<string> {
  const handle = await open(file, constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0));
  try {
    const found = await handle.stat();
    const isOwn = process.getuid === undefined || found.uid === process.getuid();
    if (!found.isFile() || !isOwn || found.size > mostBytes) throw new Error('This is not what was written here');
    return await handle.readFile('utf8');
  } finally {
    await handle.close();
  }
}

async function replaceFile(file: string, text: string): Promise<void> {
  const draft = `${file}.${randomBytes(6).toString('hex')}`;
  try {
    await writeFile(draft, text, { mode: 0o600, flag: 'wx' });
    await rename(draft, file);
  } catch (error) {
    await rm(draft, { force: true });
    throw error;
  }
}

async function dropOldest(folder: string): Promise<void> {
  const names = (await readdir(folder)).filter((name) => /^[0-9a-f]{64}\.json/.test(name));
  if (names.length <= mostFiles) return;
  const files = await Promise.all(
    names.map(async (name) => {
      const file = join(folder, name);
      const found = await stat(file).catch(() => undefined);
      return { file, at: found?.mtimeMs ?? 0 };
    }),
  );
  const oldest = files.sort((one, other) => one.at - other.at).slice(0, files.length - mostFiles);
  await Promise.all(oldest.map(({ file }) => rm(file, { force: true })));
}
