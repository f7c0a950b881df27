import { PassThrough } from 'node:stream';
import type { JSONRPCMessage } from '@modelcontextprotocol/client';
import { describe, expect, it } from 'vitest';
import { serveStdio } from '../../src/server/stdio.js';
import type { CallEvent, CallOptions, JsonObject } from '../../src/toolbox.js';
import { FakeToolbox, text } from './fake-toolbox.js';
import { createRawClient } from './raw-client.js';
import { connectTo, eras } from './sdk-client.js';

const line = (words: string, stream: 'stdout' | 'stderr' = 'stdout'): CallEvent => ({
  type: 'output',
  stream,
  line: words,
});

const emits = (...events: readonly CallEvent[]) => {
  return async (_args: JsonObject, { onEvent }: CallOptions) => {
    for (const event of events) await onEvent?.(event);
    return text('done');
  };
};

describe.each(eras)('to a client of %s', (era) => {
  it('every line, report and yielded value is progress, strictly increasing, where there is a token', async () => {
    const events: CallEvent[] = [
      line('one'),
      { type: 'progress', done: 1, total: 3, message: 'first' },
      line('two', 'stderr'),
      { type: 'progress', done: 1, total: 3 },
      { type: 'value', value: { a: 1 } },
      { type: 'value', value: 'plain' },
      { type: 'progress', done: 3, total: 3 },
      line('after the end'),
    ];
    const box = new FakeToolbox({ work: spaced(events) });
    const { client } = await connectTo(box, era);
    const seen: { progress: number; total?: number; message?: string }[] = [];
    await client.callTool({ name: 'work' }, { onprogress: (progress) => seen.push(progress) });
    expect(seen.map(({ message }) => message)).toEqual([
      'one',
      'first',
      'two',
      '1 of 3',
      '{"a":1}',
      'plain',
      undefined,
      'after the end',
    ]);
    for (const [index, { progress }] of seen.entries()) {
      if (index > 0) expect(progress).toBeGreaterThan(seen[index - 1]?.progress ?? 0);
    }
    expect(seen[1]).toMatchObject({ progress: 1, total: 3 });
    expect(seen[6]).toMatchObject({ progress: 3, total: 3 });
    expect(seen[7]?.total).toBeUndefined();
  });

  it('lines that are written at once are told one by one', async () => {
    const { client } = await connectTo(new FakeToolbox({ work: emits(line('one'), line('two'), line('three')) }), era);
    const seen: (string | undefined)[] = [];
    await client.callTool({ name: 'work' }, { onprogress: ({ message }) => seen.push(message) });
    expect(seen).toEqual(['one', 'two', 'three']);
  });

  it('a flood of lines arrives whole, in order and in few messages, before the answer', async () => {
    const lines = Array.from({ length: 50_000 }, (_, index) => `line ${index}`);
    const { client, frames } = await connectTo(
      new FakeToolbox({ flood: emits(...lines.map((words) => line(words))) }),
      era,
    );
    const seen: string[] = [];
    await client.callTool({ name: 'flood' }, { onprogress: ({ message }) => seen.push(message ?? '') });
    expect(seen.join('\n').split('\n')).toEqual(lines);
    expect(seen.length).toBeLessThan(500);
    expect(frames.at(-1)).toHaveProperty('result');
  });

  it('nothing is sent that nobody asked for', async () => {
    const { client, frames } = await connectTo(
      new FakeToolbox({ work: emits(line('a'), { type: 'log', level: 'error', message: 'b' }) }),
      era,
    );
    const before = frames.length;
    await client.callTool({ name: 'work' });
    expect(frames).toHaveLength(before + 1);
  });

  it('log entries from the asked level on are log messages, and lines too where there is no token', async () => {
    const events: CallEvent[] = [
      { type: 'log', level: 'debug', message: 'too fine' },
      { type: 'log', level: 'warning', message: 'careful' },
      line('out'),
      line('err', 'stderr'),
    ];
    const { client, frames } = await connectTo(new FakeToolbox({ work: spaced(events) }), era);
    const _meta = { 'io.modelcontextprotocol/logLevel': 'info' };
    if (era === '2025-11-25') await client.setLoggingLevel('info');
    await client.callTool({ name: 'work', ...(era === '2026-07-28' && { _meta }) });
    expect(logsIn(frames)).toEqual([
      ['warning', 'careful'],
      ['info', 'out'],
      ['notice', 'err'],
    ]);
    const before = frames.length;
    const seen: unknown[] = [];
    const onprogress = ({ message }: { message?: string }) => seen.push(message);
    await client.callTool({ name: 'work', ...(era === '2026-07-28' && { _meta }) }, { onprogress });
    expect(logsIn(frames.slice(before))).toEqual([['warning', 'careful']]);
    expect(seen).toEqual(['out', 'err']);
  });
});

describe('--partial', () => {
  it('writes a frame for each event before the answer, with the id of the request', async () => {
    const events: CallEvent[] = [
      line('one'),
      line('two', 'stderr'),
      { type: 'progress', done: 1, total: 2 },
      { type: 'value', value: [1] },
      { type: 'log', level: 'info', message: 'note' },
      { type: 'queued', position: 2 },
    ];
    const client = createRawClient(new FakeToolbox({ work: emits(...events) }), { partial: true });
    await client.initialize();
    client.write({ jsonrpc: '2.0', id: 'x', method: 'tools/call', params: { name: 'work' } });
    await client.answer('x');
    const frame = (part: object) => ({ jsonrpc: '2.0', id: 'x', partial: true, ...part });
    expect(client.frames.slice(1, -1)).toEqual([
      frame({ data: 'one' }),
      frame({ data: 'two', stream: 'stderr' }),
      frame({ progress: { done: 1, total: 2 } }),
      frame({ value: [1] }),
      frame({ log: { level: 'info', message: 'note' } }),
      frame({ queued: 2 }),
    ]);
  });

  it('is off unless asked for', async () => {
    const client = createRawClient(new FakeToolbox({ work: emits(line('one')) }));
    await client.initialize();
    client.write({ jsonrpc: '2.0', id: 'x', method: 'tools/call', params: { name: 'work' } });
    await client.answer('x');
    expect(client.frames).toHaveLength(2);
  });
});

describe('back-pressure', () => {
  it('holds a script back whose output nobody reads', async () => {
    const bounds = { given: 0 };
    let hold = (): void => {};
    const isHeld = new Promise<void>((resolve) => {
      hold = resolve;
    });
    const flood = async (_args: JsonObject, { onEvent }: CallOptions) => {
      const room: { now: boolean } = { now: true };
      while (bounds.given < 5000) {
        bounds.given++;
        const held = onEvent?.(line('x'.repeat(1000)));
        if (held === undefined) continue;
        room.now = false;
        held.then(() => {
          room.now = true;
        });
        await new Promise((resolve) => setTimeout(resolve, 50));
        if (!room.now) break;
      }
      hold();
      return text('');
    };
    const input = new PassThrough();
    const output = new PassThrough();
    const server = serveStdio(new FakeToolbox({ flood }), { input, output });
    const params = { name: 'flood', _meta: { progressToken: 1 } };
    input.write(`${JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params })}\n`);
    await isHeld;
    expect(bounds.given).toBeLessThan(1000);
    await server.close();
  });
});

/** Emits each event when the one before it was sent, so that none are joined. */
function spaced(events: readonly CallEvent[]) {
  return async (_args: JsonObject, { onEvent }: CallOptions) => {
    for (const event of events) {
      await onEvent?.(event);
      await new Promise((resolve) => setTimeout(resolve, 12));
    }
    return text('done');
  };
}

function logsIn(frames: readonly JSONRPCMessage[]): unknown[] {
  return frames.flatMap((frame) => {
    if (!('method' in frame) || frame.method !== 'notifications/message') return [];
    return [[frame.params?.level, frame.params?.data]];
  });
}
