import { parse } from 'node:path/posix';
import type { ReturnedFile } from './work.js';

/** The files of one call. */
export interface Files {
  readonly list: readonly ReturnedFile[];
  /** Takes a file that came in a message of so many bytes; false when there is no room for it. */
  add(file: ReturnedFile, bytes: number): boolean;
}

const maxNameCharacters = 1024;
/** What file systems take for one step of a path. */
const maxStepBytes = 255;
/** What ends a line, moves a cursor, turns text around or is half a character. */
const unshowable = /[\p{Cc}\p{Cs}\p{Zl}\p{Zp}\u202a-\u202e\u2066-\u2069]/gu;

export function createFiles(maxBytes: number): Files {
  const list: ReturnedFile[] = [];
  const countOf = new Map<string, number>();
  let room = maxBytes;
  return {
    list,
    add(file, bytes) {
      room -= bytes;
      if (room < 0) return false;
      list.push({ ...file, name: unusedName(file.name, countOf) });
      return true;
    },
  };
}

/** A path that leads nowhere but down from where it is used, whatever the script called its file. */
export function safeName(said: string): string {
  const steps = said.slice(-maxNameCharacters).replace(unshowable, '_').split(/[\\/]/);
  const kept = steps.filter((step) => !['', '.', '..'].includes(step)).map(shortened);
  return kept.join('/') || 'file';
}

/** The end is kept, because the type of a file stands there. */
function shortened(step: string): string {
  const bytes = Buffer.from(step);
  if (bytes.length <= maxStepBytes) return step;
  const end = bytes.subarray(-maxStepBytes).toString();
  return end.replace(/^\ufffd+/, '');
}

/** Numbers are remembered, so that a thousand files of one name cost no more than a thousand names. */
function unusedName(wanted: string, countOf: Map<string, number>): string {
  let count = (countOf.get(wanted) ?? 0) + 1;
  let name = wanted;
  if (count > 1) {
    name = numbered(wanted, count);
    while (countOf.has(name)) name = numbered(wanted, ++count);
    countOf.set(name, 1);
  }
  countOf.set(wanted, count);
  return name;
}

/** `out/report (2).csv` */
export function numbered(path: string, number: number): string {
  const { dir, name, ext } = parse(path);
  return `${dir === '' ? '' : `${dir}/`}${name} (${number})${ext}`;
}
