import { describe, expect, it, vi } from 'vitest';
import { FakeToolbox, text, untilCancelled } from '../../server/fake-toolbox.js';
import { createSignal, startStreams } from './streaming.js';

describe('a call on a stream', () => {
  it('is cancelled when the stream is ended', async () => {
    const cancelled = vi.fn();
    const { app, open } = await startStreams(new FakeToolbox({ work: untilCancelled(cancelled) }));
    const { call, stream, listener } = await open();
    await call(1, 'work');
    const ended = await fetch(`${app.url}/api/v1/stream/demo/${stream}`, { method: 'DELETE' });
    expect(ended.status).toBe(204);
    await listener.closed;
    expect(cancelled).toHaveBeenCalledOnce();
  });

  it('is cancelled alone by a notification that names it', async () => {
    const cancelled = vi.fn();
    const toolbox = new FakeToolbox({ work: untilCancelled(cancelled), echo: () => text('fine') });
    const { open } = await startStreams(toolbox);
    const { call, post, answer } = await open();
    await call('slow', 'work');
    const notified = await post({
      jsonrpc: '2.0',
      method: 'notifications/cancelled',
      params: { requestId: 'slow' },
    });
    expect(notified.status).toBe(202);
    expect(await answer('slow')).toHaveProperty('error');
    await call('quick', 'echo');
    expect(await answer('quick')).toHaveProperty('result');
    expect(cancelled).toHaveBeenCalledOnce();
  });

  it('is held back by a client that reads slowly, and nothing of its output is lost', async () => {
    const line = 'x'.repeat(64 * 1024);
    const count = 400;
    let printed = 0;
    const stuck = createSignal();
    const toolbox = new FakeToolbox({
      work: async (_args, { onEvent }) => {
        for (; printed < count; printed++) {
          const held = onEvent?.({ type: 'output', stream: 'stdout', line });
          if (held) stuck.give();
          await held;
        }
        return text('done');
      },
    });
    const { open } = await startStreams(toolbox);
    const { call, listener, answer } = await open();
    listener.pause();
    await call(1, 'work');
    await stuck.given;
    expect(printed).toBeLessThan(count);
    listener.resume();
    await answer(1);
    const lines = listener.events.filter(({ data }) => data.includes('"partial"'));
    expect(lines).toHaveLength(count);
    expect(listener.events.some(({ event }) => event === 'gap')).toBe(false);
  });

  it('gives a result that is larger than all buffers, with every character whole', async () => {
    const large = '😀é'.repeat(2_000_000);
    const { open } = await startStreams(new FakeToolbox({ work: () => text(large) }), {
      settings: { maxUnsentBytes: 1_000_000, eventBufferBytes: 10_000 },
    });
    const { call, answer } = await open();
    await call(1, 'work');
    const { result } = await answer(1);
    expect((result as { content: { text: string }[] }).content[0]?.text === large).toBe(true);
  });
});
