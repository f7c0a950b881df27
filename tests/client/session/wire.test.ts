import type { JSONRPCMessage, Transport } from '@modelcontextprotocol/client';
import { expect, test } from 'vitest';
import type { Link } from '../../../src/client/link.js';
import { createAnswering } from '../../../src/client/session/asked.js';
import { createWire } from '../../../src/client/session/wire.js';

test('what comes under the old number of a request that is about to be sent again is no answer to it', async () => {
  const sent: number[] = [];
  const transport = fakeTransport((message) => {
    if (!('id' in message) || typeof message.id !== 'number') return;
    sent.push(message.id);
    const say = (result: Record<string, unknown>) =>
      transport.onmessage?.({ jsonrpc: '2.0', id: message.id ?? 0, result } as JSONRPCMessage);
    if (sent.length > 1) return say({ words: 'now' });
    say({ resultType: 'input_required', requestState: 'busy' });
    say({ resultType: 'input_required', requestState: 'busy' });
    say({ words: 'too early' });
  });
  const wire = createWire(linkOf(transport), {
    era: 'modern',
    protocolVersion: '2026-07-28',
    introduced: { capabilities: {} },
    identity: { name: 'tests', version: '1' },
    answering: createAnswering(),
    redact: (text) => text,
  });
  const { outcome } = await wire.request('tools/call', { name: 'later' }, { timeoutMs: 10_000 });
  expect(outcome).toEqual({ kind: 'result', result: { words: 'now' } });
  expect(sent).toEqual([1001, 1002]);
});

function fakeTransport(take: (message: JSONRPCMessage) => void): Transport {
  return {
    start: async () => {},
    close: async () => {},
    send: async (message) => void setImmediate(take, message),
  };
}

function linkOf(transport: Transport): Link {
  const ended = new Promise<{ wasAsked: boolean }>(() => {});
  return { transport, failure: undefined, isOver: false, ended, abandoned: 0, end: async () => {} };
}
