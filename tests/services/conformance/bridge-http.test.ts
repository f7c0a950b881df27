import { request } from 'node:http';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { Bridge } from '../../../src/services/conformance/bridge/bridge.js';
import { bridgeTo, serverOf } from './bridged.js';

const target = serverOf(join(import.meta.dirname, '../../client/servers/answers_with_its_process.mjs'));
const initialize = {
  jsonrpc: '2.0',
  id: 'one',
  method: 'initialize',
  params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'test', version: '1' } },
};
const usual = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' };

/** Not by fetch, which lets nobody choose the Host. */
function post({ url }: Bridge, headers: Record<string, string>, body: unknown = initialize): Promise<number> {
  return new Promise((resolve, reject) => {
    const sent = request(url, { method: 'POST', headers: { ...usual, ...headers } }, (response) => {
      response.resume().once('end', () => resolve(response.statusCode ?? 0));
    });
    sent.once('error', reject).end(typeof body === 'string' ? body : JSON.stringify(body));
  });
}

describe('the address of the bridge', () => {
  it('refuses other names, web pages of others, and what is no message', async () => {
    const bridge = await bridgeTo(target);
    expect(await post(bridge, { host: 'evil.example.com' })).toBe(403);
    expect(await post(bridge, { origin: 'http://evil.example.com' })).toBe(403);
    expect(await post(bridge, { origin: 'http://localhost:3000' })).toBe(200);
    expect(await post(bridge, {}, '{"jsonrpc": ')).toBe(400);
    expect(await post(bridge, {}, { no: 'message' })).toBe(400);
    expect(await post(bridge, {}, { jsonrpc: '2.0', id: 1, method: 'ping' })).toBe(400);
    expect(await post(bridge, { 'mcp-session-id': 'none' }, { jsonrpc: '2.0', id: 1, method: 'ping' })).toBe(404);
    expect(await post(bridge, { 'mcp-protocol-version': '2026-07-28' })).toBe(400);
    expect((await fetch(bridge.url)).status).toBe(405);
    expect((await fetch(new URL('/other', bridge.url))).status).toBe(404);
    expect(await post(bridge, {}, 'x'.repeat(16 * 1024 * 1024 + 1))).toBe(413);
  });

  it('takes ids that are texts, and messages before the first stream', async () => {
    const bridge = await bridgeTo(target);
    const begun = await fetch(bridge.url, { method: 'POST', headers: usual, body: JSON.stringify(initialize) });
    const session = begun.headers.get('mcp-session-id') ?? '';
    expect(await begun.text()).toContain('"id":"one"');
    const call = { jsonrpc: '2.0', id: 'two', method: 'tools/call', params: { name: 'work' } };
    const headers = { ...usual, 'mcp-session-id': session };
    const answered = await fetch(bridge.url, { method: 'POST', headers, body: JSON.stringify(call) });
    const said = await answered.text();
    expect(said).toContain('"id":"two"');
    expect(said).toContain('calls');
    const told = { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 'unknown' } };
    expect(await post(bridge, headers, told)).toBe(202);
  });
});
