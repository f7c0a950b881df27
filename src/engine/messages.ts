import { isJsonObject, type JsonObject, type JsonValue, logLevels } from '../toolbox.js';
import type { ReportedFailure } from './failure.js';
import { safeName } from './files.js';
import { decodePayload } from './frames.js';
import type { LogEntry, ReturnedFile } from './work.js';

/** What a process says of a call. The script's code runs there too, so its form is checked before anyone relies on it. */
export type Message =
  | { readonly type: 'answer'; readonly answer: Answer }
  | { readonly type: 'file'; readonly file: ReturnedFile }
  | ({ readonly type: 'log' } & LogEntry)
  | { readonly type: 'progress'; readonly done: number; readonly total?: number; readonly message?: string }
  | { readonly type: 'value'; readonly value: JsonValue }
  | { readonly type: 'ask'; readonly id: number; readonly method: string; readonly params: JsonObject }
  | { readonly type: 'give up'; readonly id: number };

/** What the process says at the end of a call. */
export interface Answer {
  readonly value?: JsonValue;
  readonly error?: ReportedFailure;
  readonly exitCode?: number;
  readonly cpuMs: number;
  readonly peakBytes: number;
  readonly addedBytes: number;
  /** Streams on which an end mark was written, because the host had not read all of them. */
  readonly marked?: readonly unknown[];
}

/** Nothing, when it is no message of ours. */
export function readMessage(type: string, payload: Buffer): Message | undefined {
  const fields = readFields(payload);
  if (!fields) return undefined;
  if (type === 'V' || type === 'E') return isAnswer(fields) ? { type: 'answer', answer: fields } : undefined;
  if (type === 'L')
    return isLogEntry(fields) ? { type: 'log', level: fields.level, message: fields.message } : undefined;
  if (type === 'P') return readProgress(fields);
  if (type === 'A') return readFile(fields);
  if (type === 'C') return readAsk(fields);
  if (type === 'X') return typeof fields.id === 'number' ? { type: 'give up', id: fields.id } : undefined;
  return type === 'Y' && 'value' in fields ? { type: 'value', value: fields.value as JsonValue } : undefined;
}

export function readFields(payload: Buffer): Record<string, unknown> | undefined {
  try {
    const message = decodePayload(payload);
    return isJsonObject(message) ? message : undefined;
  } catch {
    return undefined;
  }
}

export function isFailure(value: unknown): value is ReportedFailure {
  return isJsonObject(value) && typeof value.code === 'string' && typeof value.message === 'string';
}

function isAnswer(fields: object): fields is Answer {
  const { error, exitCode, cpuMs, peakBytes, addedBytes, marked } = fields as Record<string, unknown>;
  return (
    [cpuMs, peakBytes, addedBytes].every((figure) => typeof figure === 'number') &&
    (error === undefined || isFailure(error)) &&
    (exitCode === undefined || typeof exitCode === 'number') &&
    (marked === undefined || Array.isArray(marked))
  );
}

function isLogEntry(fields: object): fields is LogEntry {
  const { level, message } = fields as Record<string, unknown>;
  return logLevels.some((known) => known === level) && typeof message === 'string';
}

function readProgress({ done, total, message }: Record<string, unknown>): Message | undefined {
  if (typeof done !== 'number') return undefined;
  return {
    type: 'progress',
    done,
    ...(typeof total === 'number' ? { total } : {}),
    ...(typeof message === 'string' ? { message } : {}),
  };
}

function readFile({ name, mimeType, data }: Record<string, unknown>): Message | undefined {
  if (typeof name !== 'string' || typeof mimeType !== 'string' || typeof data !== 'string') return undefined;
  const bytes = Buffer.from(data, 'base64');
  if (!mimeTypeForm.test(mimeType) || bytes.length !== lengthOfBase64(data)) return undefined;
  return { type: 'file', file: { name: safeName(name), mimeType, data: bytes } };
}

function readAsk({ id, method, params }: Record<string, unknown>): Message | undefined {
  if (typeof id !== 'number' || typeof method !== 'string' || !isJsonObject(params)) return undefined;
  return { type: 'ask', id, method, params: params as JsonObject };
}

const mimeTypeForm = /^(?=.{3,255}$)[\w!#$&^.+-]+\/[\w!#$&^.+-]+(;[ -~]*)?$/;

/** Characters that are not base64 are passed over by Node, and then less comes out. */
function lengthOfBase64(text: string): number {
  return (text.length / 4) * 3 - (text.endsWith('==') ? 2 : text.endsWith('=') ? 1 : 0);
}
