import { createHash } from 'node:crypto';
import { type FSWatcher, watch } from 'node:fs';
import { readdir, readFile, realpath, stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';

export interface WatchOptions {
  /** Quiet time after the last change, because editors write in several steps. */
  readonly debounceMs?: number;
  /** Hashes of the files as the caller read them: a file that is another by now is a change. */
  readonly known?: ReadonlyMap<string, string>;
  /** How often to look where the system cannot tell of changes. */
  readonly pollMs?: number;
}

export interface Watch {
  /** Resolves when changes from now on are seen. */
  readonly ready: Promise<void>;
  close(): void;
}

type Prints = Map<string, string>;

const foldersLeftOut = new Set(['node_modules', '__pycache__', 'venv', 'site-packages']);
const maxFolders = 1000;
const absent = 'absent';

/**
 * Tells when the content of one of the files changes, or of a Python file in or below one of the folders, new ones
 * included. Folders are watched, not files, because many editors write a new file and rename it.
 */
export function watchFiles(paths: readonly string[], onChange: () => void, options: WatchOptions = {}): Watch {
  const { debounceMs = 100, pollMs = 1000 } = options;
  const watchers = new Map<string, { readonly watcher: FSWatcher; readonly inode: number }>();
  let prints: Prints | undefined;
  let timer: NodeJS.Timeout | undefined;
  let looking: Promise<void> | undefined;
  let isClosed = false;
  let isDirty = false;

  return {
    ready: look(),
    close() {
      isClosed = true;
      clearTimeout(timer);
      for (const { watcher } of watchers.values()) watcher.close();
    },
  };

  function lookSoon(delayMs: number): void {
    if (isClosed) return;
    clearTimeout(timer);
    timer = setTimeout(() => void look(), delayMs);
  }

  /** One look at a time; what happens meanwhile is looked at after it. */
  function look(): Promise<void> {
    if (looking) isDirty = true;
    looking ??= compare().finally(() => {
      looking = undefined;
      if (isDirty) lookSoon(debounceMs);
      isDirty = false;
    });
    return looking;
  }

  /** The watchers first, so that what changes during the reading is seen by them. */
  async function compare(): Promise<void> {
    const { folders, files } = await findWatched(paths);
    const all = await watchAll(folders);
    const now = await printsOf(files);
    if (isClosed) return;
    const isOther = prints === undefined ? isAnother(options.known, now) : differ(prints, now);
    prints = now;
    if (!all) lookSoon(pollMs);
    if (isOther) onChange();
  }

  /** Whether all of them are watched; where not, there is polling. */
  async function watchAll(folders: ReadonlySet<string>): Promise<boolean> {
    for (const [folder, { watcher, inode }] of watchers) {
      if (folders.has(folder) && (await inodeOf(folder)) === inode) continue;
      watcher.close();
      watchers.delete(folder);
    }
    for (const folder of folders) await watchOne(folder);
    return watchers.size === folders.size;
  }

  async function watchOne(folder: string): Promise<void> {
    const inode = await inodeOf(folder);
    if (isClosed || watchers.has(folder) || inode === undefined) return;
    try {
      const watcher = watch(folder, { persistent: false }, (_event, name) => {
        if (name === null || concerns(folder, name)) lookSoon(debounceMs);
      });
      watcher.on('error', () => lookSoon(debounceMs));
      watchers.set(folder, { watcher, inode });
    } catch {
      // The system has no watcher left, or the folder is gone: polling sees what becomes of it.
    }
  }

  /** What Python writes beside scripts is no change; a name without an ending may be a folder. */
  function concerns(folder: string, name: string): boolean {
    if (name === '__pycache__') return false;
    return (
      name.endsWith('.py') ||
      !name.includes('.') ||
      name === basename(folder) ||
      paths.some((path) => path.endsWith(name))
    );
  }
}

async function findWatched(paths: readonly string[]) {
  const folders = new Set<string>();
  const files = new Set<string>();
  for (const path of paths) {
    if ((await kindOf(path)) === 'folder') await addFolder(path, folders, files);
    else {
      files.add(path);
      folders.add(dirname(path));
      folders.add(dirname(await realpath(path).catch(() => path)));
    }
  }
  return { folders, files };
}

async function addFolder(folder: string, folders: Set<string>, files: Set<string>): Promise<void> {
  if (folders.size >= maxFolders) return;
  folders.add(folder);
  for (const entry of await readdir(folder, { withFileTypes: true }).catch(() => [])) {
    const path = join(folder, entry.name);
    if (entry.name.startsWith('.') || foldersLeftOut.has(entry.name)) continue;
    if (entry.isDirectory()) await addFolder(path, folders, files);
    else if (entry.name.endsWith('.py')) files.add(path);
  }
}

async function printsOf(files: ReadonlySet<string>): Promise<Prints> {
  const prints: Prints = new Map();
  for (const file of files) {
    const content = await readFile(file).catch(() => undefined);
    prints.set(file, content === undefined ? absent : createHash('sha256').update(content).digest('hex'));
  }
  return prints;
}

function isAnother(known: ReadonlyMap<string, string> | undefined, now: Prints): boolean {
  return [...(known ?? [])].some(([file, print]) => now.has(file) && now.get(file) !== print);
}

/** A file that is not there any more is not among those of its folder. */
function differ(before: Prints, now: Prints): boolean {
  const files = new Set([...before.keys(), ...now.keys()]);
  return [...files].some((file) => (before.get(file) ?? absent) !== (now.get(file) ?? absent));
}

async function kindOf(path: string): Promise<'folder' | 'other'> {
  const found = await stat(path).catch(() => undefined);
  return found?.isDirectory() ? 'folder' : 'other';
}

async function inodeOf(folder: string): Promise<number | undefined> {
  return (await stat(folder).catch(() => undefined))?.ino;
}
