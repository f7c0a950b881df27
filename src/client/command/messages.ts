import { type JSONRPCMessage, ProtocolError, type RequestId } from '@modelcontextprotocol/client';
import { isJsonObject } from '../../toolbox.js';

export type Incoming =
  /** A request or notification of the server. */
  | { readonly kind: 'said'; readonly message: JSONRPCMessage }
  /** An answer, to be handed on under the number of the request it belongs to. */
  | { readonly kind: 'answer'; readonly id: unknown; as(id: RequestId): JSONRPCMessage }
  | { readonly kind: 'no message' };

const internalError = -32603;
const formless = 'The answer of the server has no form that MCP knows';

/** What is wrong with answers that were mended here, for whoever wants them as they came. */
const mended = new WeakMap<JSONRPCMessage, string>();

export function whatWasWrongWith(message: JSONRPCMessage): string | undefined {
  return mended.get(message);
}

/** What one line says. Only the members that JSON-RPC knows go on, because the SDK passes over a message with others. */
export function readLine(text: string): Incoming {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return { kind: 'no message' };
  }
  if (!isJsonObject(value)) return { kind: 'no message' };
  const { jsonrpc, id, method, params, result, error } = value;
  if (typeof method === 'string') {
    const said = { jsonrpc: '2.0' as const, method, ...(isJsonObject(params) && { params }) };
    if (id === undefined || id === null) return { kind: 'said', message: said };
    if (typeof id !== 'string' && typeof id !== 'number') return { kind: 'no message' };
    return { kind: 'said', message: { ...said, id } };
  }
  if (result === undefined && error === undefined) return { kind: 'no message' };
  const wrong = wrongWithAnswer(jsonrpc, result, error);
  return { kind: 'answer', id, as: (own) => markMended(answer(own, result, error), wrong ?? wrongId(id, own)) };
}

/** Whatever form an answer has, the request that it belongs to must not wait for another. */
function answer(id: RequestId, result: unknown, error: unknown): JSONRPCMessage {
  if (isJsonObject(result)) return { jsonrpc: '2.0', id, result };
  if (!isJsonObject(error)) return failure(id, internalError, formless);
  const code = typeof error.code === 'number' && Number.isInteger(error.code) ? error.code : internalError;
  const message = typeof error.message === 'string' ? error.message : 'The server gave no reason';
  return failure(id, code, message, error.data);
}

function markMended(message: JSONRPCMessage, wrong: string | undefined): JSONRPCMessage {
  if (wrong !== undefined) mended.set(message, wrong);
  return message;
}

function wrongWithAnswer(jsonrpc: unknown, result: unknown, error: unknown): string | undefined {
  if (jsonrpc !== '2.0') return 'it does not say "jsonrpc": "2.0"';
  if (result !== undefined && error !== undefined) return 'it has both a result and an error';
  if (result !== undefined) return isJsonObject(result) ? undefined : `its result is ${kindOf(result)} and no object`;
  if (!isJsonObject(error)) return `its error is ${kindOf(error)} and no object`;
  if (!Number.isInteger(error.code)) return 'its error has no code that is a whole number';
  return typeof error.message === 'string' ? undefined : 'its error has no message';
}

function wrongId(id: unknown, own: RequestId): string | undefined {
  return id === own || typeof id === typeof own
    ? undefined
    : `its id is a ${typeof id}, where the request has a ${typeof own}`;
}

function kindOf(value: unknown): string {
  if (value === null) return 'null';
  return Array.isArray(value) ? 'a list' : `a ${typeof value}`;
}

/** What marks an answer that was made up here; a server cannot, because it is told by identity. */
const madeUp: object = Object.freeze({});

/** In place of an answer of the server that could not be read, so that nobody waits for it. */
export function unreadableAnswer(id: RequestId, what: string): JSONRPCMessage {
  const message = failure(id, internalError, what, madeUp);
  mended.set(message, `the server ${what}`);
  return message;
}

export function isUnreadableAnswer(error: unknown): error is ProtocolError {
  return error instanceof ProtocolError && error.data === madeUp;
}

const headWithId = /^\s*\{\s*(?:"jsonrpc"\s*:\s*"2\.0"\s*,\s*)?"id"\s*:\s*"?(\d{1,15})"?\s*,/;
const tailWithId = /[,{]\s*"id"\s*:\s*"?(\d{1,15})"?\s*(?:,\s*"jsonrpc"\s*:\s*"2\.0"\s*)?\}\s*$/;

/** The number of an answer that cannot be parsed, where it stands at the beginning or the end, as servers write it. */
export function idOfBroken(head: string, tail: string): number | undefined {
  const found = headWithId.exec(head) ?? tailWithId.exec(tail);
  return found ? Number(found[1]) : undefined;
}

const headWithMethod = /^\s*\{\s*(?:"jsonrpc"\s*:\s*"2\.0"\s*,\s*)?"method"\s*:/;

/** Whether a line that cannot be parsed is a notification, which nobody waits for. */
export function isSaidByServer(head: string): boolean {
  return headWithMethod.test(head);
}

function failure(id: RequestId, code: number, message: string, data?: unknown): JSONRPCMessage {
  return { jsonrpc: '2.0', id, error: { code, message, ...(data !== undefined && { data }) } };
}
