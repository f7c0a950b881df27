import { describe, expect, it } from 'vitest';
import { CallerError, HostError } from '../../../src/errors.js';
import { registerMcp } from '../../../src/gateway/mcp/mcp.js';
import { FakeToolbox, text } from '../../server/fake-toolbox.js';
import { startApp, type TestApp } from '../harness.js';
import { callOf, createMoment, createWaiting, eventsOf, post } from './clients.js';

function start(tools: FakeToolbox): Promise<TestApp> {
  return startApp([registerMcp], { services: { tools } });
}

const greeting = () => new FakeToolbox({ greet: ({ name }) => text(`Hello, ${name}!`) });

describe('a client that never heard of MCP', () => {
  it('lists the tools', async () => {
    const app = await start(greeting());
    const response = await post(app, { jsonrpc: '2.0', id: 1, method: 'tools/list' });
    expect(response.headers.get('content-type')).toMatch(/^application\/json/);
    expect(await response.json()).toMatchObject({ jsonrpc: '2.0', id: 1, result: { tools: [{ name: 'greet' }] } });
  });

  it.each(['a text', '', 0, -7, 2 ** 53 - 1])('gets its own id back: %j', async (id) => {
    const app = await start(greeting());
    const response = await post(app, callOf(id, 'greet', { name: 'Ada' }));
    expect(response.status).toBe(200);
    expect(await response.json()).toMatchObject({ id, result: { content: [{ text: 'Hello, Ada!' }] } });
  });

  it('gets its own answer when another one asks with the same id at the same time', async () => {
    const waits = new Map<string, () => void>();
    const bothAsked = createMoment();
    const tools = new FakeToolbox({
      wait: async ({ name }) => {
        await new Promise<void>((resolve) => {
          waits.set(`${name}`, resolve);
          if (waits.size === 2) bothAsked.come();
        });
        return text(`${name}`);
      },
    });
    const app = await start(tools);
    const [first, second] = ['first', 'second'].map((name) => post(app, callOf(1, 'wait', { name })));
    await bothAsked.moment;
    waits.get('second')?.();
    expect(await (await second)?.json()).toMatchObject({ id: 1, result: { content: [{ text: 'second' }] } });
    waits.get('first')?.();
    expect(await (await first)?.json()).toMatchObject({ id: 1, result: { content: [{ text: 'first' }] } });
  });

  it('is told 202 for what needs no answer', async () => {
    const app = await start(greeting());
    const notification = { jsonrpc: '2.0', method: 'notifications/initialized' };
    for (const body of [notification, [notification, notification], { jsonrpc: '2.0', id: 1, result: {} }]) {
      const response = await post(app, body);
      expect([response.status, await response.text()]).toEqual([202, '']);
    }
  });

  it('may initialize, and has no session when it takes no events', async () => {
    const app = await start(greeting());
    const params = { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'curl', version: '8' } };
    const response = await post(app, { jsonrpc: '2.0', id: 1, method: 'initialize', params });
    expect(response.headers.get('mcp-session-id')).toBeNull();
    expect(await response.json()).toMatchObject({
      result: { protocolVersion: '2025-06-18', serverInfo: { name: 'tools', version: '1' } },
    });
  });

  it('sets a log level for nobody else', async () => {
    const app = await start(
      new FakeToolbox({
        log: (_args, { onEvent }) => {
          onEvent?.({ type: 'log', level: 'info', message: 'noise' });
          return text('done');
        },
      }),
    );
    await post(app, { jsonrpc: '2.0', id: 1, method: 'logging/setLevel', params: { level: 'debug' } });
    const headers = { accept: 'text/event-stream' };
    const events = await eventsOf(await post(app, callOf(2, 'log'), { headers }));
    expect(events).toHaveLength(1);
  });

  it('cancels its call by going away', async () => {
    const { tools, called, cancelled } = createWaiting();
    const app = await start(tools);
    const leaving = new AbortController();
    const answer = post(app, callOf(1, 'wait'), { signal: leaving.signal }).catch(() => 'left');
    await called.moment;
    leaving.abort();
    await cancelled.moment;
    expect(await answer).toBe('left');
  });

  it.each(['application/json, text/event-stream', 'text/event-stream'])(
    'hears of progress by events, where it takes %s and asks for it',
    async (accept) => {
      const tools = new FakeToolbox({
        steps: async (_args, { onEvent }) => {
          for (const done of [1, 2]) await onEvent?.({ type: 'progress', done, total: 2 });
          return text('done');
        },
      });
      const app = await start(tools);
      const headers = { accept };
      const response = await post(app, callOf('c', 'steps', {}, { progressToken: 'p' }), { headers });
      expect(response.headers.get('content-type')).toBe('text/event-stream');
      expect(response.headers.get('x-accel-buffering')).toBe('no');
      const messages = (await eventsOf(response)).map(({ data }) => JSON.parse(data));
      expect(messages).toMatchObject([
        { method: 'notifications/progress', params: { progressToken: 'p', progress: 1, total: 2 } },
        { method: 'notifications/progress', params: { progressToken: 'p', progress: 2, total: 2 } },
        { id: 'c', result: { content: [{ text: 'done' }] } },
      ]);
    },
  );

  it('cancels its call by closing the stream of events', async () => {
    const { tools, called, cancelled } = createWaiting();
    const app = await start(tools);
    const leaving = new AbortController();
    const headers = { accept: 'text/event-stream' };
    await post(app, callOf(1, 'wait'), { headers, signal: leaving.signal });
    await called.moment;
    leaving.abort();
    await cancelled.moment;
  });
});

describe('a batch', () => {
  it('is answered as a batch, without its notifications, and by the order of its requests', async () => {
    const app = await start(greeting());
    const response = await post(app, [
      callOf('a', 'greet', { name: 'Ada' }),
      { jsonrpc: '2.0', method: 'notifications/initialized' },
      7,
      callOf('b', 'greet', { name: 'Bob' }),
      { jsonrpc: '2.0', id: 'c', method: 'unheard/of' },
    ]);
    expect(response.status).toBe(200);
    expect(await response.json()).toMatchObject([
      { id: 'a', result: { content: [{ text: 'Hello, Ada!' }] } },
      { id: null, error: { code: -32600 } },
      { id: 'b', result: { content: [{ text: 'Hello, Bob!' }] } },
      { id: 'c', error: { code: -32601 } },
    ]);
  });

  it('gives each of its calls an id and an idempotency key of its own', async () => {
    const tools = greeting();
    const app = await start(tools);
    const batch = ['Ada', 'Bob'].map((name) => callOf(name, 'greet', { name }));
    const response = await post(app, batch, { headers: { 'idempotency-key': 'once' } });
    const id = response.headers.get('x-request-id');
    expect(tools.calls.map(({ options }) => options)).toMatchObject([
      { id, idempotencyKey: 'once' },
      { id: `${id}-2`, idempotencyKey: 'once-2' },
    ]);
  });

  it.each([0, 101])('of %i messages is refused', async (length) => {
    const app = await start(greeting());
    const response = await post(app, Array(length).fill(callOf(1, 'greet')));
    expect([response.status, await response.json()]).toMatchObject([400, { id: null, error: { code: -32600 } }]);
  });
});

describe('a call', () => {
  it('is told who asks, by which way, and what the headers say', async () => {
    const tools = greeting();
    const app = await start(tools);
    const traceparent = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01';
    const response = await post(app, callOf(1, 'greet', { name: 'Ada' }), {
      headers: {
        'x-test-client': 'ada',
        'idempotency-key': 'key',
        'x-timeout-ms': '500',
        'x-priority': '-2',
        traceparent,
      },
    });
    expect(tools.calls[0]?.options).toMatchObject({
      id: response.headers.get('x-request-id'),
      principal: { id: 'ada' },
      caller: 'ada',
      transport: 'json-rpc',
      idempotencyKey: 'key',
      timeoutMs: 500,
      priority: -2,
      traceparent,
    });
  });

  it('shows what the cache did', async () => {
    const tools = new FakeToolbox({
      kept: (_args, options) => {
        const onCacheStatus: unknown = Reflect.get(options, 'onCacheStatus');
        if (typeof onCacheStatus === 'function') onCacheStatus('gateway; hit');
        return text('kept');
      },
    });
    const app = await start(tools);
    const response = await post(app, callOf(1, 'kept'));
    expect(response.headers.get('cache-status')).toBe('gateway; hit');
  });

  it.each([
    ['x-timeout-ms', '0'],
    ['x-timeout-ms', 'soon'],
    ['x-priority', '1.5'],
    ['idempotency-key', 'k'.repeat(256)],
  ])('is refused where the header %s says %j', async (name, value) => {
    const tools = greeting();
    const app = await start(tools);
    const response = await post(app, callOf(9, 'greet'), { headers: { [name]: value } });
    expect([response.status, await response.json()]).toMatchObject([
      400,
      { id: 9, error: { code: -32600, data: { code: 'INVALID_REQUEST' } } },
    ]);
    expect(tools.calls).toEqual([]);
  });

  it.each([
    [new HostError('QUEUE_FULL', 'Full', { retryAfterMs: 2500 }), 503, '3'],
    [new CallerError('TOO_MANY_REQUESTS', 'Too many', { retryAfterMs: 900 }), 429, '1'],
  ])('that finds no room is told by the status too, and when to come again', async (error, status, seconds) => {
    const app = await start(new FakeToolbox({ busy: () => Promise.reject(error) }));
    const response = await post(app, callOf(1, 'busy'));
    expect([response.status, response.headers.get('retry-after')]).toEqual([status, seconds]);
    expect(await response.json()).toMatchObject({ id: 1, error: { code: -32603, data: { code: error.code } } });
  });

  it('that fails unexpectedly tells a reference and nothing else', async () => {
    const app = await start(new FakeToolbox({ fail: () => Promise.reject(new Error('the secret of /home/ada')) }));
    const response = await post(app, callOf(1, 'fail'));
    const body = await response.text();
    expect(body).toMatch(/Internal error \(reference /);
    expect(body).not.toContain('secret');
    expect(app.logged.join()).toContain('the secret of');
  });
});

describe('the session of a client without one', () => {
  const meta = (session: unknown) => ({ 'mcp-execution/session': session });
  const sessionsOf = (tools: FakeToolbox) => tools.calls.map(({ options }) => options.session);

  it('is the one that it names, and never that of somebody else who names the same', async () => {
    const tools = greeting();
    const app = await start(tools);
    for (const client of ['ada', 'ada', 'bob', 'ada/x']) {
      await post(app, callOf(1, 'greet', {}, meta('mine')), { headers: { 'x-test-client': client } });
    }
    expect(sessionsOf(tools)).toEqual(['ada/mine', 'ada/mine', 'bob/mine', 'ada%2Fx/mine']);
  });

  it('is another one for each call that names none, and ends with it', async () => {
    const tools = greeting();
    const ended: string[] = [];
    const app = await start(tools);
    const { services } = app.parts;
    Object.assign(services.get('tools'), { endSession: async (name: string) => void ended.push(name) });
    for (const id of [1, 2]) await post(app, callOf(id, 'greet'));
    const [first, second] = sessionsOf(tools);
    expect(first).not.toBe(second);
    expect(ended).toEqual([first, second]);
  });

  it('ends when it was not named for a while', async () => {
    const ended = createMoment<string>();
    const app = await startApp([registerMcp], { services: { tools: greeting() }, settings: { streamIdleMs: 20 } });
    Object.assign(app.parts.services.get('tools'), { endSession: async (name: string) => ended.come(name) });
    await post(app, callOf(1, 'greet', {}, meta('mine')));
    expect(await ended.moment).toBe('anonymous/mine');
  });

  it.each(['', 'x'.repeat(129), 7])('cannot be named %j', async (name) => {
    const app = await start(greeting());
    const response = await post(app, callOf(1, 'greet', {}, meta(name)));
    expect(await response.json()).toMatchObject({ error: { code: -32600, data: { code: 'INVALID_REQUEST' } } });
  });
});

describe('a request that names a stream', () => {
  it.each([
    ['/api/v1/mcp/tools?stream=abc', {}],
    ['/api/v1/mcp/tools', { 'x-stream-id': 'abc' }],
  ])('is given to whoever has the streams: %s', async (path, headers) => {
    const taken: unknown[] = [];
    const app = await startApp(
      [
        (area, parts) =>
          registerMcp(area, parts, {
            async toStream(_request, reply, body) {
              taken.push(body);
              await reply.code(202).send();
              return true;
            },
          }),
      ],
      { services: { tools: greeting() } },
    );
    const response = await post(app, callOf(1, 'greet'), { path, headers });
    expect([response.status, taken]).toEqual([202, [callOf(1, 'greet')]]);
    expect((await post(app, callOf(1, 'greet', { name: 'Ada' }))).status).toBe(200);
  });
});
