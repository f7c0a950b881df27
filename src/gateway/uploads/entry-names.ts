import { CallerError } from '../../errors.js';

/** Where the entries of an archive go: paths from the top, as lists of names. */
export interface EntryNames {
  /** The path, or undefined where the entry is left out. Throws where a name leads out, or would hide another. */
  take(name: string): { readonly path: readonly string[]; readonly isFolder: boolean } | undefined;
}

const longestNameBytes = 255;
const longestPathBytes = 1024;
const deepest = 32;
const controls = /\p{Cc}/u;
const leftOut = /^(?:__pycache__|__MACOSX|\.DS_Store|.*\.py[co])$/;
const impossibleOnWindows = /[<>:"|?*]|[. ]$|^(?:con|prn|aux|nul|com\d|lpt\d)(?:\.|$)/i;

export function createEntryNames(maxFolders: number): EntryNames {
  /** By what a system that ignores case takes for the same. */
  const known = new Map<string, { readonly path: string; readonly isFolder: boolean }>();
  let folders = 0;

  return {
    take(name) {
      const path = pathOf(name);
      if (path.some((part) => leftOut.test(part))) return undefined;
      const isFolder = name.endsWith('/');
      if (path.length === 0) return undefined;
      for (let depth = 1; depth < path.length; depth++) note(path.slice(0, depth), true, name);
      note(path, isFolder, name);
      return { path, isFolder };
    },
  };

  function note(parts: readonly string[], isFolder: boolean, name: string): void {
    const path = parts.join('/');
    const key = path.toUpperCase().toLowerCase().normalize('NFC');
    const earlier = known.get(key);
    if (earlier === undefined) {
      if (isFolder && ++folders > maxFolders) throw bad(name, `makes more than ${maxFolders} folders`);
      known.set(key, { path, isFolder });
      return;
    }
    if (earlier.path !== path)
      throw bad(name, `and ${show(earlier.path)} are the same name on systems that ignore case`);
    if (!isFolder || !earlier.isFolder) throw bad(name, 'is in the archive twice');
  }
}

function pathOf(name: string): readonly string[] {
  const normal = name.normalize('NFC');
  if (normal === '') throw bad(name, 'is no name');
  if (controls.test(normal) || normal.includes('\ufffd'))
    throw bad(name, 'has characters that no file name should have');
  if (normal.includes('\\')) throw bad(name, 'has a backslash: names in archives are separated by /');
  if (normal.startsWith('/') || /^[A-Za-z]:/.test(normal)) throw bad(name, 'is an absolute path');
  const parts = normal.replace(/\/$/, '').split('/');
  if (parts.includes('..')) throw bad(name, 'leads out of the archive');
  if (parts.includes('')) throw bad(name, 'has an empty part');
  const path = parts.filter((part) => part !== '.');
  if (path.length > deepest) throw bad(name, `lies deeper than ${deepest} folders`);
  if (Buffer.byteLength(normal) > longestPathBytes) throw bad(name, `is longer than ${longestPathBytes} bytes`);
  for (const part of path) refusePart(part, name);
  return path;
}

function refusePart(part: string, name: string): void {
  if (Buffer.byteLength(part) > longestNameBytes) throw bad(name, `has a part longer than ${longestNameBytes} bytes`);
  if (process.platform === 'win32' && impossibleOnWindows.test(part)) throw bad(name, 'is no file name on Windows');
}

function bad(name: string, reason: string): CallerError {
  return new CallerError('INVALID_SCRIPT', `The archive cannot be taken: ${show(name)} ${reason}`);
}

export function show(name: string): string {
  return JSON.stringify(name.length > 80 ? `${name.slice(0, 80)}…` : name);
}
