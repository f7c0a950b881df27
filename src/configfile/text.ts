import { constants, createReadStream, fstatSync, open } from 'node:fs';
import { addAbortSignal } from 'node:stream';
import { promisify } from 'node:util';
import { CallerError } from '../errors.js';
import { argumentOf, type TextCode } from './place.js';

const maxConfigBytes = 8 * 1024 * 1024;

export interface ReadTextOptions {
  readonly maxBytes?: number;
  /** What to do about a file that the system refuses with this code. */
  readonly adviceOn?: (code: string) => string | undefined;
  readonly code?: TextCode;
  /** Ends waiting for what a pipe has to say. */
  readonly signal?: AbortSignal;
}

/** The text of a config file, in UTF-8 and not endless. */
export async function readConfigText(file: string, options: ReadTextOptions = {}): Promise<string> {
  const { maxBytes = maxConfigBytes, adviceOn = () => undefined, code: textCode = 'INVALID_CONFIG', signal } = options;
  try {
    return decode(await readAtMost(file, maxBytes, signal));
  } catch (cause) {
    const code = cause instanceof Error && 'code' in cause ? String(cause.code) : '';
    const reason = reasons[code] ?? (cause instanceof Error ? cause.message : String(cause));
    const advice = adviceOn(code);
    const message = `${file} cannot be read: ${reason}${advice === undefined ? '' : `; ${advice}`}`;
    throw new CallerError(textCode, message, { ...argumentOf(textCode), file }, { cause });
  }
}

/** Not by its size: that of a pipe is not known before its end. */
async function readAtMost(file: string, maxBytes: number, signal: AbortSignal | undefined): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of await streamOf(file, maxBytes, signal)) {
    chunks.push(chunk);
    length += chunk.length;
    if (length > maxBytes) throw new Error(`it has more than ${maxBytes} bytes`);
  }
  return Buffer.concat(chunks);
}

/** A pipe is waited for without a thread that waits with it, and that would keep the process from ending. */
async function streamOf(file: string, end: number, signal: AbortSignal | undefined): Promise<AsyncIterable<Buffer>> {
  const fd = await promisify(open)(file, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
  if (!fstatSync(fd).isFIFO()) return createReadStream(file, { fd, end });
  const { Socket } = await import('node:net');
  const socket = new Socket({ fd, readable: true, writable: false });
  return signal === undefined ? socket : addAbortSignal(signal, socket);
}

function decode(bytes: Buffer): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw new Error('it is not text in UTF-8');
  }
}

const reasons: Readonly<Record<string, string>> = {
  ENOENT: 'there is no such file',
  ENOTDIR: 'there is no such file',
  EISDIR: 'it is a folder',
  EACCES: 'this user may not read it',
  EPERM: 'this user may not read it',
};
