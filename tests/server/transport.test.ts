import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { PassThrough } from 'node:stream';
import { setImmediate } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { type ServeStdioOptions, serveStdio } from '../../src/server/stdio.js';
import { FakeToolbox, text } from './fake-toolbox.js';
import { createRawClient, type Frame } from './raw-client.js';

const refused = (code: number, id: unknown, words: string) => ({
  jsonrpc: '2.0',
  id,
  error: { code, message: expect.stringContaining(words) },
});

describe('a line that is no message is answered, and the server lives on', () => {
  it.each<[string, string | Buffer, number, unknown, string]>([
    ['text that is not JSON', '{"jsonrpc":', -32700, null, 'not JSON'],
    ['bytes that are not UTF-8', Buffer.from([0x22, 0xff, 0xfe, 0x22]), -32700, null, 'not UTF-8'],
    ['a batch', '[{"jsonrpc":"2.0","id":1,"method":"ping"}]', -32600, null, 'Batches are not part of MCP'],
    ['an empty batch', '[]', -32600, null, 'Batches'],
    ['a number', '5', -32600, null, 'a JSON object'],
    ['null', 'null', -32600, null, 'a JSON object'],
    ['an object without anything', '{}', -32600, null, '"jsonrpc": "2.0"'],
    ['another version of JSON-RPC', '{"jsonrpc":"1.0","id":7,"method":"ping"}', -32600, 7, '"jsonrpc": "2.0"'],
    ['a request without a method', '{"jsonrpc":"2.0","id":7}', -32600, 7, '"method"'],
    ['a method that is no string', '{"jsonrpc":"2.0","id":"a","method":5}', -32600, 'a', '"method"'],
    ['an id of null', '{"jsonrpc":"2.0","id":null,"method":"ping"}', -32600, null, 'a string, or an integer'],
    ['a fractional id', '{"jsonrpc":"2.0","id":1.5,"method":"ping"}', -32600, null, 'a string, or an integer'],
    ['an id beyond 2^53', '{"jsonrpc":"2.0","id":9007199254740993,"method":"ping"}', -32600, null, '2^53'],
    ['an object as id', '{"jsonrpc":"2.0","id":{},"method":"ping"}', -32600, null, 'a string, or an integer'],
    ['an array as id', '{"jsonrpc":"2.0","id":[1],"method":"ping"}', -32600, null, 'a string, or an integer'],
    ['a boolean as id', '{"jsonrpc":"2.0","id":true,"method":"ping"}', -32600, null, 'a string, or an integer'],
    ['params by position', '{"jsonrpc":"2.0","id":3,"method":"ping","params":[1]}', -32602, 3, 'a JSON object'],
    ['params that are text', '{"jsonrpc":"2.0","id":3,"method":"ping","params":"x"}', -32602, 3, 'a JSON object'],
    ['a _meta that is text', '{"jsonrpc":"2.0","id":3,"method":"ping","params":{"_meta":"x"}}', -32602, 3, '_meta'],
    [
      'a progress token that is an object',
      '{"jsonrpc":"2.0","id":3,"method":"ping","params":{"_meta":{"progressToken":{}}}}',
      -32602,
      3,
      'progressToken',
    ],
    [
      'arguments that are no object',
      '{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"x","arguments":[1]}}',
      -32602,
      3,
      '"arguments" of a tools/call are a JSON object',
    ],
    ['an unknown method', '{"jsonrpc":"2.0","id":3,"method":"no/such"}', -32601, 3, 'Method not found'],
  ])('%s', async (_what, line, code, id, words) => {
    const client = createRawClient(new FakeToolbox());
    await client.initialize();
    client.writeText(line);
    client.writeText('\n');
    expect(await client.frame((frame) => 'error' in frame)).toEqual(refused(code, id, words));
    await expectAlive(client);
  });

  it('a message longer than the limit is passed over without being kept', async () => {
    const client = createRawClient(new FakeToolbox(), { maxMessageBytes: 1000 });
    await client.initialize();
    for (let part = 0; part < 50; part++) client.writeText('x'.repeat(100_000));
    client.writeText('\n');
    expect(await client.frame((frame) => 'error' in frame)).toEqual(refused(-32600, null, '1000 bytes'));
    await expectAlive(client);
  });

  it('a request whose id is under way is not run, and does not answer for the other', async () => {
    let finish = (): void => {};
    const box = new FakeToolbox({ slow: () => new Promise((resolve) => (finish = () => resolve(text('done')))) });
    const client = createRawClient(box);
    await client.initialize();
    const request = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'slow' } };
    client.write(request);
    client.write(request);
    expect(await client.frame((frame) => frame.id === null)).toEqual(refused(-32600, null, 'still under way'));
    finish();
    expect(await client.answer(1)).toMatchObject({ result: { content: [{ text: 'done' }] } });
    expect(box.calls).toHaveLength(1);
    client.write({ jsonrpc: '2.0', id: 1, method: 'ping' });
    await client.frame((frame) => frame.id === 1 && Object.keys(Object(frame.result)).length === 0);
  });
});

describe('what is read', () => {
  it('a line of 20 MB is a message like any other', async () => {
    const box = new FakeToolbox({ size: (args) => text(String(String(args.data).length)) });
    const client = createRawClient(box);
    await client.initialize();
    const data = 'é'.repeat(10 * 1024 * 1024);
    client.write({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'size', arguments: { data } } });
    expect(await client.answer(1)).toMatchObject({ result: { content: [{ text: String(data.length) }] } });
  });

  it.each([0, -5, 2 ** 53 - 1, '', 'a b', '1', '\u{1f600}'])('the id %j comes back as it was', async (id) => {
    const client = createRawClient(new FakeToolbox());
    await client.initialize();
    client.write({ jsonrpc: '2.0', id, method: 'ping' });
    expect(await client.answer(id)).toEqual({ jsonrpc: '2.0', id, result: {} });
  });

  it('characters that are cut between chunks, CRLF, empty lines, a byte order mark and a last line without its newline', async () => {
    const box = new FakeToolbox({ echo: (args) => text(String(args.word)) });
    const client = createRawClient(box);
    const first = JSON.stringify({ jsonrpc: '2.0', id: 'a', method: 'ping' });
    const call = {
      jsonrpc: '2.0',
      id: 'b',
      method: 'tools/call',
      params: { name: 'echo', arguments: { word: '日本' } },
    };
    const bytes = Buffer.from(`\u{feff}${first}\r\n\n  \r\n${JSON.stringify(call)}\n`);
    for (const byte of bytes) client.writeText(Buffer.from([byte]));
    expect(await client.answer('b')).toMatchObject({ result: { content: [{ text: '日本' }] } });
    expect(client.frames.map((frame) => frame.id)).toEqual(['a', 'b']);
    client.input.end(JSON.stringify({ jsonrpc: '2.0', id: 'c', method: 'tools/list' }));
    await client.server.closed;
    expect(await client.answer('c')).toMatchObject({ result: { tools: [{ name: 'echo' }] } });
  });

  it('members that JSON-RPC does not know, and params of null, are passed over', async () => {
    const client = createRawClient(new FakeToolbox());
    await client.initialize();
    client.writeText('{"jsonrpc":"2.0","id":1,"method":"ping","params":null,"trace":"x"}\n');
    expect(await client.answer(1)).toMatchObject({ result: {} });
  });

  it('arguments of null are none', async () => {
    const client = createRawClient(new FakeToolbox({ count: (args) => text(String(Object.keys(args).length)) }));
    await client.initialize();
    client.write({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'count', arguments: null } });
    expect(await client.answer(1)).toMatchObject({ result: { content: [{ text: '0' }] } });
  });

  it('responses to nothing and unknown notifications are not answered', async () => {
    const client = createRawClient(new FakeToolbox());
    await client.initialize();
    client.write({ jsonrpc: '2.0', id: 99, result: {} });
    client.write({ jsonrpc: '2.0', id: 98, error: { code: 1, message: 'x' } });
    client.write({ jsonrpc: '2.0', method: 'notifications/nothing' });
    client.write({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 12345 } });
    await expectAlive(client);
    expect(client.frames.map((frame) => frame.id)).toEqual(['initialize', 'alive']);
  });
});

describe('a client that writes and does not read', () => {
  const ping = (id: number) => `${JSON.stringify({ jsonrpc: '2.0', id, method: 'ping' })}\n`;

  it('is read from no more once many answers wait, and again when it has read them', async () => {
    const { input, output, server } = serveUnread({ maxUnreadBytes: 100_000 });
    const requests = 5000;
    let written = 0;
    const writing = writeRequests();
    for (let turn = 0; turn < 2 * requests; turn++) await setImmediate();
    expect(written).toBeLessThan(requests / 2);
    const answered = new Set<number>();
    for await (const line of createInterface({ input: output })) {
      answered.add(JSON.parse(line).id);
      if (answered.size === requests) break;
    }
    await writing;
    await server.closed;

    async function writeRequests() {
      for (; written < requests; written++) {
        if (!input.write(ping(written))) await once(input, 'drain');
        await setImmediate();
      }
      input.end();
    }
  });

  it('is given up when what was taken before has far too many answers', async () => {
    const result = text('x'.repeat(10_000));
    const { input, output, server } = serveUnread({ maxUnreadBytes: 1000 }, new FakeToolbox({ long: () => result }));
    for (let id = 0; id < 50; id++) {
      input.write(`${JSON.stringify({ jsonrpc: '2.0', id, method: 'tools/call', params: { name: 'long' } })}\n`);
    }
    await server.closed;
    expect(output.destroyed).toBe(true);
  });

  function serveUnread(options: ServeStdioOptions, toolbox: FakeToolbox = new FakeToolbox()) {
    const input = new PassThrough({ highWaterMark: 1000 });
    const output = new PassThrough({ highWaterMark: 1000 });
    return { input, output, server: serveStdio(toolbox, { ...options, input, output }) };
  }
});

describe('the end', () => {
  it('comes when the client closes its end, and cancels what is under way', async () => {
    let cancelled = 0;
    const slow = (_args: object, { signal }: { signal?: AbortSignal }) =>
      new Promise<never>(() => signal?.addEventListener('abort', () => cancelled++));
    const client = createRawClient(new FakeToolbox({ slow }));
    await client.initialize();
    for (let id = 0; id < 8; id++) client.write({ jsonrpc: '2.0', id, method: 'tools/call', params: { name: 'slow' } });
    await expectAlive(client);
    client.input.end();
    await client.server.closed;
    expect(cancelled).toBe(8);
    expect(client.frames.map((frame) => frame.id)).toEqual(['initialize', 'alive']);
  });

  it('waits a moment for calls that were asked for before it', async () => {
    const client = createRawClient(new FakeToolbox({ quick: async () => ({ content: [] }) }));
    client.write({ jsonrpc: '2.0', id: 7, method: 'tools/call', params: { name: 'quick' } });
    client.input.end();
    expect(await client.answer(7)).toMatchObject({ result: { content: [] } });
    await client.server.closed;
  });

  it('comes when nobody reads the answers any more', async () => {
    const client = createRawClient(new FakeToolbox());
    await client.initialize();
    client.output.destroy(Object.assign(new Error('broken pipe'), { code: 'EPIPE' }));
    await client.server.closed;
  });

  it('comes by close()', async () => {
    const client = createRawClient(new FakeToolbox());
    await client.server.close();
    await client.server.closed;
  });
});

async function expectAlive(client: { write(message: unknown): void; answer(id: unknown): Promise<Frame> }) {
  client.write({ jsonrpc: '2.0', id: 'alive', method: 'ping' });
  expect(await client.answer('alive')).toEqual({ jsonrpc: '2.0', id: 'alive', result: {} });
}
