import { describe, expect, it } from 'vitest';
import { registerMcp } from '../../../src/gateway/mcp/mcp.js';
import { FakeToolbox, text } from '../../server/fake-toolbox.js';
import { createFakeServices, startApp, type TestApp } from '../harness.js';
import { callOf, connectBySse, createMoment, createWaiting, post, readEvents } from './clients.js';

const greeting = () => new FakeToolbox({ greet: ({ name }) => text(`Hello, ${name}!`) });

async function start(tools: FakeToolbox) {
  const services = createFakeServices({ tools });
  return { app: await startApp([registerMcp], { parts: { services } }), services };
}

/** Opens a stream by hand. */
async function open({ url }: TestApp, client = 'ada', path = '/api/v1/sse/tools') {
  const leaving = new AbortController();
  const response = await fetch(`${url}${path}`, { headers: { 'x-test-client': client }, signal: leaving.signal });
  const events = readEvents(response);
  const { value } = await events.next();
  return { events, endpoint: value?.data ?? '', event: value?.event, leave: () => leaving.abort() };
}

describe('the official client of HTTP with SSE', () => {
  it('lists tools and calls them', async () => {
    const { app } = await start(greeting());
    const client = await connectBySse(app);
    expect((await client.listTools()).tools.map(({ name }) => name)).toEqual(['greet']);
    const { content } = await client.callTool({ name: 'greet', arguments: { name: 'Ada' } });
    expect(content).toMatchObject([{ text: 'Hello, Ada!' }]);
  });

  it('hears of progress, and of tools that have changed', async () => {
    const heard = createMoment();
    const changed = createMoment();
    const tools = new FakeToolbox({
      steps: async (_args, { onEvent }) => {
        await onEvent?.({ type: 'progress', done: 1, total: 2 });
        await heard.moment;
        return text('done');
      },
    });
    const { app, services } = await start(tools);
    const client = await connectBySse(app);
    client.setNotificationHandler('notifications/tools/list_changed', () => changed.come());
    await client.callTool({ name: 'steps' }, { onprogress: () => heard.come() });
    services.change('tools');
    await changed.moment;
  });

  it('cancels a call by its signal', async () => {
    const { tools, called, cancelled } = createWaiting();
    const { app } = await start(tools);
    const client = await connectBySse(app);
    const cancel = new AbortController();
    client.callTool({ name: 'wait' }, { signal: cancel.signal }).catch(() => {});
    await called.moment;
    cancel.abort();
    await cancelled.moment;
  });

  it('finds the tools of all services at /sse', async () => {
    const { app, services } = await start(greeting());
    services.set('more', greeting());
    const client = await connectBySse(app, '/sse');
    expect((await client.listTools()).tools.map(({ name }) => name)).toEqual(['more__greet', 'tools__greet']);
  });
});

describe('a stream of HTTP with SSE', () => {
  it('begins with the address that messages are posted to', async () => {
    const { app } = await start(greeting());
    const { endpoint, event, leave } = await open(app);
    expect([event, endpoint]).toEqual([
      'endpoint',
      expect.stringMatching(/^\/api\/v1\/sse\/tools\/messages\?session=/),
    ]);
    leave();
  });

  it('gets the answers to what its client posts', async () => {
    const tools = greeting();
    const { app } = await start(tools);
    const { events, endpoint, leave } = await open(app);
    const headers = { 'x-test-client': 'ada', 'x-timeout-ms': '70' };
    const response = await post(app, callOf('a', 'greet', { name: 'Ada' }), { path: endpoint, headers });
    expect(response.status).toBe(202);
    const { value } = await events.next();
    expect(value?.event).toBe('message');
    expect(JSON.parse(value?.data ?? '')).toMatchObject({ id: 'a', result: { content: [{ text: 'Hello, Ada!' }] } });
    expect(tools.calls[0]?.options).toMatchObject({
      transport: 'legacy-sse',
      principal: { id: 'ada' },
      session: `ada/${new URL(endpoint, app.url).searchParams.get('session')}`,
      timeoutMs: 70,
    });
    leave();
  });

  it('gets the refusal of what is no message', async () => {
    const { app } = await start(greeting());
    const { events, endpoint, leave } = await open(app);
    await post(app, { jsonrpc: '2.0', id: 4 }, { path: endpoint, headers: { 'x-test-client': 'ada' } });
    expect(JSON.parse((await events.next()).value?.data ?? '')).toMatchObject({ id: 4, error: { code: -32600 } });
    leave();
  });

  it('takes nothing from anybody else, nor by another address', async () => {
    const tools = greeting();
    const { app, services } = await start(tools);
    services.set('others', tools);
    const { endpoint, leave } = await open(app);
    const elsewhere = endpoint.replace('/tools/', '/others/');
    const answers = [
      await post(app, callOf(1, 'greet'), { path: endpoint, headers: { 'x-test-client': 'bob' } }),
      await post(app, callOf(1, 'greet'), { path: elsewhere, headers: { 'x-test-client': 'ada' } }),
      await post(app, callOf(1, 'greet'), { path: '/api/v1/sse/tools/messages', headers: { 'x-test-client': 'ada' } }),
    ];
    expect(answers.map(({ status }) => status)).toEqual([404, 404, 404]);
    expect(tools.calls).toEqual([]);
    leave();
  });

  it('cancels the calls of a client that is gone, and ends its session', async () => {
    const { tools, called, cancelled } = createWaiting();
    const { app, services } = await start(tools);
    const { endpoint, leave } = await open(app);
    await post(app, callOf(1, 'wait'), { path: endpoint, headers: { 'x-test-client': 'ada' } });
    await called.moment;
    leave();
    await cancelled.moment;
    expect(services.endedSessions).toHaveLength(1);
  });

  it('ends when its service is removed', async () => {
    const { app, services } = await start(greeting());
    const { events } = await open(app);
    await services.remove('tools');
    expect((await events.next()).done).toBe(true);
  });

  it('of an unknown service is refused', async () => {
    const { app } = await start(greeting());
    const response = await fetch(`${app.url}/api/v1/sse/unheard-of`);
    expect(response.status).toBe(404);
  });

  it('is not opened by HEAD', async () => {
    const { app } = await start(greeting());
    expect((await fetch(`${app.url}/api/v1/sse/tools`, { method: 'HEAD' })).status).toBe(405);
  });
});
