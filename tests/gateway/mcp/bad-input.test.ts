import { describe, expect, it } from 'vitest';
import { registerMcp } from '../../../src/gateway/mcp/mcp.js';
import type { JsonObject } from '../../../src/toolbox.js';
import { FakeToolbox, text } from '../../server/fake-toolbox.js';
import { startApp, type TestApp } from '../harness.js';
import { accept, callOf, post } from './clients.js';

function start(tools: FakeToolbox): Promise<TestApp> {
  return startApp([registerMcp], { services: { tools } });
}

const greeting = () => new FakeToolbox({ greet: ({ name }) => text(`Hello, ${name}!`) });

describe('bad input', () => {
  const deep = (levels: number) => `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"x":${'['.repeat(levels)}`;
  it.each<[string, string | JsonObject, number, number]>([
    ['broken JSON', '{"jsonrpc":', 400, -32700],
    ['nothing', ' ', 400, -32700],
    ['a number', '7', 400, -32600],
    ['no version', { id: 1, method: 'ping' }, 400, -32600],
    ['no method', { jsonrpc: '2.0', id: 1 }, 400, -32600],
    ['an id that is null', { jsonrpc: '2.0', id: null, method: 'ping' }, 400, -32600],
    ['an id that is an object', { jsonrpc: '2.0', id: {}, method: 'ping' }, 400, -32600],
    ['an id that is a fraction', { jsonrpc: '2.0', id: 1.5, method: 'ping' }, 400, -32600],
    ['params that are a list', { jsonrpc: '2.0', id: 1, method: 'tools/list', params: [1] }, 200, -32602],
    ['an unknown method', { jsonrpc: '2.0', id: 1, method: 'unheard/of' }, 200, -32601],
    ['a call of nothing', { jsonrpc: '2.0', id: 1, method: 'tools/call', params: {} }, 200, -32602],
    ['a call of an unknown tool', callOf(1, 'unheard-of') as JsonObject, 200, -32602],
    ['a bomb of brackets', deep(100_000), 400, -32600],
    ['brackets that are closed', `${deep(600)}${']'.repeat(600)}}}`, 400, -32600],
  ])('%s is answered with the right code', async (_name, body, status, code) => {
    const app = await start(greeting());
    const response = await post(app, body);
    expect([response.status, await response.json()]).toMatchObject([status, { jsonrpc: '2.0', error: { code } }]);
  });

  const envelope = {
    'io.modelcontextprotocol/protocolVersion': '2026-07-28',
    'io.modelcontextprotocol/clientCapabilities': {},
    'io.modelcontextprotocol/clientInfo': { name: 'test', version: '1' },
  };
  it.each<[string, object]>([
    ['initialize', {}],
    ['initialize', { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: {} }],
    ['logging/setLevel', { level: 'loud' }],
    ['resources/read', {}],
    ['resources/read', { uri: 5, _meta: envelope }],
    ['resources/list', { cursor: {} }],
    ['tools/list', { cursor: 5 }],
    ['tools/list', { cursor: 5, _meta: envelope }],
    ['tools/call', { name: 5 }],
  ])('params of %s that do not fit (%j) are told in a sentence', async (method, params) => {
    const app = await start(greeting());
    const headers = {
      accept,
      ...('_meta' in params && { 'mcp-protocol-version': '2026-07-28', 'mcp-method': method }),
    };
    const response = await post(app, { jsonrpc: '2.0', id: 1, method, params }, { headers });
    const message = expect.stringMatching(/^[^\n]+\.$/);
    expect(await response.json()).toMatchObject({ id: 1, error: { code: -32602, message } });
  });

  it('brackets within a text are no nesting', async () => {
    const app = await start(greeting());
    const response = await post(app, callOf(1, 'greet', { name: `\\"${'['.repeat(5000)}` }));
    expect(response.status).toBe(200);
  });

  it('what is not UTF-8 is answered with a parse error', async () => {
    const app = await start(greeting());
    const response = await fetch(`${app.url}/api/v1/mcp/tools`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: Buffer.from([0x22, 0xff, 0x22]),
    });
    expect([response.status, await response.json()]).toMatchObject([400, { id: null, error: { code: -32700 } }]);
  });

  it('a body of another content type is refused with 415', async () => {
    const app = await start(greeting());
    const response = await post(app, callOf(1, 'greet'), { headers: { 'content-type': 'text/plain' } });
    expect([response.status, await response.json()]).toMatchObject([415, { error: { code: -32600 } }]);
  });

  it('a body that is too large is refused with 413', async () => {
    const app = await startApp([registerMcp], { services: { tools: greeting() }, settings: { maxBodyBytes: 1000 } });
    const response = await post(app, callOf(1, 'greet', { name: 'x'.repeat(2000) }));
    expect([response.status, await response.json()]).toMatchObject([
      413,
      { error: { code: -32600, data: { code: 'TOO_LARGE' } } },
    ]);
  });

  it('an unknown service is refused with 404', async () => {
    const app = await start(greeting());
    const response = await post(app, callOf(3, 'greet'), { path: '/api/v1/mcp/unheard-of' });
    expect([response.status, await response.json()]).toMatchObject([
      404,
      { id: 3, error: { code: -32602, data: { code: 'UNKNOWN_SERVICE' } } },
    ]);
  });

  it.each([
    ['GET', 'POST'],
    ['DELETE', 'POST'],
    ['PUT', 'POST, GET, DELETE'],
  ])('%s outside of a session is refused with what is allowed', async (method, allowed) => {
    const app = await start(greeting());
    const response = await fetch(`${app.url}/api/v1/mcp/tools`, { method, headers: { accept: 'text/event-stream' } });
    expect([response.status, response.headers.get('allow')]).toEqual([405, allowed]);
  });

  it.each(['2024-01-01', '1999'])('the protocol version %s is refused with those that there are', async (version) => {
    const app = await start(greeting());
    const response = await post(app, callOf(1, 'greet'), { headers: { 'mcp-protocol-version': version } });
    expect([response.status, await response.json()]).toMatchObject([
      400,
      { error: { message: expect.stringContaining('2025-11-25') } },
    ]);
  });
});
