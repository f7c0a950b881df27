import { statSync } from 'node:fs';
import { basename, resolve } from 'node:path';
import type { Suite } from '../harness/suite.js';
import { type Watch, watchFiles } from '../manifest/watch.js';
import { counted } from './code-failures.js';
import { harmless } from './harmless.js';
import { paint, type Terminal } from './terminal.js';
import { watchFolder } from './test-watch-folder.js';

const interruptedExitCode = 130;
const longestTimerMs = 2 ** 31 - 1;
const mostFiles = 500;
const mostFolders = 100;
const mostNamed = 5;

/** From now on, changes of these files are seen as well, and suites that are new in these folders. */
export interface Follow {
  files(files: readonly string[]): Promise<void>;
  folders(folders: readonly string[]): void;
}

/** Runs at once, and again at each change of a file; a run that a change overtakes is given up. Ctrl-C ends it. */
export async function runOnChanges(
  terminal: Terminal,
  run: (signal: AbortSignal, follow: Follow) => Promise<void>,
): Promise<number> {
  const { interrupt } = terminal;
  const watches = new Map<string, Watch>();
  const folders = new Map<string, { close(): void }>();
  let changed = new Set<string>();
  let overtaken = new AbortController();
  // The watchers alone do not keep the process.
  const keeping = setInterval(() => {}, longestTimerMs);
  try {
    while (!interrupt.aborted) {
      changed = new Set();
      overtaken = new AbortController();
      const over = AbortSignal.any([interrupt, overtaken.signal]);
      await run(over, { files: followFiles, folders: followFolders });
      if (!over.aborted) {
        await whenAborted(over, () => tell(`Waiting for changes of ${watchedInWords()}; Ctrl-C ends.`));
      }
      if (!interrupt.aborted) tell(`${listed([...changed])} changed, running again.`);
    }
    return interruptedExitCode;
  } finally {
    clearInterval(keeping);
    for (const watch of [...watches.values(), ...folders.values()]) watch.close();
  }

  async function followFiles(files: readonly string[]): Promise<void> {
    for (const file of files) {
      if (watches.has(file) || watches.size >= mostFiles) continue;
      watches.set(
        file,
        watchFiles([file], () => note(file)),
      );
    }
    await Promise.all(files.map((file) => watches.get(file)?.ready));
  }

  function followFolders(found: readonly string[]): void {
    for (const folder of found) {
      if (!folders.has(folder) && folders.size < mostFolders) folders.set(folder, watchFolder(folder, note));
    }
  }

  function note(file: string): void {
    changed.add(file);
    overtaken.abort();
  }

  function watchedInWords(): string {
    const files = counted(watches.size, 'file');
    return folders.size === 0 ? files : `${files} and ${counted(folders.size, 'folder')}`;
  }

  function tell(text: string): void {
    terminal.note(`${paint(terminal, 'dim', harmless(text))}\n`);
  }
}

/** The suite and the files that it names: what it needs to run is decided by their content. */
export function filesOf(suite: Suite): readonly string[] {
  const { file, folder, texts, document } = suite;
  const named = [...texts.keys()].map((path) => resolve(folder, path));
  const own = isFile(file) ? [resolve(file)] : [];
  return [...new Set([...own, ...named, ...filesOfServer(document.server, folder)])];
}

function filesOfServer(server: Suite['document']['server'], folder: string): readonly string[] {
  if ('script' in server) {
    return (typeof server.script === 'string' ? [server.script] : server.script).map((path) => resolve(folder, path));
  }
  if ('command' in server) {
    const start = resolve(folder, server.cwd ?? '.');
    const words = server.args.map((word) => resolve(start, word));
    const own = /[\\/]/.test(server.command) ? [resolve(folder, server.command)] : [];
    return [...own, ...words].filter(isFile);
  }
  return [];
}

/** A word that no file can be named by is none. */
function isFile(path: string): boolean {
  try {
    return statSync(path).isFile();
  } catch {
    return false;
  }
}

function listed(files: readonly string[]): string {
  const names = [...new Set(files.map((file) => basename(file)))];
  const more = names.length > mostNamed ? ` and ${names.length - mostNamed} more` : '';
  return `${names.slice(0, mostNamed).join(', ')}${more}`;
}

async function whenAborted(signal: AbortSignal, onWaiting: () => void): Promise<void> {
  await new Promise<void>((resolve) => {
    signal.addEventListener('abort', () => resolve(), { once: true });
    onWaiting();
  });
}
