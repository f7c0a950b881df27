import { basename, extname } from 'node:path/posix';
import { CallerError } from '../../errors.js';
import { serviceIdForm } from '../service.js';
import { show } from './entry-names.js';
import type { UploadRecord } from './record.js';

export type UploadKind = UploadRecord['kind'];

const archiveStarts = ['PK\x03\x04', 'PK\x05\x06'].map((text) => Buffer.from(text, 'latin1'));
const looksAtBytes = 8192;
const longestFileName = 128;

/** A script or an archive, by what is in it; a name that says something else is a mistake that somebody should know of. */
export function kindOf(content: Buffer, name: string): UploadKind {
  if (content.length === 0) throw wrong(`${show(name)} is empty`);
  const isArchive = archiveStarts.some((start) => content.subarray(0, start.length).equals(start));
  const extension = extname(name).toLowerCase();
  if (isArchive && extension === '.py') throw wrong(`${show(name)} is named like a script, but it is a zip archive`);
  if (isArchive) return 'archive';
  if (extension === '.zip') throw wrong(`${show(name)} is named like an archive, but it is none`);
  if (extension !== '.py') throw wrong(`${show(name)} is neither a Python script (.py) nor a zip archive (.zip)`);
  if (content.subarray(0, looksAtBytes).includes(0)) throw wrong(`${show(name)} is no text, so it is no Python script`);
  return 'script';
}

/** The last part of what the client calls the file, fit to be the name of one. */
export function fileNameOf(given: string): string {
  const last = basename(given.replaceAll('\\', '/')).normalize('NFC');
  const safe = last.replace(/[^\p{L}\p{N}._ -]/gu, '_').replace(/^[. ]+|[. ]+$/g, '');
  const extension = extname(safe);
  const stem = safe.slice(0, safe.length - extension.length);
  if (stem === '') throw new CallerError('INVALID_REQUEST', `${show(given)} is no name of a file`);
  return `${cut(stem, longestFileName - extension.length)}${extension.toLowerCase() === '.py' ? '.py' : extension}`;
}

/** The id of a service of which only the file's name is known. */
export function idFrom(fileName: string): string {
  const stem = fileName.slice(0, fileName.length - extname(fileName).length);
  const id = stem
    .replace(/[^A-Za-z0-9._-]+/g, '-')
    .replace(/^[^A-Za-z0-9]+|[^A-Za-z0-9]+$/g, '')
    .slice(0, 64);
  if (serviceIdForm.test(id)) return id;
  throw new CallerError('INVALID_REQUEST', `No id can be made of the name ${show(fileName)}; say one with id=`);
}

function cut(text: string, length: number): string {
  return [...text].slice(0, Math.max(1, length)).join('');
}

function wrong(message: string): CallerError {
  return new CallerError('INVALID_SCRIPT', message);
}
