import { open } from 'node:fs/promises';
import { CallerError } from '../errors.js';
import { argumentOf, type TextCode } from './place.js';

const maxConfigBytes = 8 * 1024 * 1024;

export interface ReadTextOptions {
  readonly maxBytes?: number;
  /** What to do about a file that the system refuses with this code. */
  readonly adviceOn?: (code: string) => string | undefined;
  readonly code?: TextCode;
}

/** The text of a config file, in UTF-8 and not endless. */
export async function readConfigText(file: string, options: ReadTextOptions = {}): Promise<string> {
  const { maxBytes = maxConfigBytes, adviceOn = () => undefined, code: textCode = 'INVALID_CONFIG' } = options;
  try {
    return decode(await readAtMost(file, maxBytes));
  } catch (cause) {
    const code = cause instanceof Error && 'code' in cause ? String(cause.code) : '';
    const reason = reasons[code] ?? (cause instanceof Error ? cause.message : String(cause));
    const advice = adviceOn(code);
    const message = `${file} cannot be read: ${reason}${advice === undefined ? '' : `; ${advice}`}`;
    throw new CallerError(textCode, message, { ...argumentOf(textCode), file }, { cause });
  }
}

/** Not by its size: that of a pipe is not known before its end. */
async function readAtMost(file: string, maxBytes: number): Promise<Buffer> {
  const handle = await open(file);
  try {
    const chunks: Buffer[] = [];
    let length = 0;
    for await (const chunk of handle.createReadStream({ autoClose: false, end: maxBytes })) {
      chunks.push(chunk);
      length += chunk.length;
    }
    if (length > maxBytes) throw new Error(`it has more than ${maxBytes} bytes`);
    return Buffer.concat(chunks);
  } finally {
    await handle.close();
  }
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
