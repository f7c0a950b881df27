import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { isAlive, until } from '../engine/processes.js';
import { startGateway } from '../gateway/gateway-process.js';
import { createFolder } from '../interpreter/scripts.js';
import { tellFigure } from './figures.js';

const script = join(import.meta.dirname, 'scripts', 'notes_each_call.py');
const times = 500;
const atOnce = 8;

/** The ways into a service on which the answer is the connection. */
const ways = ['rest', 'rest as events', 'json-rpc', '2026-07-28'] as const;

describe('500 clients that vanish in the middle of a call', () => {
  it('leave no process behind', async () => {
    const notes = join(await createFolder(), 'notes');
    const gateway = await startGateway([script], { NOTES: notes });
    const processes = () => read(notes).flatMap((line) => line.split(' ').slice(1).map(Number));
    let done = 0;
    await Promise.all(
      Array.from({ length: atOnce }, async () => {
        while (done < times) {
          const turn = done++;
          const leave = new AbortController();
          const asked = ask(gateway.url, ways[turn % ways.length] ?? 'rest', `call-${turn}`, leave.signal);
          await Promise.race([until(() => read(notes).some((line) => line.startsWith(`call-${turn} `))), asked]);
          leave.abort();
          await asked;
        }
      }),
    );
    const goneAt = performance.now();
    await until(() => processes().filter(isAlive).length === 0);
    const leftMs = Math.ceil(performance.now() - goneAt);
    await tellFigure('the last process after 500 clients vanished', '< 1000 ms', `${leftMs} ms`);
    expect(read(notes).length).toBe(times);
  }, 300_000);
});

async function ask(url: string, way: (typeof ways)[number], call: string, signal: AbortSignal): Promise<void> {
  const [path, body, headers] = request(way, call);
  try {
    const response = await fetch(`${url}${path}`, {
      method: 'POST',
      signal,
      body: JSON.stringify(body),
      headers: { 'content-type': 'application/json', ...headers },
    });
    await response.text();
  } catch (error) {
    if (!signal.aborted) throw error;
  }
}

function request(way: (typeof ways)[number], name: string): [string, object, Record<string, string>] {
  const rest = '/api/v1/services/notes_each_call/tools/note_process';
  if (way === 'rest') return [rest, { call: name }, {}];
  if (way === 'rest as events') return [rest, { call: name }, { accept: 'text/event-stream' }];
  const call = { jsonrpc: '2.0', id: 1, method: 'tools/call' };
  const params = { name: 'note_process', arguments: { call: name } };
  if (way === 'json-rpc') return ['/api/v1/mcp/notes_each_call', { ...call, params }, {}];
  const version = '2026-07-28';
  const _meta = {
    'io.modelcontextprotocol/protocolVersion': version,
    'io.modelcontextprotocol/clientInfo': { name: 'test', version: '1' },
    'io.modelcontextprotocol/clientCapabilities': {},
  };
  return [
    '/api/v1/mcp/notes_each_call',
    { ...call, params: { ...params, _meta } },
    {
      accept: 'application/json, text/event-stream',
      'mcp-protocol-version': version,
      'mcp-method': 'tools/call',
      'mcp-name': 'note_process',
    },
  ];
}

function read(notes: string): string[] {
  try {
    return readFileSync(notes, 'utf8').trim().split('\n');
  } catch {
    return [];
  }
}
