import type { JSONRPCMessage } from '@modelcontextprotocol/server';
import { whatWasWrongWith } from '../../../client/command/messages.js';
import { HostError } from '../../../errors.js';

type Answer = Exclude<JSONRPCMessage, { method: string }>;

export function isAnswer(message: JSONRPCMessage): message is Answer {
  return !('method' in message);
}

/** An answer that was mended on its way here would hide a fault of the server, so it becomes an error that tells of it. */
export function asTheServerSaid(message: Answer): Answer {
  const wrong = whatWasWrongWith(message);
  if (wrong === undefined) return message;
  const error = { code: -32_603, message: `The answer of the MCP server breaks the rules of JSON-RPC: ${wrong}` };
  return { jsonrpc: '2.0', id: message.id, error };
}

/** As text: servers give back a number that they were given as it pleases them. */
export function progressTokenOf(holder: unknown): string | undefined {
  const token = memberOf(holder, 'progressToken');
  return typeof token === 'string' || typeof token === 'number' ? String(token) : undefined;
}

export function memberOf(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null ? Reflect.get(value, name) : undefined;
}

export function failedWith(message: string): HostError {
  return new HostError('CLOSED', message);
}
