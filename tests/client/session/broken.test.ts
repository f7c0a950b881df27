import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openSession } from '../../../src/client/session/session.js';
import { ExecutionError } from '../../../src/errors.js';
import type { TestedServer } from '../../../src/testedserver.js';
import { failure } from '../harness.js';
import { call, commandOf, noAnswer, open, openBroken, patiently, said } from './sessions.js';

describe('answers', () => {
  let server: TestedServer;
  beforeAll(async () => {
    server = await openSession(commandOf('broken_server.mjs', 'chatty'));
  });
  afterAll(() => server.close());

  test.each([
    ['wrong_structure', { structuredContent: { sum: 'three' } }],
    ['wrong_block', { content: [{ type: 'hologram', beam: 1 }] }],
    ['block_without_text', { content: [{ type: 'text' }] }],
    ['no_content', {}],
  ])('%s: a result is passed on as it is, however wrong', async (tool, result) => {
    expect((await call(server, tool)).outcome).toMatchObject({ kind: 'result', result });
  });

  test.each([
    ['malformed_answer', /malformed answer: its result is a list and no object$/],
    ['error_without_code', /malformed answer: its error has no code that is a whole number$/],
    ['old_jsonrpc', /malformed answer: it does not say "jsonrpc": "2.0"$/],
    ['id_as_text', /malformed answer: its id is a string, where the request has a number$/],
    ['broken_json', /malformed answer: the server answered with a line that is no valid JSON$/],
  ])('%s: a malformed answer is told as such', async (tool, message) => {
    expect((await call(server, tool)).outcome).toMatchObject(noAnswer('SERVER_FAILED', message));
  });

  test('progress that goes backwards is heard as it comes', async () => {
    const { events } = await call(server, 'backward_progress');
    expect(events.map((event) => event.type === 'progress' && event.done)).toEqual([3, 2, 1]);
  });

  test('an answer that comes after the call was cancelled is counted', async () => {
    const { outcome } = await call(server, 'answers_after_cancel', {}, { timeoutMs: 20 });
    expect(outcome).toMatchObject({ kind: 'none', code: 'TIMEOUT' });
    await expect.poll(() => server.lateAnswers, patiently).toBe(1);
  });

  test('lines that are no messages are kept as noise, and the call goes on', async () => {
    expect(await call(server, 'garbage')).toMatchObject(said('clean'));
    expect(server.noise).toEqual(
      expect.arrayContaining([
        'Server is running on stdio',
        'Loading the model...',
        '\u001b[31mred\u001b[0m',
        '{"half":',
      ]),
    );
    for (let each = 0; each < 10; each += 1) await call(server, 'garbage');
    expect(server.noise).toHaveLength(20);
  });

  test('a question of the server is refused, and noted', async () => {
    expect(await call(server, 'asks')).toMatchObject(said('{"code":-32601,"message":"Method not found"}'));
    expect(server.asked).toEqual(['elicitation/create']);
  });
});

test('a second answer to one request, and one to none, are told as such and are no noise', async () => {
  const server = await openBroken();
  expect(await call(server, 'answers_twice')).toMatchObject(said('once'));
  expect(await call(server, 'answers_nobody')).toMatchObject(said('asked'));
  await expect
    .poll(() => server.strayAnswers, patiently)
    .toEqual([
      { isRepeated: true, line: expect.stringContaining('twice') },
      { isRepeated: false, line: expect.stringContaining('nobody asked') },
    ]);
  expect(server.noise).toEqual([]);
});

test('a server that dies in a call is told with its exit code and last words', async () => {
  const server = await openBroken();
  const other = call(server, 'never_answers');
  const { outcome } = await call(server, 'dies', { code: 7 });
  expect(outcome).toMatchObject(noAnswer('SERVER_FAILED', /ended with exit code 7 before it answered$/));
  expect((await other).outcome).toEqual(outcome);
  expect(await server.ended).toMatchObject({ wasAsked: false, message: expect.stringContaining('exit code 7') });
  expect(server.lastWords()).toEqual(['something is very wrong']);
  expect(server.isOver).toBe(true);
  expect((await call(server, 'good', { text: 'hello?' })).outcome).toEqual(outcome);
});

test('a server that closes its output is over, and later requests say why', async () => {
  const server = await openBroken();
  const first = call(server, 'closes_its_output');
  await expect.poll(() => server.isOver, patiently).toBe(true);
  const second = call(server, 'good', { text: 'hello?' });
  const why = noAnswer('SERVER_FAILED', /closed its output, and was ended$/);
  expect((await first).outcome).toMatchObject(why);
  expect((await second).outcome).toMatchObject(why);
});

test.each([
  ['that ends at its start', ['dies'], /ended with exit code 2/],
  ['without a name', ['odd'], /introduced itself in a form that MCP does not know: .*serverInfo/],
  ['of an unknown version', ['future'], /speaks version "3026-01-01" of the protocol, which is not known here/],
  ['that stays silent', ['silent'], /did not introduce itself within 300 ms, and was given up/],
])('a server %s cannot be opened, and the error says why', async (_what, modes, message) => {
  const limits = modes.includes('silent') ? { startTimeoutMs: 300 } : {};
  const error = await failure(openSession(commandOf('broken_server.mjs', ...modes), limits));
  expect(error).toMatchObject({ code: 'SERVER_FAILED', message: expect.stringMatching(message) });
  if (modes.includes('dies')) expect(error.details.stderr).toBe('the database is not there');
});

test('a command that is not there is told as such', async () => {
  const error = await failure(openSession({ kind: 'command', command: 'no-such-program', args: [] }));
  expect(error).toMatchObject({ code: 'SERVER_FAILED', message: expect.stringContaining('there is no such program') });
});

test('the opening can be given up', async () => {
  const giveUp = new AbortController();
  const opening = openSession(commandOf('broken_server.mjs', 'silent'), { signal: giveUp.signal });
  giveUp.abort();
  expect(await failure(opening)).toMatchObject({ code: 'CANCELLED' });
});

test('secrets are taken out of last words, noise and messages', async () => {
  const redact = (text: string) => text.replaceAll('database', '[secret]').replaceAll('Server', '[secret]');
  const target = commandOf('broken_server.mjs', 'dies');
  const error = await openSession(target, { redact }).catch((reason: unknown) => reason);
  expect(error instanceof ExecutionError && error.details.stderr).toBe('the [secret] is not there');
  const server = await open(commandOf('broken_server.mjs', 'chatty'), { redact });
  expect(server.noise).toEqual(['[secret] is running on stdio']);
});
