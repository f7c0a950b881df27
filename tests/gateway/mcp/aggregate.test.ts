import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { HostError } from '../../../src/errors.js';
import { aggregateName } from '../../../src/gateway/mcp/aggregate-names.js';
import { registerMcp } from '../../../src/gateway/mcp/mcp.js';
import { FakeToolbox, text } from '../../server/fake-toolbox.js';
import { eras } from '../../server/sdk-client.js';
import { createFakeServices, everybody, startApp } from '../harness.js';
import { callOf, connect, post } from './clients.js';

const saying = (word: string) => new FakeToolbox({ say: () => text(word) });

async function namesAt(app: { readonly url: string }, client?: string): Promise<string[]> {
  const headers = { 'content-type': 'application/json', ...(client !== undefined && { 'x-test-client': client }) };
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list' });
  const response = await fetch(`${app.url}/mcp`, { method: 'POST', headers, body });
  const { result } = (await response.json()) as { result: { tools: readonly { name: string }[] } };
  return result.tools.map(({ name }) => name);
}

describe('the address of all services', () => {
  it.each(eras)('has the tools of each of them, by the client of %s', async (era) => {
    const app = await startApp([registerMcp], { services: { b: saying('from b'), a: saying('from a') } });
    const { client } = await connect(app, { era, path: '/mcp' });
    expect((await client.listTools()).tools.map(({ name }) => name)).toEqual(['a__say', 'b__say']);
    expect((await client.callTool({ name: 'b__say' })).content).toMatchObject([{ text: 'from b' }]);
    expect(client.getServerVersion()?.name).toBe('mcp-execution');
    expect(client.getInstructions()).toContain('a, b');
  });

  it('calls the tool of the service by its own name', async () => {
    const tools = saying('hello');
    const app = await startApp([registerMcp], { services: { a: tools } });
    await post(app, callOf(1, 'a__say'), { path: '/mcp' });
    expect(tools.calls.map(({ name }) => name)).toEqual(['say']);
  });

  it('shows each client what that client may see, and no more', async () => {
    const app = await startApp([registerMcp], {
      services: { 'team-a': saying('a'), 'team-b': saying('b') },
      principalFor: (client) => ({
        ...everybody,
        id: client ?? '',
        scopes: new Set(['call']),
        services: [`team-${client}*`],
      }),
    });
    expect(await namesAt(app, 'a')).toEqual(['team-a__say']);
    expect(await namesAt(app, 'b')).toEqual(['team-b__say']);
    const response = await post(app, callOf(1, 'team-b__say'), { path: '/mcp', headers: { 'x-test-client': 'a' } });
    expect(await response.json()).toMatchObject({ error: { data: { code: 'UNKNOWN_TOOL' } } });
  });

  it('shows what a client may see from now on, though it asked before', async () => {
    let pattern = 'a';
    const app = await startApp([registerMcp], {
      services: { a: saying('a'), b: saying('b') },
      principalFor: () => ({ ...everybody, scopes: new Set(['call']), services: [pattern] }),
    });
    expect(await namesAt(app)).toEqual(['a__say']);
    pattern = 'b';
    expect(await namesAt(app)).toEqual(['b__say']);
  });

  it('follows the services that come and go', async () => {
    const services = createFakeServices({ a: saying('a') });
    const app = await startApp([registerMcp], { parts: { services } });
    expect(await namesAt(app)).toEqual(['a__say']);
    services.set('b', saying('b'));
    expect(await namesAt(app)).toEqual(['a__say', 'b__say']);
    await services.remove('a');
    expect(await namesAt(app)).toEqual(['b__say']);
  });

  it('is not held up by a service that does not say what it has', async () => {
    const hanging = saying('b');
    hanging.listTools = () => new Promise<never>(() => {});
    const app = await startApp([registerMcp], { services: { a: saying('from a'), b: hanging } });
    const called = await post(app, callOf(1, 'a__say'), { path: '/mcp' });
    expect(await called.text()).toContain('from a');
    expect(await namesAt(app)).toEqual(['a__say']);
  });

  it('leaves out a service that cannot list its tools, until it can', async () => {
    const failing = saying('b');
    const { listTools } = failing;
    failing.listTools = () => Promise.reject(new HostError('SERVER_FAILED', 'It does not start'));
    const app = await startApp([registerMcp], { services: { a: saying('a'), b: failing } });
    expect(await namesAt(app)).toEqual(['a__say']);
    failing.listTools = listTools;
    expect(await namesAt(app)).toEqual(['a__say', 'b__say']);
  });

  it('names the tool that was probably meant', async () => {
    const app = await startApp([registerMcp], { services: { a: saying('a') } });
    const response = await post(app, callOf(1, 'a_say'), { path: '/mcp' });
    expect(await response.json()).toMatchObject({ error: { message: expect.stringContaining('a__say') } });
  });

  it('ends a session at every service', async () => {
    const services = createFakeServices({ a: saying('a'), b: saying('b') });
    const app = await startApp([registerMcp], { parts: { services } });
    await post(app, callOf(1, 'a__say'), { path: '/mcp' });
    expect(services.endedSessions).toHaveLength(2);
  });
});

describe('the name of a tool among those of all services', () => {
  const id = fc.stringMatching(/^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/);
  const tool = fc.oneof(fc.stringMatching(/^[a-z_]{1,12}$/), fc.string({ minLength: 1, maxLength: 90 }));

  it('is SERVICE__TOOL where that is plain', () => {
    expect(aggregateName('my_script', 'add')).toBe('my_script__add');
    expect(aggregateName('a', '_private')).toBe('a___private');
  });

  it('is taken by every client', () => {
    fc.assert(fc.property(id, tool, (service, name) => /^[A-Za-z0-9_-]{1,64}$/.test(aggregateName(service, name))));
  });

  it('is that of no other tool', () => {
    const parts = fc.stringMatching(/^[ab]([ab._]{0,4}[ab])?$/);
    const names = fc.stringMatching(/^[ab_.]{1,4}$/);
    fc.assert(
      fc.property(parts, names, parts, names, (service, name, otherService, otherName) => {
        fc.pre(service !== otherService || name !== otherName);
        return aggregateName(service, name) !== aggregateName(otherService, otherName);
      }),
      { numRuns: 2000 },
    );
  });

  it('cannot be taken by a tool that is called like the shortened name of another', () => {
    const shortened = aggregateName('a.b', 'say');
    const [service = '', ...rest] = shortened.split('__');
    expect(aggregateName(service, rest.join('__'))).not.toBe(shortened);
  });
});
