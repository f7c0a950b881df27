import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createMcpHandler } from '@modelcontextprotocol/server';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createAnswering } from '../../../src/client/session/asked.js';
import { openSession, type SessionOptions } from '../../../src/client/session/session.js';
import type { ServerTarget } from '../../../src/client/target.js';
import { clientSideOf } from '../../../src/harness/suite/client.js';
import type { TestedServer } from '../../../src/testedserver.js';
import { createServer as createAsking } from '../../harness/servers/asks_its_client.mjs';
import { type Handle, serve, withSessions } from '../http-servers.js';
import { call, commandOf, open, openBroken, patiently, said } from './sessions.js';

const stdio = commandOf('asks_its_client.mjs');
const client = clientSideOf(
  {
    roots: ['file:///srv', { uri: 'file:///tmp/x', name: 'x' }],
    elicitation: [{ accept: { city: 'Oslo' } }, { accept: { city: 'Rome' } }, 'decline', { url: 'cancel' }],
    sampling: ['chai', { text: 'cha', model: 'poet', stop_reason: 'maxTokens' }, { error: 'Nobody approves' }],
  },
  {},
);
const listening: Server[] = [];

afterAll(async () => {
  for (const server of listening) {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  }
});

async function listen(handle: Handle): Promise<ServerTarget> {
  const server = createServer((incoming, response) => void serve(handle, incoming, response));
  listening.push(server);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return { kind: 'url', url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp` };
}

const ways: readonly (readonly [string, () => Promise<ServerTarget>, SessionOptions])[] = [
  ['on stdio', async () => stdio, {}],
  ['of the newer revision on stdio', async () => stdio, { protocol: 'modern' }],
  ['over HTTP with sessions', () => listen(withSessions(createAsking).handle), { protocol: 'legacy' }],
  [
    'of the newer revision over HTTP',
    () => listen((request) => createMcpHandler(createAsking).fetch(request)),
    { protocol: 'modern' },
  ],
];

describe.each(ways)('a server %s', (_way, targetOf, options) => {
  const by = options.protocol === 'modern' ? 'result' : 'request';
  let server: TestedServer;

  beforeAll(async () => {
    server = await openSession(await targetOf(), { ...options, client });
  });
  afterAll(() => server.close());

  test('is answered what was said for it, one after the other, the last again', async () => {
    expect(await call(server, 'book')).toMatchObject(said('accept {"city":"Oslo"}'));
    expect(await call(server, 'book')).toMatchObject(said('accept {"city":"Rome"}'));
    expect(await call(server, 'book')).toMatchObject(said('decline null'));
    expect(await call(server, 'book')).toMatchObject(said('decline null'));
    expect(await call(server, 'pay')).toMatchObject(said('cancel'));
    expect(await call(server, 'name')).toMatchObject(said('chai by suite, endTurn'));
    expect(await call(server, 'name')).toMatchObject(said('cha by poet, maxTokens'));
    expect(await call(server, 'roots')).toMatchObject(
      said('[{"uri":"file:///srv"},{"uri":"file:///tmp/x","name":"x"}]'),
    );
  });

  test('has what it asked among the events of the request', async () => {
    const { events } = await call(server, 'book');
    expect(events).toMatchObject([
      {
        type: 'ask',
        method: 'elicitation/create',
        by,
        params: { message: 'Which city?' },
        answer: { action: 'decline' },
      },
    ]);
    expect(server.asked.at(-1)).toBe('elicitation/create');
  });
});

test('all rounds of a request of the newer revision are one exchange, and there are not endlessly many', async () => {
  const two = clientSideOf({ elicitation: [{ accept: { city: 'Oslo' } }, { accept: { city: 'Rome' } }] }, {});
  const server = await open(stdio, { protocol: 'modern', client: two });
  const { outcome, events } = await call(server, 'twice');
  expect({ outcome }).toMatchObject(said('Oslo, then Rome'));
  expect(events.map(({ type }) => type)).toEqual(['progress', 'ask', 'progress', 'ask', 'progress']);
  const later = await call(server, 'later');
  expect(later).toMatchObject(said('now'));
  expect(later.events).toMatchObject([
    { type: 'progress', done: 1 },
    { type: 'progress', done: 1, round: 1 },
  ]);
  const endless = await call(server, 'endless');
  expect(endless.outcome).toMatchObject({ result: { resultType: 'input_required', requestState: '11' } });
  expect(endless.events).toHaveLength(11);
});

test('a result of the newer revision is left as it is where one of its questions has no answer', () => {
  const { answerAll } = createAnswering(clientSideOf({ elicitation: 'decline', sampling: { error: 'no' } }, {}));
  const [place, word] = [{ method: 'elicitation/create' }, { method: 'sampling/createMessage', params: { a: 1 } }];
  expect(answerAll({ inputRequests: { place }, requestState: 'x' })).toEqual({
    events: [{ type: 'ask', ...place, params: {}, by: 'result', answer: { action: 'decline' } }],
    again: { inputResponses: { place: { action: 'decline' } }, requestState: 'x' },
  });
  expect(answerAll({ inputRequests: { place, word } })).toEqual({
    events: [
      { type: 'ask', ...place, params: {}, by: 'result' },
      expect.objectContaining({ ...word, answer: { error: { code: -1, message: 'no' } } }),
    ],
  });
  expect(answerAll({ inputRequests: { roots: { method: 'roots/list' } } })).toEqual({
    events: [{ type: 'ask', method: 'roots/list', params: {}, by: 'result' }],
  });
  expect(answerAll({ inputRequests: { word: 'what?' }, requestState: 'x' })).toEqual({ events: [] });
  expect(answerAll({ inputRequests: {} })).toEqual({ events: [] });
});

test('an answer that was not given, as another question has none, is given to the next', () => {
  const { answerAll } = createAnswering(clientSideOf({ elicitation: ['decline', 'cancel'] }, {}));
  const [place, roots] = [{ method: 'elicitation/create' }, { method: 'roots/list' }];
  expect(answerAll({ inputRequests: { place, roots } })).toEqual({
    events: [place, roots].map((asked) => ({ type: 'ask', ...asked, params: {}, by: 'result' })),
  });
  expect(answerAll({ inputRequests: { place } }).again).toEqual({ inputResponses: { place: { action: 'decline' } } });
  expect(answerAll({ inputRequests: { place } }).again).toEqual({ inputResponses: { place: { action: 'cancel' } } });
});

test('what is not declared is refused, and is an event all the same', async () => {
  const server = await openBroken();
  const refused = { code: -32601, message: 'Method not found' };
  const { outcome, events } = await call(server, 'asks');
  expect({ outcome }).toMatchObject(said(JSON.stringify(refused)));
  expect(events).toMatchObject([{ type: 'ask', method: 'elicitation/create', answer: { error: refused } }]);
});

test('an elicitation of a mode that was not declared is refused as such', () => {
  const { replies, capabilities } = clientSideOf({ elicitation: { url: 'accept' } }, {});
  expect(capabilities).toEqual({ elicitation: { url: {} } });
  const { answer } = createAnswering({ replies, capabilities });
  expect(answer('elicitation/create', { mode: 'url' }).reply).toEqual({ result: { action: 'accept' } });
  expect(answer('elicitation/create', { message: 'Who?' }).reply).toMatchObject({ error: { code: -32602 } });
  expect(answer('sampling/createMessage', {}).reply).toMatchObject({ error: { code: -32601 } });
});

test('a server is answered as soon as it is introduced to, and heard while and after it is asked', async () => {
  const server = await open(stdio, { client });
  await expect
    .poll(async () => (await call(server, 'roots_at_first')).outcome, patiently)
    .toMatchObject({ result: { content: [{ text: 'file:///srv,file:///tmp/x' }] } });
  expect(server.asked).toEqual(['roots/list']);
  const { events } = await call(server, 'ring', { times: 2 });
  expect(events).toMatchObject([
    { type: 'notification', method: 'notifications/desk/rang', params: { number: 1 } },
    { type: 'notification', params: { number: 2 } },
  ]);
  const heard = new Promise((resolve) => server.listen(resolve));
  await call(server, 'learn', { name: 'new' });
  expect(await heard).toEqual({ type: 'notification', method: 'notifications/tools/list_changed', params: {} });
});
