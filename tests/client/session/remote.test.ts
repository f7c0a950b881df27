import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createMcpHandler } from '@modelcontextprotocol/server';
import { afterEach, expect, test } from 'vitest';
import type { UrlTarget } from '../../../src/client/target.js';
import type { Exchange, TestedServer } from '../../../src/testedserver.js';
import { createServer as createWellBehaved } from '../../harness/servers/well_behaved.mjs';
import { failure } from '../harness.js';
import { legacySse, serve, withSessions } from '../http-servers.js';
import { call, noAnswer, open, patiently, said } from './sessions.js';

type Handle = (request: IncomingMessage, response: ServerResponse) => void;

const listening: Server[] = [];

afterEach(async () => {
  for (const server of listening.splice(0)) {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  }
});

async function listen(handle: Handle): Promise<UrlTarget> {
  const server = createServer(handle);
  listening.push(server);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return { kind: 'url', url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp` };
}

function request(server: TestedServer, method: string): Promise<Exchange> {
  return server.request(method, {}, { timeoutMs: 10_000 });
}

/** A server of a few lines: what it says to each method, by hand. */
function byHand(methods: Readonly<Record<string, (id: unknown, response: ServerResponse) => void>>): Handle {
  return async (incoming, response) => {
    if (incoming.method !== 'POST') return void response.writeHead(405).end();
    let body = '';
    for await (const chunk of incoming) body += chunk;
    const { id, method, params } = JSON.parse(body);
    if (method === 'initialize') {
      const { protocolVersion } = params;
      const result = { protocolVersion, capabilities: {}, serverInfo: { name: 'by hand', version: '1' } };
      response.setHeader('mcp-session-id', 'one');
      return json(response, 200, { jsonrpc: '2.0', id, result });
    }
    if (id === undefined) return void response.writeHead(202).end();
    const answer = methods[method];
    if (answer) answer(id, response);
    else json(response, 200, { jsonrpc: '2.0', id, error: { code: -32601, message: 'Method not found' } });
  };
}

function json(response: ServerResponse, status: number, body: unknown): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
}

test('a server with sessions answers, tells logs and progress, and hears of cancelled calls', async () => {
  const { handle } = withSessions();
  const server = await open(await listen((incoming, response) => void serve(handle, incoming, response)));
  expect(server.introduction).toMatchObject({ name: 'fixture', protocolVersion: '2025-11-25' });
  expect(server.pid).toBeUndefined();
  expect(await server.usage()).toBeUndefined();
  expect(await call(server, 'echo', { a: 1 })).toMatchObject(said('{"a":1}'));
  expect((await call(server, 'steps')).events).toMatchObject([{ done: 1 }, { done: 2 }, { done: 3 }]);
  expect((await call(server, 'talks')).events).toMatchObject([{ level: 'warning' }, { level: 'info' }]);
  const started = new AbortController();
  const onEvent = () => started.abort();
  const { outcome } = await call(server, 'waits', {}, { signal: started.signal, onEvent });
  expect(outcome).toMatchObject({ kind: 'none', code: 'CANCELLED' });
});

test('a server of the newer revision is spoken to in it', async () => {
  const { fetch: handle } = createMcpHandler(createWellBehaved);
  const server = await open(await listen((incoming, response) => void serve(handle, incoming, response)));
  expect(server.introduction).toMatchObject({ name: 'well-behaved', protocolVersion: '2026-07-28' });
  expect(await call(server, 'echo', { message: 'Grüße' })).toMatchObject(said('Grüße'));
  expect((await call(server, 'logs')).events).toHaveLength(2);
  expect((await call(server, 'progress')).events).toHaveLength(3);
  const { outcome } = await call(server, 'slow', { ms: 600_000 }, { timeoutMs: 30 });
  expect(outcome).toMatchObject({ kind: 'none', code: 'TIMEOUT' });
});

test('a server of the older HTTP with SSE is spoken to as well', async () => {
  const handle = legacySse();
  const server = await open(await listen((incoming, response) => void serve(handle, incoming, response)));
  expect(await call(server, 'echo', { a: 1 })).toMatchObject(said('{"a":1}'));
});

test('what HTTP says of a request is told as it is', async () => {
  const target = await listen(
    byHand({
      'refused/with-error': (id, response) =>
        json(response, 400, { jsonrpc: '2.0', id, error: { code: -32602, message: 'not like that', data: [1] } }),
      'refused/without': (_id, response) => void response.writeHead(500).end('oh'),
      'malformed/json': (_id, response) =>
        void response.writeHead(200, { 'content-type': 'application/json' }).end('{"jsonrpc":'),
      'malformed/message': (id, response) => json(response, 200, { id, result: [] }),
      'malformed/event': (id, response) =>
        void response
          .writeHead(200, { 'content-type': 'text/event-stream' })
          .end(`data: {"jsonrpc":"2.0","id":${id},"result":5}\n\n`),
      'lost/answer': (_id, response) =>
        void response.writeHead(200, { 'content-type': 'text/event-stream' }).end(': nothing\n\n'),
    }),
  );
  const server = await open(target);
  expect((await request(server, 'refused/with-error')).outcome).toEqual({
    kind: 'error',
    error: { code: -32602, message: 'not like that', data: [1] },
  });
  const failures = {
    'refused/without': /refused the request with HTTP status 500$/,
    'malformed/json': /malformed answer: it is no valid JSON$/,
    'malformed/message': /malformed answer: it is no message of JSON-RPC 2.0$/,
    'malformed/event': /malformed answer: it is no message of JSON-RPC 2.0$/,
    'lost/answer': /answer of the MCP server was lost: the connection ended before it answered$/,
  };
  for (const [method, message] of Object.entries(failures)) {
    expect((await request(server, method)).outcome).toMatchObject(noAnswer('SERVER_FAILED', message));
  }
  expect((await request(server, 'other')).outcome).toMatchObject({ kind: 'error', error: { code: -32601 } });
  expect(server.isOver).toBe(false);
});

test('a server that forgot the session is over, and was not asked to be', async () => {
  const target = await listen(byHand({ work: (_id, response) => void response.writeHead(404).end() }));
  const server = await open(target);
  expect((await request(server, 'work')).outcome).toMatchObject(noAnswer('SERVER_FAILED', /HTTP status 404/));
  expect(server.isOver).toBe(true);
  expect(await server.ended).toEqual({ wasAsked: false, message: 'The MCP server forgot the session' });
});

test('an answer that comes after the call was cancelled is counted', async () => {
  let answerLate: () => void = () => {};
  const target = await listen(
    byHand({
      work(id, response) {
        response.writeHead(200, { 'content-type': 'text/event-stream' }).flushHeaders();
        answerLate = () => response.end(`data: ${JSON.stringify({ jsonrpc: '2.0', id, result: {} })}\n\n`);
      },
    }),
  );
  const server = await open(target);
  const { outcome } = await server.request('work', {}, { timeoutMs: 30 });
  expect(outcome).toMatchObject({ kind: 'none', code: 'TIMEOUT' });
  answerLate();
  await expect.poll(() => server.lateAnswers, patiently).toBe(1);
});

test('an address where nobody listens cannot be opened, and the error says why', async () => {
  const target = await listen(() => {});
  const [server] = listening.splice(0);
  await new Promise((resolve) => server?.close(resolve));
  expect(await failure(open(target))).toMatchObject({
    code: 'SERVER_FAILED',
    message: expect.stringContaining('ECONNREFUSED'),
  });
});

test('an answer with a text for the number of its request is told as malformed', async () => {
  const answer = (id: unknown, response: ServerResponse) =>
    json(response, 200, { jsonrpc: '2.0', id: String(id), result: { content: [] } });
  const server = await open(await listen(byHand({ 'tools/call': answer })));
  expect((await call(server, 'any')).outcome).toMatchObject(
    noAnswer('SERVER_FAILED', /malformed answer: its id is a string, where the request has a number$/),
  );
});

test.each([
  ['text/html; charset=utf-8', 'the content type text/html; expected application/json or text/event-stream'],
  ['nonsense \u009b31m', 'a content type that is none; expected application/json or text/event-stream'],
  [undefined, 'no content type; expected application/json or text/event-stream'],
])('an answer of the content type %j is told as such', async (type, words) => {
  const page = (response: ServerResponse) =>
    void response.writeHead(200, type === undefined ? {} : { 'content-type': type }).end('<p>hello</p>');
  const server = await open(await listen(byHand({ 'tools/list': (_id, response) => page(response) })));
  const message = `The MCP server answered with ${words}`;
  expect((await request(server, 'tools/list')).outcome).toMatchObject({
    kind: 'none',
    message: expect.stringContaining(message),
  });
  const other = await failure(open(await listen((_incoming, response) => page(response))));
  expect(other.message).toContain(message);
});
