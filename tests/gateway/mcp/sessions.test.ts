import { describe, expect, it } from 'vitest';
import { registerMcp } from '../../../src/gateway/mcp/mcp.js';
import type { GatewaySettingsInput } from '../../../src/gateway/settings.js';
import { FakeToolbox, text, untilCancelled } from '../../server/fake-toolbox.js';
import { createFakeServices, startApp, type TestApp } from '../harness.js';
import {
  accept,
  beginSession,
  callOf,
  connect,
  createMoment,
  createWaiting,
  eventsOf,
  post,
  readEvents,
} from './clients.js';

async function start(tools: FakeToolbox, settings: GatewaySettingsInput = {}) {
  const services = createFakeServices({ tools });
  const app = await startApp([registerMcp], { parts: { services }, settings });
  return { app, services };
}

const greeting = () => new FakeToolbox({ greet: ({ name }) => text(`Hello, ${name}!`) });

function listen({ url }: TestApp, headers: Readonly<Record<string, string>>, signal?: AbortSignal): Promise<Response> {
  return fetch(`${url}/api/v1/mcp/tools`, { headers: { ...headers, accept: 'text/event-stream' }, signal });
}

function deleteSession({ url }: TestApp, headers: Readonly<Record<string, string>>): Promise<Response> {
  return fetch(`${url}/api/v1/mcp/tools`, { method: 'DELETE', headers });
}

function callOfList() {
  return { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'greet', arguments: [] } };
}

const ping = { jsonrpc: '2.0', id: 1, method: 'ping' };

async function statusOf(app: TestApp, headers: Readonly<Record<string, string>>): Promise<number> {
  const response = await post(app, ping, { headers });
  await response.text();
  return response.status;
}

/** Asks until the session is gone. */
async function untilGone(app: TestApp, headers: Readonly<Record<string, string>>, idleMs: number): Promise<void> {
  for (let tries = 0; tries < 100; tries++) {
    await new Promise((resolve) => setTimeout(resolve, idleMs));
    if ((await statusOf(app, headers)) === 404) return;
  }
  throw new Error('The session is still there');
}

describe('a session', () => {
  it('gives its calls one session of the toolbox, which ends with it', async () => {
    const tools = greeting();
    const { app, services } = await start(tools);
    const headers = await beginSession(app, 'ada');
    for (const id of [1, 2]) await eventsOf(await post(app, callOf(id, 'greet'), { headers }));
    const name = `ada/${headers['mcp-session-id']}`;
    expect(tools.calls.map(({ options }) => options.session)).toEqual([name, name]);
    expect(tools.calls[0]?.options).toMatchObject({ transport: 'mcp-session', principal: { id: 'ada' } });
    expect((await deleteSession(app, headers)).status).toBe(200);
    expect(services.endedSessions).toEqual([name]);
    expect(await statusOf(app, headers)).toBe(404);
  });

  it('is not there for anybody else, nor at another address', async () => {
    const { app, services } = await start(greeting());
    services.set('others', greeting());
    const headers = await beginSession(app, 'ada');
    expect(await statusOf(app, { ...headers, 'x-test-client': 'bob' })).toBe(404);
    expect((await listen(app, { ...headers, 'x-test-client': 'bob' })).status).toBe(404);
    expect((await deleteSession(app, { ...headers, 'x-test-client': 'bob' })).status).toBe(404);
    expect((await post(app, ping, { headers, path: '/api/v1/mcp/others' })).status).toBe(404);
    expect((await post(app, ping, { headers, path: '/mcp' })).status).toBe(404);
    expect(await statusOf(app, headers)).toBe(200);
  });

  it('that is not known is answered so that a client begins anew', async () => {
    const { app } = await start(greeting());
    const response = await post(app, { ...ping, id: 5 }, { headers: { accept, 'mcp-session-id': 'unheard-of' } });
    expect([response.status, await response.json()]).toMatchObject([404, { id: 5, error: { code: -32001 } }]);
  });

  it('ends when nobody has used it for a while', async () => {
    const { app, services } = await start(greeting(), { streamIdleMs: 20 });
    const headers = await beginSession(app);
    await untilGone(app, headers, 40);
    expect(services.endedSessions).toEqual([`anonymous/${headers['mcp-session-id']}`]);
  });

  it('does not end while somebody listens', async () => {
    const { app, services } = await start(greeting(), { streamIdleMs: 300, heartbeatMs: 20 });
    const headers = await beginSession(app);
    const other = await beginSession(app);
    const leaving = new AbortController();
    await listen(app, headers, leaving.signal);
    await untilGone(app, other, 400);
    expect(await statusOf(app, headers)).toBe(200);
    leaving.abort();
    await untilGone(app, headers, 400);
    expect(services.endedSessions).toHaveLength(2);
  });

  it('makes room for a new one when there are too many, the longest idle first', async () => {
    const { app } = await start(greeting(), { maxSessions: 2 });
    const [first, second] = [await beginSession(app), await beginSession(app)];
    expect(await statusOf(app, first)).toBe(200);
    const third = await beginSession(app);
    expect(await statusOf(app, second)).toBe(404);
    expect([await statusOf(app, first), await statusOf(app, third)]).toEqual([200, 200]);
  });

  it('makes room for another one of the same client when that client has too many', async () => {
    const { app } = await start(greeting(), { maxStreamsPerClient: 1 });
    const [ada, bob] = [await beginSession(app, 'ada'), await beginSession(app, 'bob')];
    await beginSession(app, 'ada');
    expect([await statusOf(app, ada), await statusOf(app, bob)]).toEqual([404, 200]);
  });

  it.each([
    [{ maxSessions: 1 }, 503],
    [{ maxStreamsPerClient: 1 }, 429],
  ])('that calls something makes no room: %j', async (settings, status) => {
    const called = createMoment();
    const go = createMoment();
    const tools = new FakeToolbox({
      wait: async () => {
        called.come();
        await go.moment;
        return text('done');
      },
    });
    const { app } = await start(tools, settings);
    const headers = await beginSession(app);
    const answer = post(app, callOf(1, 'wait'), { headers });
    await called.moment;
    await expect(beginSession(app)).rejects.toThrow(`No session: ${status}`);
    go.come();
    expect((await eventsOf(await answer)).at(-1)?.data).toContain('done');
  });

  it('cancels its calls when it is deleted', async () => {
    const { tools, called, cancelled } = createWaiting();
    const { app } = await start(tools);
    const headers = await beginSession(app);
    const answer = post(app, callOf(1, 'wait'), { headers });
    await called.moment;
    await deleteSession(app, headers);
    await cancelled.moment;
    expect((await eventsOf(await answer)).map(({ data }) => data)).toEqual(['']);
  });

  it('closes the stream of a call that was cancelled', async () => {
    const called = createMoment();
    const tools = new FakeToolbox({
      wait: (args, options) => {
        called.come();
        return untilCancelled(() => {})(args, options);
      },
    });
    const { app } = await start(tools);
    const headers = await beginSession(app);
    const answer = post(app, callOf('x', 'wait'), { headers });
    await called.moment;
    const params = { requestId: 'x', reason: 'no longer needed' };
    const told = await post(app, { jsonrpc: '2.0', method: 'notifications/cancelled', params }, { headers });
    expect(told.status).toBe(202);
    const [, last] = await eventsOf(await answer);
    expect(JSON.parse(last?.data ?? '')).toMatchObject({ id: 'x', error: { code: -32800 } });
  });

  it.each([
    ['an id that is null', { jsonrpc: '2.0', id: null, method: 'ping' }, -32600],
    ['arguments that are a list', callOfList(), -32602],
  ])('refuses %s', async (_name, body, code) => {
    const { app } = await start(greeting());
    const headers = await beginSession(app);
    const response = await post(app, body, { headers });
    expect([response.status, await response.json()]).toMatchObject([400, { error: { code } }]);
  });

  it('takes a message that has more members than it needs', async () => {
    const { app } = await start(greeting());
    const headers = await beginSession(app);
    expect((await post(app, { ...ping, extra: true }, { headers })).status).toBe(200);
  });

  it('whose client is away cancels its calls after a while', async () => {
    const { tools, called, cancelled } = createWaiting();
    const { app } = await start(tools, { streamIdleMs: 300 });
    const headers = await beginSession(app);
    const leaving = new AbortController();
    post(app, callOf(1, 'wait'), { headers, signal: leaving.signal }).catch(() => {});
    await called.moment;
    leaving.abort();
    await cancelled.moment;
    await untilGone(app, headers, 400);
  });

  it('ends when its service is removed', async () => {
    const { app, services } = await start(greeting());
    const headers = await beginSession(app);
    const streams = await listen(app, headers);
    await services.remove('tools');
    expect(await eventsOf(streams)).toEqual([]);
    expect(await statusOf(app, headers)).toBe(404);
  });

  it('tells of tools that changed while nobody listened', async () => {
    const { app, services } = await start(greeting());
    const headers = await beginSession(app);
    services.change('tools');
    const leaving = new AbortController();
    const { value } = await readEvents(await listen(app, headers, leaving.signal)).next();
    leaving.abort();
    expect(JSON.parse(value?.data ?? '')).toMatchObject({ method: 'notifications/tools/list_changed' });
  });

  it('lets a second listener take over from one that may be gone', async () => {
    const { app, services } = await start(greeting());
    const headers = await beginSession(app);
    const first = await listen(app, headers);
    const leaving = new AbortController();
    const second = readEvents(await listen(app, headers, leaving.signal));
    expect(await eventsOf(first)).toEqual([]);
    services.change('tools');
    expect((await second.next()).value?.data).toContain('list_changed');
    leaving.abort();
  });

  it('takes a client that accepts anything', async () => {
    const { app } = await start(greeting());
    const headers = await beginSession(app);
    const response = await post(app, ping, { headers: { ...headers, accept: '*/*' } });
    expect([response.status, (await eventsOf(response)).at(-1)?.data]).toEqual([
      200,
      '{"result":{},"jsonrpc":"2.0","id":1}',
    ]);
  });

  it('refuses a client that takes no events', async () => {
    const { app } = await start(greeting());
    const headers = await beginSession(app);
    expect((await post(app, ping, { headers: { ...headers, accept: 'application/json' } })).status).toBe(406);
  });

  it('is refused to a client that takes nothing but events, and none is left behind', async () => {
    const { app } = await start(greeting(), { maxSessions: 1 });
    const params = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'test', version: '1' } };
    const body = { jsonrpc: '2.0', id: 0, method: 'initialize', params };
    const kept = await beginSession(app);
    await deleteSession(app, kept);
    const response = await post(app, body, { headers: { accept: 'text/event-stream' } });
    expect(response.status).toBe(406);
    await beginSession(app);
  });

  it('of one client is not met by the calls of another with the same ids', async () => {
    const tools = greeting();
    const { app } = await start(tools);
    const clients = await Promise.all([connect(app, { as: 'ada' }), connect(app, { as: 'bob' })]);
    const results = await Promise.all(
      clients.map(({ client }, index) => client.callTool({ name: 'greet', arguments: { name: `client ${index}` } })),
    );
    expect(results.map(({ content }) => content)).toMatchObject([
      [{ text: 'Hello, client 0!' }],
      [{ text: 'Hello, client 1!' }],
    ]);
    expect(new Set(tools.calls.map(({ options }) => options.session)).size).toBe(2);
  });

  it('has everything ended when the gateway is closed', async () => {
    const { app, services } = await start(greeting());
    const headers = await beginSession(app);
    const streams = await listen(app, headers);
    await app.close();
    expect(await eventsOf(streams)).toEqual([]);
    expect(services.endedSessions).toHaveLength(1);
  });
});
