import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import type { CaseReport, SuiteReport } from '../../src/harness/report.js';
import { isAlive } from '../client/harness.js';
import { folderWith } from '../engine/harness.js';
import { type CaseSpec, caseOf, markOfThisTest, oneSuite, runOnce } from './harness-cases.js';

const program = join(import.meta.dirname, '../harness/servers/broken_server.mjs');
const counted = join(folderWith({}), 'starts');
const broken = oneSuite({
  name: 'a broken server',
  server: brokenServer(`starts=${counted}`),
  capabilities: ['tools', 'resources.subscribe'],
  variables: { mangler: 'mangles_unicode' },
  checks: {
    schemas: true,
    idempotence: true,
    arguments: { tools: ['accepts_anything'] },
    unknown: true,
    cancellation: { tool: 'answers_after_cancel', after: 20, wait: '5s' },
    large: { tool: 'dies', argument: 'code', bytes: 1000 },
    unicode: { tool: '{{ mangler }}', argument: 'text' },
    parallel: { tool: 'confused_by_parallel', argument: 'text', calls: 4 },
    restart: true,
  },
});
const judged = { tool: 'good', arguments: { text: 'hi' } };
const shortMs = 150;

function brokenServer(...args: readonly string[]) {
  return { command: process.execPath, args: [program, ...args], env: markOfThisTest };
}

/** A case of the one suite that fails in every way, and the very finding of it. */
function fails(
  sentence: string,
  spec: CaseSpec,
  kind: string,
  message: unknown,
  more: (report: CaseReport) => void = () => {},
): void {
  broken.add(sentence, spec);
  it(sentence, () => {
    const report = broken.reportOf(sentence);
    expect(report).toMatchObject({ status: 'failed', findings: [{ kind, message }] });
    more(report);
  });
}

/** Whatever else is found, this is. */
function finds({ status, findings }: CaseReport, kind: string, words: string): void {
  expect(status).toBe('failed');
  expect(findings).toContainEqual(expect.objectContaining({ kind, message: expect.stringContaining(words) }));
}

const says = (words: string) => expect.stringContaining(words);

const has =
  (expected: object) =>
  (report: CaseReport): void => {
    expect(report).toMatchObject(expected);
  };

describe('a tool that breaks its promise is found out:', () => {
  fails(
    'structured content that does not fit the schema of the tool',
    { tool: 'wrong_structure' },
    'output_schema',
    '$.structuredContent.sum does not fit the outputSchema of the tool: it must be number. It is "three".',
  );
  fails(
    'no structured content where it was promised',
    { tool: 'no_structure' },
    'output_schema',
    'The tool has an outputSchema, but its answer has no structuredContent.',
  );
  fails(
    'another kind of content than expected',
    { tool: 'wrong_block', expect: { content: ['text'] } },
    'content',
    'The content is hologram; expected text.',
  );
  fails(
    'a text block without text',
    { tool: 'block_without_text' },
    'form',
    '$.content[0].text is missing; MCP wants a text there.',
  );
  fails('a result without content', { tool: 'no_content' }, 'form', '$.content is missing; MCP wants a list there.');
  fails(
    'progress that goes back',
    { tool: 'backward_progress' },
    'progress',
    'Progress went from 3 to 2; it has to increase with every notification.',
  );
  fails(
    'a text that was cut',
    {
      tool: 'cuts_long_input',
      arguments: { text: 'x'.repeat(2000) },
      expect: { fields: { '$.content[0].text': { length: 2000 } } },
    },
    'field',
    says('has the length 1000; expected 2000.'),
  );
  fails(
    'more memory than allowed',
    { tool: 'memory_hog', isolation: 'case', arguments: { megabytes: 64 }, expect: { memory: '32MB' } },
    'memory',
    says('32 MB are allowed.'),
  );
  fails(
    'more time than allowed',
    { tool: 'burns_cpu', arguments: { ms: 40 }, expect: { latency: 1 } },
    'latency',
    says('1 ms are allowed.'),
  );
  fails(
    'an error that was not expected',
    { request: 'resources/list' },
    'error',
    'The server answered with the error -32601: "Method not found"; expected a result without error.',
  );
  fails(
    'a result where an error was expected',
    { ...judged, expect: { error: true } },
    'error',
    'The server answered with a result, "hi"; expected an error.',
  );
  fails(
    'a value that cannot be captured',
    { ...judged, capture: { id: '$.id' } },
    'capture',
    'id cannot be captured: $.id finds nothing in the answer.',
  );
});

describe('an answer that is none is told as what it is:', () => {
  it.each([
    ['a result that is no object', 'malformed_answer', 'its result is a list and no object.'],
    ['an error without a code', 'error_without_code', 'its error has no code that is a whole number.'],
    ['another version of JSON-RPC', 'old_jsonrpc', 'it does not say "jsonrpc": "2.0".'],
    ['half a line of JSON', 'broken_json', 'the server answered with a line that is no valid JSON.'],
  ])('%s', (_what, tool, words) => {
    const message = `There was no answer: The MCP server gave a malformed answer: ${words}`;
    expect(broken.reportOf(tool).findings).toEqual([{ kind: 'no_answer', code: 'SERVER_FAILED', message }]);
  });
  for (const tool of ['malformed_answer', 'error_without_code', 'old_jsonrpc', 'broken_json']) {
    broken.add(tool, { tool });
  }

  fails(
    'silence',
    { tool: 'never_answers', timeout: shortMs },
    'no_answer',
    `There was no answer: The MCP server did not answer within ${shortMs} ms.`,
    has({ findings: [{ code: 'TIMEOUT' }] }),
  );
  fails(
    'the end of the server in the midst of a call',
    { tool: 'dies' },
    'no_answer',
    'There was no answer: The MCP server node ended with exit code 3 before it answered.',
    has({ findings: [{ code: 'SERVER_FAILED' }], stderr: ['something is very wrong'] }),
  );
  fails(
    'an output that was closed',
    { tool: 'closes_its_output', isolation: 'case' },
    'no_answer',
    'There was no answer: The MCP server node closed its output, and was ended.',
  );
});

describe('a case', () => {
  const dying = 'the end of the server in the midst of a call';
  broken.add('is skipped', { ...judged, depends_on: dying });
  broken.add('is flaky', { tool: 'fails_every_other_time', retry: 1 });
  broken.add('is asked', { tool: 'asks', expect: { text: { contains: '-32601' } } });
  broken.add('leaves a child', { tool: 'leaves_a_child', capture: { child: '$.content[0].text' } });

  it('that depends on one that failed is skipped, with the reason', () => {
    const reason = `it depends on "${dying}", which failed`;
    expect(broken.reportOf('is skipped')).toMatchObject({ status: 'skipped', reason });
  });
  it('that passes when it is tried again is flaky', () => {
    expect(broken.reportOf('is flaky')).toMatchObject({ status: 'passed', isFlaky: true, attempts: 2 });
  });
  fails(
    'that fails every other time is flaky, and fails',
    { tool: 'fails_every_other_time', repeat: 4 },
    'error',
    'The tool says that it failed: "not this time"; expected a result without error.',
    has({ isFlaky: true, runs: 4, failedRuns: 2 }),
  );
  fails(
    'that fails under load tells how often',
    { tool: 'fails_every_other_time', load: { clients: 2, count: 8 } },
    'load',
    '4 of 8 calls failed; none may.',
    has({ load: { calls: 8, errors: 4 } }),
  );
  fails(
    'whose setup fails is not tried',
    { ...judged, setup: [{ tool: 'no_content' }] },
    'setup',
    'setup, step 1: $.content is missing; MCP wants a list there.',
    (report) => expect(report).not.toHaveProperty('request'),
  );
  fails(
    'whose teardown fails has failed',
    { ...judged, teardown: [{ name: 'clean up', tool: 'no_content' }] },
    'teardown',
    says('$.content is missing; MCP wants a list there.'),
  );
  it('in which the server asks the client is answered as by a client that cannot be asked', () => {
    expect(broken.reportOf('is asked').status).toBe('passed');
  });
  it('that starts a process leaves none behind', () => {
    const child = Number(broken.reportOf('leaves a child').values?.child);
    expect(child).toBeGreaterThan(0);
    expect(isAlive(child)).toBe(false);
  });
});

describe('a validator that breaks costs its own case alone:', () => {
  const validators = [
    ['an endless loop', { script: 'while True: pass', timeout: shortMs }, 'TIMEOUT', `longer than ${shortMs} ms`],
    ['a crash', 'import os\nos.abort()', 'PROCESS_FAILED', 'The process of the call was ended by SIGABRT'],
    ['a syntax error', 'x = 1\ndef f(:', 'SYNTAX_ERROR', 'The validator cannot be parsed: invalid syntax', 2],
    ['an exception', 'x = 1\n{}["a"]', 'EXCEPTION', "The validator raised KeyError: 'a'", 2],
    ['a module that is not there', 'import nothing_there', 'IMPORT_ERROR', "No module named 'nothing_there'", 1],
    ['too much memory', 'x = b"x" * (1 << 40)', 'MEMORY_LIMIT', 'asked for more memory than allowed.', 1],
    ['no such function', { script: 'def one(): pass', function: 'won' }, 'UNKNOWN_TOOL', 'There is no function'],
    ['a file that it may not read', 'open("/etc/passwd")', 'PERMISSION_DENIED', '/etc/passwd', 1],
    ['a request that it does not like', { script: 'fail("no")', when: 'before' }, undefined, 'no', 1],
  ] as const;
  for (const [what, validate, code, words, line] of validators) {
    fails(what, { ...judged, validate }, 'validator', says(words), ({ findings: [finding] }) => {
      expect(finding?.code).toBe(code);
      if (line !== undefined) expect(finding?.line).toBe(line);
    });
  }
});

describe('built-in checks find', () => {
  it.each([
    ['schemas', 'invalid_schema has an inputSchema whose type is "objekt"; it has to be "object" (rule input_schema).'],
    ['schemas', '"bad name!" has an empty description (rule description).'],
    ['schemas', '"bad name!" has a name that is not made of 1 to 128 letters'],
    ['idempotence of changes_its_mind', 'gave another answer to the same call.'],
    ['arguments of accepts_anything', 'without the required count was taken as if nothing were wrong.'],
    ['arguments of accepts_anything', 'with a text as count was taken as if nothing were wrong.'],
    ['unknown', 'A call of no_such_tool, which does not exist, was answered as if it had worked.'],
    ['cancellation of answers_after_cancel', 'was cancelled, and answered all the same'],
    ['unicode', 'A text of letters with accents came back changed.'],
    ['parallel', 'Of 4 calls of confused_by_parallel at once, one got an answer without its text.'],
  ])('%s: %s', (check, words) => {
    finds(broken.reportOf(`check: ${check}`), 'check', words);
  });

  it('large: a server that does not bear the argument', () => {
    finds(broken.reportOf('check: large of dies'), 'no_answer', 'with 1000 bytes in code got no answer.');
  });

  it('restart: tools that are others with every start', () => {
    const isNew = expect.arrayContaining([expect.stringMatching(/^new_with_start_/)]);
    expect(broken.reportOf('check: restart')).toMatchObject({
      status: 'failed',
      findings: [
        { expected: isNew, actual: isNew },
        { expected: isNew, actual: isNew },
      ],
    });
  });
});

describe('a server as a whole is found out:', () => {
  const modes = ['silent', 'dies', 'odd', 'future', 'chatty'] as const;
  const inMode = new Map<string, SuiteReport>();
  beforeAll(async () => {
    const runs = modes.map(async (mode) => {
      const server = { ...brokenServer(mode), ...(mode === 'silent' && { start_timeout: shortMs }) };
      inMode.set(mode, await runOnce({ version: 1, server, cases: [{ name: 'healthy', ...judged }] }));
    });
    await Promise.all(runs);
  });
  const reportIn = (mode: (typeof modes)[number], id: string) =>
    caseOf(inMode.get(mode) ?? expect.fail(`there is no report of ${mode}`), id);
  broken.add('writes garbage', { tool: 'garbage', expect: { text: 'clean' } });
  broken.add('is answered twice', { tool: 'answers_twice', expect: { text: 'once' } });
  broken.add('is answered for nobody', { tool: 'answers_nobody', expect: { text: 'asked' } });

  it.each([
    ['capabilities', 'The server does not declare the capability resources.subscribe.'],
    ['crash', 'The MCP server node ended with exit code 3 before it answered'],
    ['crash', 'The MCP server node closed its output, and was ended'],
    ['stdout', 'to standard output that are no messages'],
    ['answers', 'The server answered a request twice; a request has one answer.'],
    ['answers', 'The server gave an answer with an id that no request had; an answer has the id of its request.'],
  ])('%s: %s', (kind, words) => {
    finds(broken.reportOf('the server behaves'), kind, words);
  });

  it('what it wrote between its messages is told, and fails no case', () => {
    for (const id of ['writes garbage', 'is answered twice', 'is answered for nobody'])
      expect(broken.reportOf(id).status).toBe('passed');
    const { noise } = broken.report.server;
    expect(noise).toEqual(expect.arrayContaining(['Loading the model...', '{"half":']));
    expect(noise).not.toContainEqual(says('"text":"twice"'));
  });

  it.each([
    ['silent', 'never introduces itself', `did not introduce itself within ${shortMs} ms, and was given up`],
    ['dies', 'ends at its start', 'The MCP server node ended with exit code 2 before it answered'],
    ['odd', 'has no name', 'The MCP server introduced itself in a form that MCP does not know'],
    ['future', 'speaks an unknown version', 'The MCP server speaks version "3026-01-01" of the protocol'],
  ] as const)('%s: it %s, and its cases are skipped', (mode, _what, words) => {
    finds(reportIn(mode, 'the server starts'), 'server', words);
    const reason = 'the server could not be started';
    expect(reportIn(mode, 'healthy')).toMatchObject({ status: 'skipped', reason });
  });

  it('dies: its last words are told', () => {
    expect(reportIn('dies', 'the server starts').findings[0]?.detail).toBe('the database is not there');
  });

  it('chatty: it writes to its output before anything is asked, and its cases pass all the same', () => {
    finds(reportIn('chatty', 'the server behaves'), 'stdout', 'a line to standard output that is no message');
    expect(reportIn('chatty', 'healthy').status).toBe('passed');
  });
});

describe('the suite of a broken server', () => {
  broken.add('healthy', { ...judged, expect: { text: 'hi' }, validate: 'assert text() == "hi"' });

  it('goes on to its end: a healthy case passes after all that', () => {
    expect(broken.reportOf('healthy')).toMatchObject({ status: 'passed', findings: [] });
    const { cases } = broken.report;
    expect(cases.filter(({ kind }) => kind !== 'check').at(-1)?.id).toBe('healthy');
  });

  it('tells what it counted', () => {
    const { outcome, totals, cases, server } = broken.report;
    expect(outcome).toBe('failed');
    expect(totals).toMatchObject({ cases: cases.length, skipped: 1, flaky: 2 });
    expect(server.crashes.map(({ during }) => during)).toEqual([
      'the end of the server in the midst of a call',
      'an output that was closed',
      'check: large of dies',
    ]);
  });
});
