import { ProtocolError, ProtocolErrorCode } from '@modelcontextprotocol/server';
import { CallerError } from '../../errors.js';
import { isJsonObject, type JsonObject } from '../../toolbox.js';
import { argumentsOf } from '../rest/arguments.js';

export type RpcId = string | number;

/** What may be sent to a stream. */
export type StreamMessage =
  | { readonly method: 'tools/call'; readonly id: RpcId; readonly tool: string; readonly args: JsonObject }
  | { readonly method: 'tools/list' | 'ping'; readonly id: RpcId }
  | { readonly method: 'notifications/cancelled'; readonly request: RpcId }
  | { readonly method: 'ignored' };

/** Each frame of a call repeats it. */
const longestId = 256;

export function readStreamMessage(body: unknown): StreamMessage {
  if (Array.isArray(body)) throw wrong('A stream takes one message per POST, and this is a batch');
  if (!isJsonObject(body)) throw wrong('A JSON-RPC message is a JSON object');
  const { jsonrpc, method, params } = body;
  if (jsonrpc !== '2.0') throw wrong('A JSON-RPC message has "jsonrpc": "2.0"');
  if (typeof method !== 'string') throw wrong('A request has a "method", which is a string');
  if (params !== undefined && params !== null && !isJsonObject(params)) throw wrongParams('"params" is a JSON object');
  const given = isJsonObject(params) ? params : {};
  if (method.startsWith('notifications/')) return readNotification(method, given);
  const id = idIn(body);
  if (id === undefined) {
    throw wrong(`A request has an "id", a whole number or at most ${longestId} characters, which its frames carry`);
  }
  return readRequest(method, id, given);
}

/** The id of a message, however wrong the rest of it is. */
export function idIn(body: unknown): RpcId | undefined {
  if (!isJsonObject(body)) return undefined;
  return isRpcId(body.id) ? body.id : undefined;
}

function readRequest(method: string, id: RpcId, params: JsonObject): StreamMessage {
  if (method === 'tools/list' || method === 'ping') return { method, id };
  if (method !== 'tools/call') {
    const found = JSON.stringify(method.slice(0, 80));
    const message = `A stream takes the methods tools/call, tools/list and ping, and not ${found}; MCP clients POST without naming a stream`;
    throw new ProtocolError(ProtocolErrorCode.MethodNotFound, message);
  }
  const { name, arguments: args } = params;
  if (typeof name !== 'string' || name === '') throw wrongParams('The "params" of tools/call have a "name": the tool');
  return { method, id, tool: name, args: argumentsOf(args, 'The "arguments" of tools/call') };
}

function readNotification(method: string, { requestId }: JsonObject): StreamMessage {
  if (method !== 'notifications/cancelled') return { method: 'ignored' };
  if (!isRpcId(requestId)) throw wrongParams('The "params" of notifications/cancelled have a "requestId"');
  return { method, request: requestId };
}

function isRpcId(id: unknown): id is RpcId {
  return (typeof id === 'string' && id.length <= longestId) || Number.isSafeInteger(id);
}

function wrong(message: string): CallerError {
  return new CallerError('INVALID_REQUEST', message);
}

function wrongParams(message: string): ProtocolError {
  return new ProtocolError(ProtocolErrorCode.InvalidParams, message);
}
