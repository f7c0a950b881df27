import { afterAll, beforeAll, expect, test } from 'vitest';
import { openSession } from '../../../src/client/session/session.js';
import type { TestedServer, TimedEvent } from '../../../src/testedserver.js';
import { call, commandOf, open, patiently, said } from './sessions.js';

const behaved = commandOf('well_behaved.mjs');
let server: TestedServer;

beforeAll(async () => {
  server = await openSession(behaved);
});
afterAll(() => server.close());

test('a session has the introduction of the server as it was said', async () => {
  const { introduction, pid, isOver } = server;
  expect(introduction).toMatchObject({
    name: 'well-behaved',
    version: '1.0.0',
    title: 'A server that behaves',
    instructions: 'Everything here can be tried without harm.',
    protocolVersion: '2025-11-25',
    capabilities: { tools: { listChanged: true }, logging: {}, completions: {} },
  });
  expect(introduction.ms).toBeGreaterThan(0);
  expect(pid).toBeGreaterThan(0);
  expect(isOver).toBe(false);
});

test('requests of every kind are answered with the result as it was sent', async () => {
  const limit = { timeoutMs: 10_000 };
  expect(await call(server, 'echo', { message: 'Grüße 🎈' })).toMatchObject(said('Grüße 🎈'));
  expect((await call(server, 'add', { a: 1, b: 2 })).outcome).toEqual({
    kind: 'result',
    result: { content: [{ type: 'text', text: '{"sum":3}' }], structuredContent: { sum: 3 } },
  });
  expect((await call(server, 'fails')).outcome).toMatchObject({ kind: 'result', result: { isError: true } });
  expect((await server.request('ping', {}, limit)).outcome).toEqual({ kind: 'result', result: {} });
  expect((await server.request('resources/read', { uri: 'test://people/ann' }, limit)).outcome).toMatchObject({
    result: { contents: [{ text: '{"name":"ann"}' }] },
  });
  expect((await server.request('prompts/get', { name: 'greeting' }, limit)).outcome).toMatchObject({
    result: { messages: [{ content: { text: 'Hello' } }] },
  });
  const complete = { ref: { type: 'ref/prompt', name: 'review' }, argument: { name: 'language', value: 'p' } };
  expect((await server.request('completion/complete', complete, limit)).outcome).toMatchObject({
    result: { completion: { values: ['python', 'perl'] } },
  });
});

test('an error of JSON-RPC is told with its code and message', async () => {
  expect((await call(server, 'nothing_of_that_name')).outcome).toEqual({
    kind: 'error',
    error: { code: -32602, message: 'Tool nothing_of_that_name not found' },
  });
  expect((await server.request('no/such/method', {}, { timeoutMs: 10_000 })).outcome).toMatchObject({
    kind: 'error',
    error: { code: -32601 },
  });
});

test('progress and logs are heard while they come, and are in the exchange', async () => {
  const heard: TimedEvent[] = [];
  const { events } = await call(
    server,
    'progress',
    { steps: 2 },
    { onEvent: (event: TimedEvent) => heard.push(event) },
  );
  expect(events).toMatchObject([
    { type: 'progress', done: 1, total: 2, message: 'step 1' },
    { type: 'progress', done: 2, total: 2, message: 'step 2' },
  ]);
  expect(heard).toEqual(events);
  expect((await call(server, 'logs')).events).toMatchObject([
    { type: 'log', level: 'debug', message: 'looking' },
    { type: 'log', level: 'warning', message: '{"found":"something"}' },
  ]);
});

test('progress goes to its own request where several are under way, and logs to all', async () => {
  const slow = new AbortController();
  const waiting = call(server, 'slow', { ms: 600_000 }, { signal: slow.signal });
  const [steps, logs] = await Promise.all([call(server, 'progress', { steps: 3 }), call(server, 'logs')]);
  slow.abort();
  const { events } = await waiting;
  expect(steps.events.filter(({ type }) => type === 'progress')).toHaveLength(3);
  expect(logs.events.every(({ type }) => type === 'log')).toBe(true);
  expect(events.filter(({ type }) => type === 'log')).toHaveLength(2);
  expect(events.filter(({ type }) => type === 'progress')).toHaveLength(0);
});

test('a listener that throws harms nothing', async () => {
  const onEvent = () => {
    throw new Error('not my day');
  };
  expect(await call(server, 'progress', {}, { onEvent })).toMatchObject({ ...said('done'), events: [{}, {}, {}] });
});

test('a token that is chosen by the request itself is the one that progress comes for', async () => {
  const params = { name: 'progress', arguments: { steps: 1 }, _meta: { progressToken: 7 } };
  const { events } = await server.request('tools/call', params, { timeoutMs: 10_000 });
  expect(events).toHaveLength(1);
});

test('a cancelled request is settled at once, and the server is told', async () => {
  const giveUp = new AbortController();
  const waiting = call(server, 'slow', { ms: 600_000 }, { signal: giveUp.signal });
  giveUp.abort();
  expect((await waiting).outcome).toEqual({ kind: 'none', code: 'CANCELLED', message: 'The call was cancelled' });
  await expect.poll(() => server.lastWords(), patiently).toContain('slow was cancelled');
  expect(server.lateAnswers).toBe(0);
  expect(await call(server, 'echo', { message: 'still here' })).toMatchObject(said('still here'));
});

test('a request whose time is over is settled as TIMEOUT, and the server is told', async () => {
  const before = server.lastWords().length;
  expect((await call(server, 'slow', { ms: 600_000 }, { timeoutMs: 20 })).outcome).toEqual({
    kind: 'none',
    code: 'TIMEOUT',
    message: 'The MCP server did not answer within 20 ms',
  });
  await expect.poll(() => server.lastWords().length, patiently).toBeGreaterThan(before);
  expect(server.lastWords().at(-1)).toBe('slow was cancelled');
});

test('a request that is cancelled before it is made is never sent', async () => {
  const own = await open(behaved);
  const { outcome } = await call(own, 'counts', {}, { signal: AbortSignal.abort() });
  expect(outcome).toMatchObject({ kind: 'none', code: 'CANCELLED' });
  expect(await call(own, 'counts')).toMatchObject(said('1'));
});

test('a session that was closed ends its process, and answers no more', async () => {
  const own = await open(behaved);
  await own.close();
  expect(own.isOver).toBe(true);
  expect(await own.ended).toEqual({ wasAsked: true, message: 'The MCP server was ended' });
  expect((await call(own, 'echo', { message: 'hello?' })).outcome).toMatchObject({ kind: 'none', code: 'CLOSED' });
  expect(await own.usage()).toMatchObject({ processes: 1 });
});

test('a server on stdio speaks the newer revision where that is asked for', async () => {
  const own = await open(behaved, { protocol: 'modern' });
  expect(own.introduction).toMatchObject({ name: 'well-behaved', protocolVersion: '2026-07-28' });
  const { outcome, events } = await call(own, 'logs');
  expect(outcome).toMatchObject({ kind: 'result', result: { resultType: 'complete' } });
  expect(events).toHaveLength(2);
  const { outcome: cancelled } = await call(own, 'slow', { ms: 600_000 }, { timeoutMs: 20 });
  expect(cancelled).toMatchObject({ kind: 'none', code: 'TIMEOUT' });
  await expect.poll(() => own.lastWords(), patiently).toContain('slow was cancelled');
});
