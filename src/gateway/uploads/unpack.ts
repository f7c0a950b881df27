import { isUtf8 } from 'node:buffer';
import { createWriteStream } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { crc32, createInflateRaw } from 'node:zlib';
import { type Entry, fromBufferPromise, getFileNameLowLevel, type ZipFile } from 'yauzl';
import { CallerError, ExecutionError } from '../../errors.js';
import { createEntryNames, show } from './entry-names.js';

export interface UnpackLimits {
  readonly maxUnpackedBytes: number;
  readonly maxUnpackedFiles: number;
}

export interface Unpacked {
  readonly files: number;
  readonly bytes: number;
}

/** No script and no data that belongs to one shrinks like this; what is made to burst does. */
const highestRatio = 200;
const ratioCountsFrom = 1024 * 1024;
const chunkBytes = 64 * 1024;
const utf8Flag = 0x800;
const fileTypes = { mask: 0o170000, none: 0, regular: 0o100000, folder: 0o040000 } as const;

/** Unpacks an archive into an empty folder. What it says of itself is not believed: bytes are counted as they come out. */
export async function unpackArchive(archive: Buffer, folder: string, limits: UnpackLimits): Promise<Unpacked> {
  try {
    const zip = await fromBufferPromise(archive, { decodeStrings: false, validateEntrySizes: false });
    const plan = withoutTopFolder(await planOf(zip, limits.maxUnpackedFiles));
    if (!plan.some(({ path }) => path.at(-1)?.endsWith('.py'))) throw broken('there is no .py file in it');
    const budget = createBudget(archive.length, limits.maxUnpackedBytes);
    for (const planned of plan) await unpackFile(zip, archive, planned, folder, budget);
    return { files: plan.length, bytes: budget.used() };
  } catch (error) {
    if (error instanceof ExecutionError || isOfFileSystem(error)) throw error;
    throw broken(error instanceof Error ? error.message : String(error), error);
  }
}

interface PlannedFile {
  readonly entry: Entry;
  readonly path: readonly string[];
}

/** Everything is looked at before anything is written. */
async function planOf(zip: ZipFile, maxFiles: number): Promise<readonly PlannedFile[]> {
  const names = createEntryNames(maxFiles);
  const plan: PlannedFile[] = [];
  let entries = 0;
  for await (const entry of zip.eachEntry()) {
    if (++entries > maxFiles * 2) throw tooManyFiles(maxFiles);
    const name = nameOf(entry);
    const place = names.take(name);
    refuseKind(entry, name, name.endsWith('/'));
    if (place === undefined || place.isFolder) continue;
    if (plan.length >= maxFiles) throw tooManyFiles(maxFiles);
    plan.push({ entry, path: place.path });
  }
  return plan;
}

/** Many tools write UTF-8 without saying so. */
function nameOf({ fileNameRaw, generalPurposeBitFlag, extraFields }: Entry): string {
  const flag = isUtf8(fileNameRaw) ? generalPurposeBitFlag | utf8Flag : generalPurposeBitFlag;
  return getFileNameLowLevel(flag, fileNameRaw, extraFields, true);
}

function refuseKind(entry: Entry, name: string, isFolder: boolean): void {
  const type = (entry.externalFileAttributes >>> 16) & fileTypes.mask;
  const expected = isFolder ? fileTypes.folder : fileTypes.regular;
  if (type !== fileTypes.none && type !== expected) {
    throw broken(`${show(name)} is a link, a device or something else that is no file`);
  }
  if (entry.isEncrypted()) throw broken(`${show(name)} is encrypted; send it without a password`);
  if (!entry.canDecodeFileData()) {
    throw broken(
      `${show(name)} is compressed in a way that is not known here (method ${entry.compressionMethod}); use deflate`,
    );
  }
}

/** What was packed as a folder is meant as what is in it. */
function withoutTopFolder(plan: readonly PlannedFile[]): readonly PlannedFile[] {
  const top = plan[0]?.path[0];
  const isWrapped = plan.every(({ path }) => path.length > 1 && path[0] === top);
  return isWrapped ? plan.map(({ entry, path }) => ({ entry, path: path.slice(1) })) : plan;
}

interface Budget {
  take(bytes: number): void;
  used(): number;
}

function createBudget(archiveBytes: number, maxBytes: number): Budget {
  let used = 0;
  return {
    take(bytes) {
      used += bytes;
      if (used > maxBytes) {
        throw new CallerError('TOO_LARGE', `The archive unpacks to more than ${maxBytes} bytes (maxUnpackedBytes)`);
      }
      if (used > ratioCountsFrom && used > archiveBytes * highestRatio) {
        throw new CallerError('TOO_LARGE', `The archive unpacks to more than ${highestRatio} times its size`);
      }
    },
    used: () => used,
  };
}

async function unpackFile(zip: ZipFile, archive: Buffer, planned: PlannedFile, folder: string, budget: Budget) {
  const { entry, path } = planned;
  const { fileDataStart } = await zip.readLocalFileHeaderPromise(entry, { minimal: true });
  const data = archive.subarray(fileDataStart, fileDataStart + entry.compressedSize);
  const file = join(folder, ...path);
  await mkdir(dirname(file), { recursive: true, mode: 0o700 });
  const seen = { crc: 0, bytes: 0 };
  const count = async function* (source: AsyncIterable<Buffer>) {
    for await (const chunk of source) {
      budget.take(chunk.length);
      seen.crc = crc32(chunk, seen.crc);
      seen.bytes += chunk.length;
      yield chunk;
    }
  };
  const target = createWriteStream(file, { flags: 'wx', mode: 0o600 });
  const source = Readable.from(chunksOf(data), { objectMode: false });
  if (entry.compressionMethod === 0) await pipeline(source, count, target);
  else await pipeline(source, createInflateRaw(), count, target);
  if (seen.crc !== entry.crc32 || seen.bytes !== entry.uncompressedSize) {
    throw broken(`${show(path.join('/'))} is damaged: what comes out is not what the archive says`);
  }
}

function* chunksOf(data: Buffer): Iterable<Buffer> {
  for (let at = 0; at < data.length; at += chunkBytes) yield data.subarray(at, at + chunkBytes);
}

function isOfFileSystem(error: unknown): boolean {
  return error instanceof Error && 'syscall' in error;
}

function tooManyFiles(maxFiles: number): CallerError {
  return new CallerError('TOO_LARGE', `The archive has more than ${maxFiles} files (maxUnpackedFiles)`);
}

function broken(reason: string, cause?: unknown): CallerError {
  return new CallerError('INVALID_SCRIPT', `The archive cannot be taken: ${reason}`, {}, { cause });
}
