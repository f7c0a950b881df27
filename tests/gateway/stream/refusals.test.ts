import { describe, expect, it, vi } from 'vitest';
import { FakeToolbox, text, untilCancelled } from '../../server/fake-toolbox.js';
import { listen } from './listener.js';
import { startStreams } from './streaming.js';

describe('a POST that names a stream', () => {
  const request = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'work' } };
  it.each([
    ['a batch', [request], 400, -32_600],
    ['a number', 7, 400, -32_600],
    ['no version', { ...request, jsonrpc: undefined }, 400, -32_600],
    ['no method', { ...request, method: undefined }, 400, -32_600],
    ['no id', { ...request, id: undefined }, 400, -32_600],
    ['null as id', { ...request, id: null }, 400, -32_600],
    ['half an id', { ...request, id: 1.5 }, 400, -32_600],
    ['an endless id', { ...request, id: 'x'.repeat(300) }, 400, -32_600],
    ['an unknown method', { ...request, method: 'initialize' }, 400, -32_601],
    ['no tool', { ...request, params: {} }, 400, -32_602],
    ['a list as params', { ...request, params: [] }, 400, -32_602],
    ['a list as arguments', { ...request, params: { name: 'work', arguments: [1] } }, 400, -32_600],
    [
      'a bottomless pit',
      `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"work","arguments":{"a":${'['.repeat(50_000)}${']'.repeat(50_000)}}}}`,
      400,
      -32_600,
    ],
    ['an answer', { jsonrpc: '2.0', id: 1, result: {} }, 400, -32_600],
  ])('is refused for %s, in JSON-RPC', async (_what, message, status, code) => {
    const { open } = await startStreams(new FakeToolbox({ work: () => text('') }));
    const { post, listener } = await open();
    const refused = await post(message);
    expect(refused.status).toBe(status);
    expect(await refused.json()).toMatchObject({ jsonrpc: '2.0', error: { code } });
    expect(listener.events).toHaveLength(1);
  });

  it('is refused where its id is under way, where too many are, and for a wrong header', async () => {
    const { open } = await startStreams(new FakeToolbox({ work: untilCancelled(() => {}) }), {
      settings: { maxRunningPerClient: 2 },
    });
    const { call, post } = await open();
    await call(1, 'work');
    expect((await call(1, 'work')).status).toBe(409);
    expect((await post({ ...request, id: 2 }, { 'x-timeout-ms': 'soon' })).status).toBe(400);
    expect((await call('1', 'work')).status).toBe(202);
    const full = await call(3, 'work');
    expect(full.status).toBe(429);
    expect(full.headers.get('retry-after')).toBe('1');
  });

  it('is left to others where it names none', async () => {
    const { app } = await startStreams(new FakeToolbox());
    const headers = { 'content-type': 'application/json' };
    const left = await fetch(`${app.url}/api/v1/mcp/demo`, { method: 'POST', headers, body: JSON.stringify(request) });
    expect(left.status).toBe(501);
  });
});

describe('opening a stream', () => {
  it('is refused for an unknown service and a strange once', async () => {
    const { app } = await startStreams(new FakeToolbox());
    expect((await fetch(`${app.url}/api/v1/stream/nothing`)).status).toBe(404);
    expect((await fetch(`${app.url}/api/v1/stream/demo?once=maybe`)).status).toBe(400);
    expect((await fetch(`${app.url}/api/v1/stream/demo`, { method: 'HEAD' })).status).toBe(405);
  });

  it('is bounded for each client by itself; one that nobody listens to makes room', async () => {
    const { app, open } = await startStreams(new FakeToolbox(), { settings: { maxStreamsPerClient: 2 } });
    const [one] = [await open(), await open()];
    const address = `${app.url}/api/v1/stream/demo`;
    expect((await listen(address)).status).toBe(429);
    expect((await listen(address, { headers: { 'x-test-client': 'bob' } })).status).toBe(200);
    one?.listener.cut();
    await vi.waitFor(async () => expect((await listen(address)).status).toBe(200));
    expect((await one?.reconnect())?.status).toBe(404);
  });

  it('lasts at most as long as the gateway', async () => {
    const { app, open } = await startStreams(new FakeToolbox());
    const { listener } = await open();
    await app.close();
    await listener.closed;
  });
});
