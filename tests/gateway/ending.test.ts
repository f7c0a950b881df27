import { describe, expect, it } from 'vitest';
import { LimitError } from '../../src/errors.js';
import { FakeToolbox } from '../server/fake-toolbox.js';
import { startComposed } from './composed.js';
import { createMoment } from './mcp/clients.js';
import { openStream } from './stream/streaming.js';

const accept = (type: string) => ({ accept: type, 'content-type': 'application/json' });

const ways: readonly (readonly [string, (url: string) => Promise<string>])[] = [
  ['REST', (url) => told(`${url}/api/v1/services/demo/tools/work`, 'application/json', {})],
  ['REST with events', (url) => told(`${url}/api/v1/services/demo/tools/work`, 'text/event-stream', {})],
  ['JSON-RPC', (url) => told(`${url}/api/v1/mcp/demo`, 'application/json', call)],
  ['JSON-RPC with events', (url) => told(`${url}/mcp`, 'text/event-stream', callOfAll)],
  [
    'a stream',
    async (url) => {
      const client = await openStream(url);
      await client.call(1, 'work');
      return JSON.stringify(await client.answer(1));
    },
  ],
];

const call = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'work' } };
const callOfAll = { ...call, params: { name: 'demo__work' } };

describe('a call that is under way when the gateway ends', () => {
  it.each(ways)('is told so before its connection closes, by %s', async (_name, ask) => {
    const begun = createMoment();
    const gateway = await startComposed(new FakeToolbox({ work: endsSlowly(begun.come) }));
    const answer = ask(gateway.url);
    await begun.moment;
    await gateway.close();
    expect(await answer).toContain('UNAVAILABLE');
  });
});

/** As a process does, which takes its time to die. */
function endsSlowly(onBegun: () => void) {
  return (_args: unknown, { signal }: { readonly signal?: AbortSignal }) => {
    onBegun();
    return new Promise<never>((_resolve, reject) => {
      const end = () => reject(new LimitError('CANCELLED', 'The call was cancelled'));
      signal?.addEventListener('abort', () => setTimeout(end, 50));
    });
  };
}

async function told(url: string, type: string, body: object): Promise<string> {
  const response = await fetch(url, { method: 'POST', headers: accept(type), body: JSON.stringify(body) });
  return response.text();
}
