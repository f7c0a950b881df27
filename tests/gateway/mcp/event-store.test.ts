import type { JSONRPCMessage } from '@modelcontextprotocol/server';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createSessionEvents, type SessionEvents } from '../../../src/gateway/mcp/event-store.js';

const message = (text: string): JSONRPCMessage => ({ jsonrpc: '2.0', method: 'notifications/x', params: { text } });

async function replay(events: SessionEvents, lastEventId: string) {
  const sent: { id: string; text: unknown }[] = [];
  const stream = await events.replayEventsAfter(lastEventId, {
    async send(id, sentMessage) {
      sent.push({ id, text: 'params' in sentMessage ? sentMessage.params?.text : undefined });
    },
  });
  return { stream, sent };
}

describe('the events of a session', () => {
  it('are given to a stream as they came after any of them, and never those of another stream', async () => {
    const streams = fc.array(fc.constantFrom('one', 'two_', 'a_1'), { minLength: 1, maxLength: 30 });
    await fc.assert(
      fc.asyncProperty(streams, fc.nat(), async (order, pick) => {
        const events = createSessionEvents(() => 1e9);
        const ids: string[] = [];
        for (const [index, stream] of order.entries()) ids.push(await events.storeEvent(stream, message(`${index}`)));
        const seen = pick % order.length;
        const { stream, sent } = await replay(events, ids[seen] ?? '');
        expect(stream).toBe(order[seen]);
        const after = order.flatMap((each, index) => (index > seen && each === stream ? [index] : []));
        expect(sent).toEqual(after.map((index) => ({ id: ids[index], text: `${index}` })));
      }),
    );
  });

  it('take no more than they may, and the newest is always there', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.nat(400), { minLength: 1, maxLength: 40 }), async (lengths) => {
        const most = 1500;
        const events = createSessionEvents(() => most);
        const first = await events.storeEvent('s', message('first'));
        for (const length of lengths) await events.storeEvent('s', message('x'.repeat(length)));
        const { sent } = await replay(events, first);
        const texts = sent.map(({ text }) => `${text}`.length);
        expect(texts.length).toBeGreaterThan(0);
        expect(texts).toEqual(lengths.slice(-texts.length));
        expect(texts.slice(1).reduce((sum, length) => sum + length, 0)).toBeLessThan(most);
      }),
    );
  });

  it('that come while others are replayed are replayed too', async () => {
    const events = createSessionEvents(() => 1e6);
    const first = await events.storeEvent('s', message('0'));
    await events.storeEvent('s', message('1'));
    const texts: unknown[] = [];
    await events.replayEventsAfter(first, {
      async send(_id, sent) {
        texts.push('params' in sent && sent.params?.text);
        if (texts.length === 1) await events.storeEvent('s', message('2'));
      },
    });
    expect(texts).toEqual(['1', '2']);
  });

  it('are forgotten when they are too old', async () => {
    const events = createSessionEvents(() => 1e6);
    const id = await events.storeEvent('s', message('0'));
    expect(events.knows(id)).toBe(true);
    events.expire(performance.now() + 1);
    expect(events.knows(id)).toBe(false);
    await expect(replay(events, id)).rejects.toThrow('no such event');
  });

  it.each(['', 's', 's_', 's_x', 's_99', 'other_1', '_1', `s_${'9'.repeat(30)}`])('do not know %j', async (id) => {
    const events = createSessionEvents(() => 1e6);
    await events.storeEvent('s', message('0'));
    expect(events.knows(id)).toBe(false);
  });
});
