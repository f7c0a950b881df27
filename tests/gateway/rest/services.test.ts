import { describe, expect, it } from 'vitest';
import { HostError } from '../../../src/errors.js';
import { FakeToolbox, text } from '../../server/fake-toolbox.js';
import { createFakeServices, everybody } from '../harness.js';
import { startRest } from './resting.js';

describe('the list of services', () => {
  it('has what the client may see, with the number of tools and how each is', async () => {
    const services = createFakeServices({ shown: new FakeToolbox({ a: () => text(''), b: () => text('') }) });
    services.set('hidden', new FakeToolbox());
    services.set('shaky', new FakeToolbox(), {
      state: 'failing',
      reason: 'It does not start',
      breaker: 'open',
      definition: { id: 'shaky', name: 'Shaky one', source: { kind: 'command', command: 'x', args: [] } },
    });
    const principalFor = () => ({ ...everybody, scopes: new Set(['call'] as const), services: ['sh*'] });
    const { url } = await startRest(new FakeToolbox(), { parts: { services }, principalFor });
    expect(await (await fetch(`${url}/api/v1/services`)).json()).toEqual({
      services: [
        { id: 'shown', name: 'shown', tools: 2, status: 'ready', breaker: 'closed' },
        {
          id: 'shaky',
          name: 'Shaky one',
          tools: 0,
          status: 'failing',
          reason: 'It does not start',
          breaker: 'open',
        },
      ],
    });
  });

  it('is not held up by a service that does not say what it has', async () => {
    const broken = new FakeToolbox();
    broken.listTools = async () => {
      throw new HostError('SERVER_FAILED', 'gone');
    };
    const { url } = await startRest(broken);
    const { services } = (await (await fetch(`${url}/api/v1/services`)).json()) as { services: { tools: unknown }[] };
    expect(services[0]?.tools).toBeNull();
  });
});

describe('a service', () => {
  it('is described with its tools and addresses, without paths or secrets', async () => {
    const services = createFakeServices({});
    services.set('demo', new FakeToolbox({ work: { description: 'Works.', work: () => text('') } }), {
      definition: {
        id: 'demo',
        source: { kind: 'command', command: '/opt/secret', args: ['--token=hunter2'], env: { KEY: 'hunter2' } },
      },
      notes: ['Function x is not served'],
      probedAt: 0,
      probeMs: 3,
    });
    const { url } = await startRest(new FakeToolbox(), { parts: { services } });
    const body = await (await fetch(`${url}/api/v1/services/demo`)).text();
    expect(body).not.toMatch(/hunter2|opt/);
    expect(JSON.parse(body)).toEqual({
      id: 'demo',
      name: 'demo',
      status: 'ready',
      breaker: 'closed',
      version: '1',
      source: 'command',
      isUploaded: false,
      processes: { idle: 1, busy: 0, starts: 1, crashes: 0 },
      probedAt: '1970-01-01T00:00:00.000Z',
      probeMs: 3,
      notes: ['Function x is not served'],
      addresses: {
        mcp: '/api/v1/mcp/demo',
        stream: '/api/v1/stream/demo',
        tools: '/api/v1/services/demo/tools',
        health: '/api/v1/services/demo/health',
        openapi: '/api/v1/services/demo/openapi.json',
      },
      tools: [{ name: 'work', description: 'Works.', inputSchema: { type: 'object' } }],
    });
  });

  it('tells what is not served only to those who can change it', async () => {
    const services = createFakeServices({});
    const definition = { id: 'demo', owner: 'olga', source: { kind: 'script', targets: [] } } as const;
    services.set('demo', new FakeToolbox(), { definition, notes: ['a note'] });
    const principalFor = (client = '') => ({ ...everybody, id: client, scopes: new Set(['call'] as const) });
    const { url } = await startRest(new FakeToolbox(), { parts: { services }, principalFor });
    const seenBy = async (client: string) =>
      (await fetch(`${url}/api/v1/services/demo`, { headers: { 'x-test-client': client } })).text();
    expect(await seenBy('olga')).toContain('a note');
    expect(await seenBy('mallory')).not.toContain('a note');
  });

  it('lists its tools, and gives each by its name', async () => {
    const { url } = await startRest(new FakeToolbox({ 'a/b': () => text(''), work: () => text('') }));
    const tools = `${url}/api/v1/services/demo/tools`;
    expect(await (await fetch(tools)).json()).toEqual({
      tools: [
        { name: 'a/b', inputSchema: { type: 'object' } },
        { name: 'work', inputSchema: { type: 'object' } },
      ],
    });
    expect(await (await fetch(`${tools}/a%2Fb`)).json()).toMatchObject({ name: 'a/b' });
    const unknown = await fetch(`${tools}/wrok`);
    expect(unknown.status).toBe(404);
    expect(await unknown.json()).toMatchObject({ error: { code: 'UNKNOWN_TOOL', message: /did you mean work/ } });
    expect((await fetch(`${url}/api/v1/services/nothing/tools`)).status).toBe(404);
  });
});
