import { type FSWatcher, readdirSync, watch } from 'node:fs';
import { join } from 'node:path';
import { isSuiteName } from './test-suites.js';

/** Quiet time after the last change, because editors write in several steps. */
const quietMs = 100;

/** Tells of each suite that is new in a folder. Those that are there already are for others to watch. */
export function watchFolder(folder: string, onNew: (file: string) => void): { close(): void } {
  let known = suitesIn(folder);
  let timer: NodeJS.Timeout | undefined;
  const watcher = watched(folder, () => {
    clearTimeout(timer);
    timer = setTimeout(look, quietMs);
  });
  return {
    close() {
      clearTimeout(timer);
      watcher?.close();
    },
  };

  function look(): void {
    const now = suitesIn(folder);
    const news = [...now].filter((name) => !known.has(name));
    known = now;
    for (const name of news) onNew(join(folder, name));
  }
}

function watched(folder: string, onChange: () => void): FSWatcher | undefined {
  try {
    // What cannot be watched is still run again when one of its files changes.
    return watch(folder, { persistent: false }, onChange).on('error', () => {});
  } catch {
    return undefined;
  }
}

function suitesIn(folder: string): ReadonlySet<string> {
  try {
    return new Set(readdirSync(folder).filter(isSuiteName));
  } catch {
    return new Set();
  }
}
