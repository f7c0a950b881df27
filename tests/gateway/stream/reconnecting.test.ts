import { describe, expect, it, vi } from 'vitest';
import { FakeToolbox, text, untilCancelled } from '../../server/fake-toolbox.js';
import { noMetrics } from '../harness.js';
import { listen, said } from './listener.js';
import { createPuppet, linesIn, startStreams } from './streaming.js';

describe('a stream that is cut', () => {
  it('loses nothing: what was said meanwhile comes with the reconnect, once and in order', async () => {
    const puppet = createPuppet();
    const { open } = await startStreams(puppet.toolbox);
    const client = await open();
    await client.call(1, 'work');
    await puppet.begun;
    puppet.print('before');
    await client.listener.next((event) => event.data.includes('before'));
    client.listener.cut();
    await client.listener.closed;
    for (const line of ['while', 'away']) puppet.print(line);
    const again = await client.reconnect();
    puppet.print('after');
    puppet.finish(text('done'));
    await again.next((event) => event.data.includes('"result"'));
    expect(linesIn(again.events)).toEqual(['while', 'away', 'after']);
    expect(again.events.map(({ id }) => id)).toEqual([2, 3, 4, 5].map((number) => `${client.stream}.${number}`));
  });

  it('takes the last event from the address too, for clients that cannot set headers', async () => {
    const { open, app } = await startStreams(new FakeToolbox({ work: () => text('done') }));
    const client = await open();
    await client.call(1, 'work');
    await client.answer(1);
    const again = await listen(`${app.url}/api/v1/stream/demo?lastEventId=${client.stream}.0`);
    expect(await again.next((event) => event.data.includes('done'))).toMatchObject({ id: `${client.stream}.1` });
  });

  it('has one listener: the old connection ends when the client comes back', async () => {
    const { open } = await startStreams(new FakeToolbox({ work: () => text('done') }), {
      settings: { maxStreamsPerClient: 1 },
    });
    const client = await open();
    const again = await client.reconnect();
    await client.listener.closed;
    await client.call(1, 'work');
    await again.next((event) => event.data.includes('done'));
    expect(client.listener.events).toHaveLength(1);
  });

  it('tells of a gap where more was said than is kept', async () => {
    const lines = 40;
    const toolbox = new FakeToolbox({
      work: (_args, { onEvent }) => {
        for (let line = 1; line <= lines; line++) void onEvent?.({ type: 'output', stream: 'stdout', line: `${line}` });
        return text('done');
      },
    });
    const { open } = await startStreams(toolbox, { settings: { eventBufferBytes: 2000 } });
    const client = await open();
    await client.call(1, 'work');
    await client.answer(1);
    const again = await client.reconnect(`${client.stream}.3`);
    await again.next((event) => event.data.includes('done'));
    const [gap, first] = again.events;
    expect(gap?.event).toBe('gap');
    const { lost, from, to } = said(gap) as { lost: number; from: number; to: number };
    expect({ from, lost }).toEqual({ from: 4, lost: to - 3 });
    expect(gap?.id).toBe(`${client.stream}.${to}`);
    expect(first?.id).toBe(`${client.stream}.${to + 1}`);
  });

  it('holds the script back when nobody has listened for half the buffer, and goes on when somebody does', async () => {
    const puppet = createPuppet();
    const connected = new Set<object>();
    const connect = () => {
      const connection = {};
      connected.add(connection);
      return () => void connected.delete(connection);
    };
    const metrics = { ...noMetrics, connected: connect };
    const { open } = await startStreams(puppet.toolbox, { settings: { eventBufferBytes: 4000 }, parts: { metrics } });
    const client = await open();
    await client.call(1, 'work');
    await puppet.begun;
    client.listener.cut();
    await vi.waitFor(() => expect(connected.size).toBe(0));
    let printed = 0;
    let held = puppet.print(`${++printed}`);
    while (!held && printed < 1000) held = puppet.print(`${++printed}`);
    expect(printed).toBeLessThan(30);
    const again = await client.reconnect();
    await held;
    puppet.finish(text('done'));
    await again.next((event) => event.data.includes('done'));
    expect(linesIn(again.events)).toEqual(Array.from({ length: printed }, (_, index) => `${index + 1}`));
  });

  it('cancels its calls when nobody comes back, and is forgotten', async () => {
    const cancelled = vi.fn();
    const { open } = await startStreams(new FakeToolbox({ work: untilCancelled(cancelled) }), {
      settings: { streamIdleMs: 30 },
    });
    const client = await open();
    await client.call(1, 'work');
    client.listener.cut();
    await vi.waitFor(() => expect(cancelled).toHaveBeenCalled());
    await vi.waitFor(async () => expect((await client.reconnect()).status).toBe(404));
  });

  it('refuses an id that is none of its events', async () => {
    const { open } = await startStreams(new FakeToolbox());
    const { reconnect, stream } = await open();
    expect((await reconnect(`${stream}.9`)).status).toBe(400);
    expect((await reconnect('17')).status).toBe(400);
    expect((await reconnect('unknown.1')).status).toBe(404);
  });
});

describe('a stream opened with once', () => {
  it('closes after its answer, and a browser that comes back is told to stop', async () => {
    const { open } = await startStreams(new FakeToolbox({ work: () => text('done') }));
    const client = await open('?once');
    await client.call(1, 'work');
    await client.answer(1);
    await client.listener.closed;
    expect((await client.reconnect()).status).toBe(204);
    expect((await client.call(2, 'work')).status).toBe(409);
  });

  it('gives the answer to a client that was away when it came, and closes then', async () => {
    const puppet = createPuppet();
    const { open } = await startStreams(puppet.toolbox);
    const client = await open('?once=true');
    await client.call(1, 'work');
    await puppet.begun;
    expect((await client.call(2, 'work')).status).toBe(409);
    client.listener.cut();
    await client.listener.closed;
    puppet.finish(text('done'));
    const again = await client.reconnect();
    await again.closed;
    expect(again.events.map(({ data }) => data).join()).toContain('done');
    expect((await client.reconnect(again.lastId)).status).toBe(204);
  });
});
