import { describe, expect, it } from 'vitest';
import { HostError } from '../../../src/errors.js';
import { registerMcp } from '../../../src/gateway/mcp/mcp.js';
import { FakeToolbox, text } from '../../server/fake-toolbox.js';
import { eras } from '../../server/sdk-client.js';
import { createFakeServices, startApp } from '../harness.js';
import { connect, createMoment, createWaiting, post } from './clients.js';

const greeting = () => new FakeToolbox({ greet: ({ name }) => text(`Hello, ${name}!`) });

describe.each(eras)('the official client of %s', (era) => {
  it('lists tools, calls them, and learns what it is connected to', async () => {
    const services = createFakeServices({});
    services.set('tools', greeting(), { version: 'v7', description: 'Greets people.' });
    const app = await startApp([registerMcp], { parts: { services } });
    const { client } = await connect(app, { era });
    expect((await client.listTools()).tools.map(({ name }) => name)).toEqual(['greet']);
    const result = await client.callTool({ name: 'greet', arguments: { name: 'Ada' } });
    expect(result.content).toEqual([{ type: 'text', text: 'Hello, Ada!' }]);
    expect(client.getServerVersion()).toMatchObject({ name: 'tools', version: 'v7' });
    expect(client.getInstructions()).toBe('Greets people.');
  });

  it('hears of progress while a call runs', async () => {
    const heard = createMoment();
    const tools = new FakeToolbox({
      steps: async (_args, { onEvent }) => {
        await onEvent?.({ type: 'progress', done: 1, total: 2, message: 'half' });
        await heard.moment;
        return text('done');
      },
    });
    const app = await startApp([registerMcp], { services: { tools } });
    const { client } = await connect(app, { era });
    const result = await client.callTool({ name: 'steps' }, { onprogress: () => heard.come() });
    expect(result.content).toMatchObject([{ text: 'done' }]);
  });

  it('cancels a call by its signal', async () => {
    const { tools, called, cancelled } = createWaiting();
    const app = await startApp([registerMcp], { services: { tools } });
    const { client } = await connect(app, { era });
    const cancel = new AbortController();
    const answer = client.callTool({ name: 'wait' }, { signal: cancel.signal }).catch(() => 'cancelled');
    await called.moment;
    cancel.abort();
    await cancelled.moment;
    expect(await answer).toBe('cancelled');
  });

  it('reads the whole of a result that was too large to be shown', async () => {
    const long = 'a line of a long text\n'.repeat(10_000);
    const app = await startApp([registerMcp], { services: { tools: new FakeToolbox({ tell: () => text(long) }) } });
    const { client } = await connect(app, { era });
    const { content } = await client.callTool({ name: 'tell' });
    const link = content.find((block) => block.type === 'resource_link');
    const read = await client.readResource({ uri: link?.uri ?? '' });
    expect(read.contents).toMatchObject([{ text: long }]);
  });

  it('cannot read the results of somebody else', async () => {
    const tools = new FakeToolbox({ tell: () => text('x'.repeat(100_000)) });
    const app = await startApp([registerMcp], { services: { tools } });
    const { client: ada } = await connect(app, { era, as: 'ada' });
    const { client: bob } = await connect(app, { era, as: 'bob' });
    const { content } = await ada.callTool({ name: 'tell' });
    const uri = content.find((block) => block.type === 'resource_link')?.uri ?? '';
    await expect(bob.readResource({ uri })).rejects.toThrow('There is no such result');
    expect((await bob.listResources()).resources).toEqual([]);
  });

  it('is told when the tools have changed, and meets the new ones', async () => {
    const services = createFakeServices({ tools: greeting() });
    const app = await startApp([registerMcp], { parts: { services } });
    const changed = createMoment<readonly string[]>();
    const { client } = await connect(app, {
      era,
      options: {
        listChanged: { tools: { onChanged: (_error, tools) => changed.come((tools ?? []).map(({ name }) => name)) } },
      },
    });
    await client.listTools();
    services.set('tools', new FakeToolbox({ other: () => text('another') }), { version: '2' });
    expect(await changed.moment).toEqual(['other']);
    expect((await client.callTool({ name: 'other' })).content).toMatchObject([{ text: 'another' }]);
  });

  it('gets a clean error where the tools cannot be listed', async () => {
    const tools = greeting();
    tools.listTools = () => Promise.reject(new HostError('SERVER_FAILED', 'It is gone', { reference: 'r1' }));
    const app = await startApp([registerMcp], { services: { tools } });
    const { client } = await connect(app, { era });
    await expect(client.listTools()).rejects.toMatchObject({ code: -32603, data: { code: 'SERVER_FAILED' } });
  });

  it('gets the answers to many calls at once, each its own', async () => {
    const app = await startApp([registerMcp], { services: { tools: greeting() } });
    const { client } = await connect(app, { era });
    const names = Array.from({ length: 50 }, (_, index) => `number ${index}`);
    const results = await Promise.all(names.map((name) => client.callTool({ name: 'greet', arguments: { name } })));
    expect(results.map(({ content }) => content)).toEqual(
      names.map((name) => [{ type: 'text', text: `Hello, ${name}!` }]),
    );
  });
});

describe('a request of 2026-07-28', () => {
  const envelope = {
    'io.modelcontextprotocol/protocolVersion': '2026-07-28',
    'io.modelcontextprotocol/clientInfo': { name: 'test', version: '1' },
    'io.modelcontextprotocol/clientCapabilities': {},
  };
  const call = (name: string, meta: object = {}) => ({
    jsonrpc: '2.0',
    id: 1,
    method: 'tools/call',
    params: { name, arguments: {}, _meta: { ...envelope, ...meta } },
  });
  const headersFor = (name: string) => ({
    accept: 'application/json, text/event-stream',
    'mcp-protocol-version': '2026-07-28',
    'mcp-method': 'tools/call',
    'mcp-name': name,
  });

  it('keeps to the session that it names', async () => {
    const tools = greeting();
    const app = await startApp([registerMcp], { services: { tools } });
    const response = await post(app, call('greet', { 'mcp-execution/session': 'mine' }), {
      headers: { ...headersFor('greet'), 'x-test-client': 'ada' },
    });
    expect(response.status).toBe(200);
    expect(tools.calls[0]?.options).toMatchObject({ session: 'ada/mine', transport: 'mcp', principal: { id: 'ada' } });
  });

  it('cancels its call when the client is gone', async () => {
    const { tools, called, cancelled } = createWaiting();
    const app = await startApp([registerMcp], { services: { tools } });
    const leaving = new AbortController();
    post(app, call('wait'), { headers: headersFor('wait'), signal: leaving.signal }).catch(() => {});
    await called.moment;
    leaving.abort();
    await cancelled.moment;
  });

  it('that finds no room is told by the status too, and when to come again', async () => {
    const busy = () => Promise.reject(new HostError('QUEUE_FULL', 'Full', { retryAfterMs: 2000 }));
    const app = await startApp([registerMcp], { services: { tools: new FakeToolbox({ busy }) } });
    const response = await post(app, call('busy'), { headers: headersFor('busy') });
    expect([response.status, response.headers.get('retry-after')]).toEqual([503, '2']);
    expect(await response.json()).toMatchObject({ id: 1, error: { data: { code: 'QUEUE_FULL' } } });
  });

  it.each([
    ['without the header that names its method', { 'mcp-method': '' }, -32020],
    ['whose headers name another tool', { 'mcp-name': 'other' }, -32020],
    ['whose headers name another version', { 'mcp-protocol-version': '2026-01-01' }, -32020],
  ])('%s is refused', async (_name, headers, code) => {
    const app = await startApp([registerMcp], { services: { tools: greeting() } });
    const response = await post(app, call('greet'), { headers: { ...headersFor('greet'), ...headers } });
    expect([response.status, await response.json()]).toMatchObject([400, { error: { code } }]);
  });

  it('whose header names the revision, and that has no envelope, is refused', async () => {
    const app = await startApp([registerMcp], { services: { tools: greeting() } });
    const body = { jsonrpc: '2.0', id: 1, method: 'tools/list' };
    const response = await post(app, body, { headers: { 'mcp-protocol-version': '2026-07-28' } });
    expect([response.status, await response.json()]).toMatchObject([400, { error: { code: -32602 } }]);
  });

  it('may not stand in a batch', async () => {
    const app = await startApp([registerMcp], { services: { tools: greeting() } });
    const response = await post(app, [call('greet')]);
    expect([response.status, await response.json()]).toMatchObject([400, { error: { code: -32600 } }]);
  });
});
