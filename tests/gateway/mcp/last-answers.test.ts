import { describe, expect, it } from 'vitest';
import { HostError } from '../../../src/errors.js';
import { registerMcp } from '../../../src/gateway/mcp/mcp.js';
import type { Area } from '../../../src/gateway/parts.js';
import { createStreams } from '../../../src/gateway/stream/stream.js';
import { FakeToolbox } from '../../server/fake-toolbox.js';
import { createFakeServices, startApp, type TestApp } from '../harness.js';
import { openStream } from '../stream/streaming.js';
import { accept, beginSession, callOf, connectBySse, createMoment, post } from './clients.js';

const modern = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientCapabilities': {},
  'io.modelcontextprotocol/clientInfo': { name: 'test', version: '1' },
};
const path = '/api/v1/mcp/demo';

const ways: readonly (readonly [string, (app: TestApp) => Promise<string>])[] = [
  ['JSON-RPC', (app) => told(post(app, callOf(1, 'work'), { path }))],
  [
    'JSON-RPC with events',
    (app) => told(post(app, callOf(1, 'work'), { path, headers: { accept: 'text/event-stream' } })),
  ],
  [
    '2026-07-28',
    (app) => {
      const names = { 'mcp-protocol-version': '2026-07-28', 'mcp-method': 'tools/call', 'mcp-name': 'work' };
      return told(post(app, callOf(1, 'work', {}, modern), { path, headers: { accept, ...names } }));
    },
  ],
  [
    'a session',
    async (app) => {
      const headers = await beginSession(app, undefined, path);
      return told(post(app, callOf(1, 'work'), { path, headers }));
    },
  ],
  [
    'HTTP with SSE',
    async (app) => {
      const client = await connectBySse(app, '/api/v1/sse/demo');
      return client.callTool({ name: 'work' }).then(JSON.stringify, (error) => JSON.stringify(error.data));
    },
  ],
  [
    'a stream',
    async ({ url }) => {
      const client = await openStream(url);
      await client.call(1, 'work');
      return JSON.stringify(await client.answer(1));
    },
  ],
];

describe('a call that ends with its service', () => {
  it.each(ways)('is answered all the same, by %s', async (_name, call) => {
    const begun = createMoment();
    const removed = createMoment();
    const work = async () => {
      begun.come();
      await removed.moment;
      throw new HostError('UNAVAILABLE', 'Service demo was ended and takes no more calls');
    };
    const services = createFakeServices({ demo: new FakeToolbox({ work }) });
    const app = await startApp([everyWay], { parts: { services } });
    const answer = call(app);
    await begun.moment;
    await services.remove('demo');
    removed.come();
    expect(await answer).toContain('UNAVAILABLE');
  });
});

const everyWay: Area = async (app, parts) => {
  const streams = createStreams(parts);
  await streams.register(app, parts);
  await registerMcp(app, parts, { toStream: streams.accept });
};

async function told(response: Promise<Response>): Promise<string> {
  return (await response).text();
}
