import {
  ProtocolError,
  ProtocolErrorCode,
  type ReadResourceResult,
  type Resource,
  type ResourceTemplateType,
} from '@modelcontextprotocol/server';
import { longestAnswerBytes } from './messages.js';
import { type ResultStore, resultScheme, type StoredResult } from './store.js';
import { characterStart } from './utf8.js';

export const resultTemplate: ResourceTemplateType = {
  uriTemplate: `${resultScheme}{id}{?offset,length}`,
  name: 'part-of-a-result',
  title: 'Part of a large result',
  description: 'A result that was too large to be shown whole, or length bytes of it from offset on.',
};

export function listResults(store: ResultStore): Resource[] {
  return store.list().map(({ uri, name, mimeType, data }) => ({ uri, name, mimeType, size: data.length }));
}

/** A stored result, or the part of it that the address asks for with `?offset=…&length=…`, in bytes. */
export function readResult(store: ResultStore, uri: string): ReadResourceResult {
  const [address = uri, query] = uri.split('?', 2);
  const stored = store.get(address);
  if (stored === undefined) throw unknownResult(uri);
  const part = query === undefined ? wholeOf(stored) : partOf(stored, new URLSearchParams(query));
  refuseTooLong(stored, part);
  const { mimeType, isText } = stored;
  const content = isText
    ? { uri, mimeType, text: part.data.toString('utf8') }
    : { uri, mimeType, blob: part.data.toString('base64') };
  const range = { offset: part.offset, length: part.data.length, size: stored.data.length };
  return { contents: [{ ...content, ...(query !== undefined && { _meta: { 'mcp-execution/range': range } }) }] };
}

interface Part {
  readonly offset: number;
  readonly data: Buffer;
}

function wholeOf({ data }: StoredResult): Part {
  return { offset: 0, data };
}

/** Text is cut where characters begin, so that parts that follow each other join without loss. */
function partOf({ data, isText }: StoredResult, query: URLSearchParams): Part {
  for (const name of query.keys()) {
    if (name !== 'offset' && name !== 'length') {
      throw invalid(`The address of a result takes offset and length, not ${name}.`);
    }
  }
  const start = countIn(query, 'offset') ?? 0;
  const length = countIn(query, 'length') ?? data.length;
  const offset = isText ? characterStart(data, start) : Math.min(start, data.length);
  const end = isText ? characterStart(data, start + length) : Math.min(start + length, data.length);
  return { offset, data: data.subarray(offset, end) };
}

/** Room for the address and what else stands in the message. */
const roomBesideBytes = 64 * 1024;
/** Fits into a message whatever the bytes are: as text, each takes up to six. */
const partBytes = 1024 * 1024;

function refuseTooLong({ uri, isText, data: whole }: StoredResult, { data }: Part): void {
  const mostBytes = longestAnswerBytes - roomBesideBytes;
  if (data.length * 6 <= mostBytes) return;
  const bytes = isText ? Buffer.byteLength(JSON.stringify(data.toString('utf8'))) : Math.ceil(data.length / 3) * 4;
  if (bytes <= mostBytes) return;
  throw invalid(
    `The result has ${whole.length} bytes, and this is more of it than one message takes. Read it in parts: ${uri}?offset=0&length=${partBytes}, then from offset ${partBytes} on.`,
  );
}

function countIn(query: URLSearchParams, name: string): number | undefined {
  const text = query.get(name);
  if (text === null) return undefined;
  const count = /^\d+$/.test(text) ? Number(text) : Number.NaN;
  if (Number.isSafeInteger(count)) return count;
  throw invalid(`${name} is a number of bytes, 0 or more; got ${JSON.stringify(text)}.`);
}

function unknownResult(uri: string): ProtocolError {
  const isOurs = uri.startsWith(resultScheme);
  const message = isOurs
    ? 'There is no such result. Large results are kept while the server runs, and the oldest are dropped; call the tool again.'
    : `There is no such resource. This server has large results only, at ${resultScheme}…`;
  return new ProtocolError(ProtocolErrorCode.InvalidParams, message, { uri });
}

function invalid(message: string): ProtocolError {
  return new ProtocolError(ProtocolErrorCode.InvalidParams, message);
}
