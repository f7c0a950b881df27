import { join } from 'node:path';
import { afterEach, expect } from 'vitest';
import { openSession, type SessionOptions } from '../../../src/client/session/session.js';
import type { CommandTarget, ServerTarget } from '../../../src/client/target.js';
import type { Exchange, TestedServer } from '../../../src/testedserver.js';
import type { JsonObject } from '../../../src/toolbox.js';

const servers = join(import.meta.dirname, '../../harness/servers');
const opened: TestedServer[] = [];
/** For what a server brings about and nobody tells of. */
export const patiently = { interval: 10, timeout: 10_000 };

/** Everything that a test opened is closed after it. */
afterEach(async () => {
  await Promise.all(opened.splice(0).map((server) => server.close()));
});

export function commandOf(server: string, ...args: string[]): CommandTarget {
  return { kind: 'command', command: process.execPath, args: [join(servers, server), ...args] };
}

export async function open(target: ServerTarget, options: SessionOptions = {}): Promise<TestedServer> {
  const server = await openSession(target, options);
  opened.push(server);
  return server;
}

export function openBroken(...modes: string[]): Promise<TestedServer> {
  return open(commandOf('broken_server.mjs', ...modes));
}

export function call(server: TestedServer, name: string, args: JsonObject = {}, options = {}): Promise<Exchange> {
  return server.request('tools/call', { name, arguments: args }, { timeoutMs: 10_000, ...options });
}

export function said(text: string): object {
  return { outcome: { kind: 'result', result: { content: [{ type: 'text', text }] } } };
}

export function noAnswer(code: string, message: RegExp): object {
  return { kind: 'none', code, message: expect.stringMatching(message) };
}

export function textOf({ outcome }: Exchange): string {
  const content = outcome.kind === 'result' ? outcome.result.content : undefined;
  return String(JSON.parse(JSON.stringify(content ?? []))[0]?.text);
}
