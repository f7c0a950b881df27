import {
  isJSONRPCNotification,
  isJSONRPCRequest,
  type JSONRPCMessage,
  type JSONRPCNotification,
  type JSONRPCRequest,
  type RequestId,
} from '@modelcontextprotocol/server';
import { isJsonObject } from '../toolbox.js';
import { mistakeIn } from './params.js';

export interface Refusal {
  readonly jsonrpc: '2.0';
  readonly id: RequestId | null;
  readonly error: { readonly code: number; readonly message: string };
}

export type Checked =
  | { readonly kind: 'request'; readonly message: JSONRPCRequest }
  | { readonly kind: 'notification'; readonly message: JSONRPCNotification }
  | { readonly kind: 'response'; readonly value: Readonly<Record<string, unknown>> }
  | { readonly kind: 'refused'; readonly refusal: Refusal };

/** Clients close the connection over a line that is longer than they keep, and the official one keeps 10 MB. */
export const longestAnswerBytes = 8 * 1024 * 1024;

const parseError = -32700;
const invalidRequest = -32600;
const invalidParams = -32602;
export const internalError = -32603;

/** What one line says, or the answer to a line that says nothing we could act on. */
export function readMessage(text: string): Checked {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return refuse(parseError, 'The line is not JSON. Write one JSON-RPC message per line, as UTF-8.');
  }
  return checkMessage(value);
}

export function refusal(code: number, message: string, id: RequestId | null = null): Refusal {
  return { jsonrpc: '2.0', id, error: { code, message } };
}

export function notUtf8(): Refusal {
  return refusal(parseError, 'The line is not UTF-8. Write one JSON-RPC message per line, as UTF-8.');
}

export function tooLong(maxMessageBytes: number): Refusal {
  return refusal(invalidRequest, `The message is longer than ${maxMessageBytes} bytes, which is the limit.`);
}

/** In place of an answer that the client could not take. */
export function answerTooLong(id: RequestId, bytes: number): Refusal {
  const message = `The answer takes ${bytes} bytes, and clients take ${longestAnswerBytes} in one message. Ask for less at once.`;
  return refusal(internalError, message, id);
}

/** Answered without the id: an answer with it would be taken for that of the request which is under way. */
export function idInUse(id: RequestId): Refusal {
  const message = `The id ${JSON.stringify(id)} belongs to a request that is still under way. This one was not run; give it another id.`;
  return refusal(invalidRequest, message);
}

/** The same for what is parsed already. */
export function checkMessage(value: unknown): Checked {
  if (Array.isArray(value)) {
    return refuse(invalidRequest, 'Batches are not part of MCP. Write each message on a line of its own.');
  }
  if (!isJsonObject(value)) return refuse(invalidRequest, 'A JSON-RPC message is a JSON object.');
  const id = isUsableId(value.id) ? value.id : null;
  if (value.jsonrpc !== '2.0') return refuse(invalidRequest, 'A JSON-RPC message has "jsonrpc": "2.0".', id);
  if (value.method === undefined && (value.result !== undefined || value.error !== undefined)) {
    return { kind: 'response', value };
  }
  if (typeof value.method !== 'string') {
    return refuse(invalidRequest, 'A request has a "method", which is a string.', id);
  }
  if (value.id !== undefined && id === null) {
    return refuse(
      invalidRequest,
      'The id of a request is a string, or an integer that a double can hold (up to 2^53 - 1).',
    );
  }
  return checkCall(value.method, value.params ?? undefined, id);
}

/** Only the members that JSON-RPC knows go on, because the SDK passes over a message with others in silence. */
function checkCall(method: string, params: unknown, id: RequestId | null): Checked {
  if (params !== undefined && !isJsonObject(params)) {
    return refuse(invalidParams, 'The "params" of an MCP message are a JSON object.', id);
  }
  if (method === 'tools/call') {
    if (params && params.arguments === null) return checkCall(method, withoutArguments(params), id);
    if (params?.arguments !== undefined && !isJsonObject(params.arguments))
      return refuse(invalidParams, badArguments, id);
  }
  const message = { jsonrpc: '2.0' as const, method, ...(params && { params }) };
  const isPlain = params?._meta === undefined;
  if (id === null) {
    if (isPlain || isJSONRPCNotification(message)) return { kind: 'notification', message };
    return refuse(invalidParams, badMeta);
  }
  const mistake = mistakeIn(method, params);
  if (mistake !== undefined) return refuse(invalidParams, mistake, id);
  const request = { ...message, id };
  if (isPlain || isJSONRPCRequest(request)) return { kind: 'request', message: request };
  return refuse(invalidParams, badMeta, id);
}

const badArguments = 'The "arguments" of a tools/call are a JSON object: a value for the name of each parameter.';
const badMeta =
  'The "_meta" of a message is a JSON object, and its "progressToken", where it has one, a string or an integer.';

/** A tool without parameters is called with null by some clients. */
function withoutArguments({ arguments: _none, ...params }: Readonly<Record<string, unknown>>): object {
  return params;
}

function refuse(code: number, message: string, id?: RequestId | null): Checked {
  return { kind: 'refused', refusal: refusal(code, message, id) };
}

function isUsableId(id: unknown): id is RequestId {
  return typeof id === 'string' || Number.isSafeInteger(id);
}

/** The id that an outgoing message answers. */
export function answeredId(message: JSONRPCMessage): RequestId | undefined {
  return 'method' in message ? undefined : message.id;
}
