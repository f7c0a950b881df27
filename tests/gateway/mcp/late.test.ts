import { describe, expect, it } from 'vitest';
import { registerMcp } from '../../../src/gateway/mcp/mcp.js';
import { FakeToolbox, text } from '../../server/fake-toolbox.js';
import { startApp } from '../harness.js';
import { accept, callOf, createMoment, eventsOf, post } from './clients.js';

const envelope = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientCapabilities': {},
  'io.modelcontextprotocol/clientInfo': { name: 'test', version: '1' },
};
const modern = { accept, 'mcp-protocol-version': '2026-07-28', 'mcp-method': 'tools/call', 'mcp-name': 'think' };

const ways = [
  ['JSON-RPC', { accept }, undefined],
  ['2026-07-28', modern, envelope],
] as const;

describe('a call that says nothing for longer than a heartbeat', () => {
  it.each(ways)('is answered as an event after heartbeats, by %s', async (_name, headers, meta) => {
    const thought = createMoment();
    const app = await startThinking(thought.moment);
    const response = await post(app, callOf(1, 'think', {}, meta), { headers });
    expect(response.headers.get('content-type')).toBe('text/event-stream');
    expect(response.headers.get('x-accel-buffering')).toBe('no');
    const [seen, read] = response.body?.tee() ?? [];
    await beatsIn(seen);
    thought.come();
    const events = await eventsOf(new Response(read));
    expect(events.map(({ data }) => JSON.parse(data))).toMatchObject([
      { id: 1, result: { content: [{ text: 'done' }] } },
    ]);
  });

  it.each(ways)('is answered in one piece where the client takes no events, by %s', async (_name, headers, meta) => {
    const app = await startThinking(new Promise((resolve) => setTimeout(resolve, 100)));
    const given = { ...headers, accept: 'application/json' };
    const response = await post(app, callOf(1, 'think', {}, meta), { headers: given });
    expect(response.headers.get('content-type')).toMatch(/^application\/json/);
    expect(await response.json()).toMatchObject({ id: 1 });
  });

  it('is cancelled when its client goes', async () => {
    const cancelled = createMoment();
    const think = (_args: unknown, { signal }: { signal?: AbortSignal }) => {
      signal?.addEventListener('abort', () => cancelled.come());
      return new Promise<never>(() => {});
    };
    const app = await startApp([registerMcp], {
      services: { tools: new FakeToolbox({ think }) },
      settings: { heartbeatMs: 20 },
    });
    const leaving = new AbortController();
    await post(app, callOf(1, 'think'), { headers: { accept }, signal: leaving.signal });
    leaving.abort();
    await cancelled.moment;
  });
});

function startThinking(until: Promise<void>) {
  const think = async () => {
    await until;
    return text('done');
  };
  return startApp([registerMcp], {
    services: { tools: new FakeToolbox({ think }) },
    settings: { heartbeatMs: 20 },
  });
}

async function beatsIn(body: ReadableStream<Uint8Array> | undefined): Promise<void> {
  const reader = body?.pipeThrough(new TextDecoderStream()).getReader();
  for (let seen = ''; reader && !seen.includes(': beat'); ) seen += (await reader.read()).value;
  reader?.cancel().catch(() => {});
}
