import { type Stats, statSync } from 'node:fs';

/** How a file stood when it was read. */
export interface FileStamp {
  readonly path: string;
  readonly stamp: string;
}

/** Looking at a file costs a few microseconds in every call, so no more than these are watched. */
const maxStampedFiles = 64;

/** A file that was written after the import began may have been read before: its stamp fits nothing. */
export function stampFiles(paths: readonly string[], importBegan: number): FileStamp[] {
  return paths.slice(0, maxStampedFiles).map((path) => {
    const written = statOf(path)?.mtimeMs ?? 0;
    const isDoubtful = written > importBegan && written <= Date.now();
    return { path, stamp: isDoubtful ? 'written during the import' : stampOf(path) };
  });
}

export function haveChanged(files: readonly FileStamp[]): boolean {
  return files.some(({ path, stamp }) => stampOf(path) !== stamp);
}

function stampOf(path: string): string {
  const stat = statOf(path);
  return stat ? `${stat.mtimeMs}:${stat.size}:${stat.ino}` : 'missing';
}

/** Nothing, where there is no file or none that can be looked at. */
function statOf(path: string): Stats | undefined {
  try {
    return statSync(path, { throwIfNoEntry: false });
  } catch {
    return undefined;
  }
}
