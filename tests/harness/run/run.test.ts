import { describe, expect, it } from 'vitest';
import type { RunEvent } from '../../../src/harness/report.js';
import { reportSchema } from '../../../src/harness/report.js';
import type { Outcome } from '../../../src/testedserver.js';
import type { JsonObject, Tool } from '../../../src/toolbox.js';
import { type FakeScript, fakeOpen } from '../fakes.js';
import { runFake } from './harness.js';

const echo: Tool = { name: 'echo', inputSchema: { type: 'object' } };
const echoes = { tools: [echo] };
const opening = (script: FakeScript) => fakeOpen(script);
const say = (text: string): Outcome => ({ kind: 'result', result: { content: [{ type: 'text', text }] } });
const refuse = (text: string): Outcome => ({
  kind: 'result',
  result: { content: [{ type: 'text', text }], isError: true },
});

function echoCase(name: string, more: JsonObject = {}) {
  return { name, tool: 'echo', ...more };
}

describe('A suite', () => {
  it('passes where all cases do, in a report of the published form', async () => {
    const { report } = await runFake({ cases: [echoCase('one'), echoCase('two')] }, fakeOpen(echoes));
    expect(report).toMatchObject({ outcome: 'passed', totals: { cases: 2, passed: 2, failed: 0 } });
    expect(reportSchema.parse(JSON.parse(JSON.stringify(report)))).toEqual(JSON.parse(JSON.stringify(report)));
  });

  it('reports cases in the order of the file, whichever ended first', async () => {
    const open = opening({
      ...echoes,
      async call(_name, { wait }) {
        for (let left = Number(wait); left > 0; left--) await new Promise((resolve) => setImmediate(resolve));
        return say('done');
      },
    });
    const waits = [30, 20, 10, 0];
    const cases = waits.map((wait) => echoCase(`waits ${wait}`, { arguments: { wait } }));
    const { report } = await runFake({ parallel: 4, cases }, open);
    expect(report.suites[0]?.cases.map(({ id }) => id)).toEqual(waits.map((wait) => `waits ${wait}`));
  });

  it('tells what happens while it happens', async () => {
    const events: RunEvent[] = [];
    await runFake({ cases: [echoCase('one')] }, fakeOpen(echoes), { onEvent: (event) => void events.push(event) });
    expect(events.map(({ type }) => type)).toEqual([
      'suite-started',
      'server-started',
      'case-started',
      'case-finished',
      'suite-finished',
    ]);
  });

  it('closes every server that it opened', async () => {
    const open = fakeOpen(echoes);
    await runFake({ isolation: 'case', cases: [echoCase('one'), echoCase('two')] }, open);
    expect(open.servers.map(({ isOver }) => isOver)).toEqual([true, true]);
  });

  it('without cases passes, and starts the server to see that it can be', async () => {
    const open = fakeOpen(echoes);
    const { report } = await runFake({}, open);
    expect([report.outcome, open.servers.length]).toEqual(['passed', 1]);
  });
});

describe('Servers', () => {
  it('are shared by cases unless said otherwise', async () => {
    const open = fakeOpen(echoes);
    await runFake({ cases: [echoCase('one'), echoCase('two')] }, open);
    expect(open.servers).toHaveLength(1);
  });

  it('belong to one case alone where a case says so', async () => {
    const open = fakeOpen(echoes);
    await runFake({ cases: [echoCase('one'), echoCase('two', { isolation: 'case' }), echoCase('three')] }, open);
    expect(open.servers).toHaveLength(2);
  });

  it('that die in a call are started again, and the report says when and how', async () => {
    const open = opening({
      ...echoes,
      stderr: ['out of patience'],
      call: (_name, { die }, { server }) => {
        if (die) server.die('The MCP server ended with exit code 3');
        return say('fine');
      },
    });
    const cases = [echoCase('one'), echoCase('dies', { arguments: { die: true } }), echoCase('two')];
    const { report, statuses, findingsOf } = await runFake({ cases }, open);
    expect(statuses).toEqual({ one: 'passed', dies: 'failed', two: 'passed', 'the server behaves': 'failed' });
    expect(findingsOf('dies')[0]).toContain('exit code 3');
    expect(report.suites[0]?.server).toMatchObject({
      starts: 2,
      crashes: [{ during: 'dies', message: 'The MCP server ended with exit code 3', stderr: ['out of patience'] }],
    });
  });

  it('are quoted only with what they wrote during the case that failed', async () => {
    const open = opening({
      ...echoes,
      call: (_name, { words }, { server }) => {
        if (typeof words === 'string') server.words.push(words);
        return refuse('no');
      },
    });
    const cases = [
      echoCase('loud', { arguments: { words: 'KeyError' } }),
      echoCase('silent'),
      echoCase('alone', { arguments: { words: 'of its own' }, isolation: 'case' }),
    ];
    const { report } = await runFake({ cases }, open);
    const quoted = report.suites[0]?.cases.slice(0, 3).map(({ name, stderr }) => [name, stderr]);
    expect(quoted).toEqual([
      ['loud', ['KeyError']],
      ['silent', undefined],
      ['alone', ['of its own']],
    ]);
  });

  it('that cannot be started are told once, and the cases are skipped', async () => {
    const { report, statuses } = await runFake({ cases: [echoCase('one'), echoCase('two')] }, async () => {
      throw new Error('there is no such program');
    });
    expect(statuses).toEqual({ 'the server starts': 'failed', one: 'skipped', two: 'skipped' });
    expect(report.outcome).toBe('failed');
  });

  it('that write to standard output what is no message fail the suite', async () => {
    const { findingsOf } = await runFake({ cases: [echoCase('one')] }, opening({ ...echoes, noise: ['Listening…'] }));
    expect(findingsOf('the server behaves')).toEqual([expect.stringContaining('wrote a line to standard output')]);
  });

  it('may write what they like where the suite says so', async () => {
    const suite = { checks: { stdout: false }, cases: [echoCase('one')] };
    const { statuses } = await runFake(suite, opening({ ...echoes, noise: ['Listening…'] }));
    expect(statuses).toEqual({ one: 'passed' });
  });

  it('have to declare the capabilities that the suite expects', async () => {
    const introduction = { capabilities: { tools: { listChanged: true } } };
    const suite = { capabilities: ['tools', 'tools.listChanged', 'resources.subscribe'] };
    const { findingsOf } = await runFake(suite, opening({ ...echoes, introduction }));
    expect(findingsOf('the server behaves')).toEqual([
      'The server does not declare the capability resources.subscribe.',
    ]);
  });
});

describe('Cases', () => {
  it('wait for those that they depend on, and are skipped where one of these did not pass', async () => {
    const cases = [
      echoCase('last', { depends_on: ['middle'] }),
      echoCase('middle', { depends_on: 'first' }),
      echoCase('first', { expect: { text: 'something else' } }),
      echoCase('apart'),
    ];
    const { statuses, caseOf } = await runFake({ parallel: 4, cases }, fakeOpen(echoes));
    expect(statuses).toEqual({ last: 'skipped', middle: 'skipped', first: 'failed', apart: 'passed' });
    expect(caseOf('middle').reason).toBe('it depends on "first", which failed');
    expect(caseOf('last').reason).toBe('it depends on "middle", which was skipped');
  });

  it('are skipped with the reason that they give', async () => {
    const open = fakeOpen(echoes);
    const { caseOf } = await runFake({ cases: [echoCase('one', { skip: 'not yet' })] }, open);
    expect(caseOf('one')).toMatchObject({ status: 'skipped', reason: 'not yet', runs: 0 });
  });

  it('are run once for each row, with the values of the row', async () => {
    const each = [
      { word: 'a', count: 1 },
      { word: 'b', count: 2 },
    ];
    const open = fakeOpen(echoes);
    const cases = [
      { name: 'says {{ word }}', tool: 'echo', arguments: { word: '{{ word }}', count: '{{ count }}' }, each },
    ];
    const { report } = await runFake({ cases }, open);
    expect(report.totals.passed).toBe(2);
    const calls = open.servers[0]?.requests.filter(({ method }) => method === 'tools/call');
    expect(calls?.map(({ params }) => params.arguments)).toEqual(each);
  });

  it('use what was captured before them', async () => {
    const cases = [
      echoCase('makes', { arguments: { id: 'user-17' }, capture: { user: '$.structuredContent.id' } }),
      echoCase('uses', {
        arguments: { found: 'it is {{ user }}' },
        depends_on: 'makes',
        expect: { text: { contains: 'it is user-17' } },
      }),
    ];
    expect((await runFake({ cases }, fakeOpen(echoes))).report.outcome).toBe('passed');
  });

  it('that use what a case captures wait for it, and are skipped where it failed', async () => {
    const open = fakeOpen(echoes);
    const cases = [
      echoCase('makes', { capture: { user: '$.structuredContent.nothing' } }),
      echoCase('uses', { arguments: { found: '{{ user }}' } }),
    ];
    const { caseOf } = await runFake({ cases }, open);
    expect(caseOf('uses').reason).toBe('it depends on "makes", which failed');
  });

  it('that name a part of a value which is not there fail, and send nothing', async () => {
    const open = fakeOpen(echoes);
    const cases = [echoCase('uses', { arguments: { found: '{{ user.name }}' } })];
    const { findingsOf } = await runFake({ variables: { user: { id: 1 } }, cases }, open);
    expect(findingsOf('uses')).toEqual([expect.stringContaining('user.name')]);
    expect(open.servers[0]?.requests.filter(({ method }) => method === 'tools/call')).toEqual([]);
  });

  it('that fail are tried again as often as they may be, and are flaky where one try passes', async () => {
    let tries = 0;
    const open = opening({ ...echoes, call: () => (++tries < 3 ? refuse('busy') : say('fine')) });
    const { caseOf, report } = await runFake({ cases: [echoCase('one', { retry: 3 })] }, open);
    expect(caseOf('one').earlierFindings).toMatchObject([{ kind: 'error' }]);
    expect(caseOf('one')).toMatchObject({ status: 'passed', attempts: 3, isFlaky: true, findings: [] });
    expect(report.totals.flaky).toBe(1);
  });

  it('are repeated as often as they say, and pass where all runs do', async () => {
    let calls = 0;
    const open = opening({ ...echoes, call: () => (++calls % 3 === 0 ? refuse('every third') : say('fine')) });
    const { caseOf } = await runFake({ cases: [echoCase('one', { repeat: 9 })] }, open);
    expect(caseOf('one')).toMatchObject({ status: 'failed', runs: 9, failedRuns: 3, isFlaky: true });
    expect(caseOf('one').findings).toHaveLength(1);
  });

  it('are repeated as often as the run says instead', async () => {
    const { caseOf } = await runFake({ cases: [echoCase('one', { repeat: 2 })] }, fakeOpen(echoes), { repeat: 5 });
    expect(caseOf('one').runs).toBe(5);
  });

  it('that get no answer fail with the code, and the others go on', async () => {
    const open = opening({ ...echoes, call: (_name, { hang }) => (hang ? new Promise(() => {}) : say('fine')) });
    const cases = [echoCase('hangs', { arguments: { hang: true }, timeout: 20 }), echoCase('next')];
    const { caseOf, statuses } = await runFake({ cases }, open);
    expect(statuses).toEqual({ hangs: 'failed', next: 'passed' });
    expect(caseOf('hangs').findings).toEqual([expect.objectContaining({ kind: 'no_answer', code: 'TIMEOUT' })]);
  });

  it('read all pages of a list', async () => {
    const open = opening({
      ...echoes,
      introduction: { capabilities: { prompts: {} } },
      request: (method, { cursor }) => {
        if (method !== 'prompts/list') return undefined;
        const first: JsonObject = { prompts: [{ name: 'a' }], nextCursor: '2' };
        return { kind: 'result', result: cursor === undefined ? first : { prompts: [{ name: 'b' }] } };
      },
    });
    const cases = [{ name: 'lists', list: 'prompts' as const, expect: { fields: { '$.prompts': { length: 2 } } } }];
    expect((await runFake({ cases }, open)).report.outcome).toBe('passed');
  });
});

describe('Steps', () => {
  it('of a case go before and after it, whatever became of it', async () => {
    const open = fakeOpen(echoes);
    const cases = [
      echoCase('one', {
        arguments: { at: 'main' },
        expect: { text: 'never' },
        setup: [{ tool: 'echo', arguments: { at: 'before' } }],
        teardown: [{ tool: 'echo', arguments: { at: 'after' } }],
      }),
    ];
    const { statuses } = await runFake({ cases }, open);
    const calls = open.servers[0]?.requests.filter(({ method }) => method === 'tools/call');
    expect(calls?.map(({ params }) => params.arguments)).toEqual([{ at: 'before' }, { at: 'main' }, { at: 'after' }]);
    expect(statuses).toEqual({ one: 'failed' });
  });

  it('that fail before a case keep it from being run, and say which step it was', async () => {
    const open = fakeOpen(echoes);
    const setup = [{ name: 'make room', tool: 'echo', expect: { text: 'never' } }];
    const { findingsOf } = await runFake({ cases: [echoCase('one', { setup })] }, open);
    expect(findingsOf('one')).toEqual([expect.stringMatching(/^setup, make room: /)]);
    expect(open.servers[0]?.requests.filter(({ method }) => method === 'tools/call')).toHaveLength(1);
  });

  it('of a suite that fail keep all cases from being run; what cleans up still runs', async () => {
    const open = fakeOpen(echoes);
    const setup = [{ tool: 'echo', expect: { error: true } }];
    const teardown = [{ tool: 'echo', arguments: { at: 'end' } }];
    const { statuses } = await runFake({ setup, teardown, cases: [echoCase('one')] }, open);
    expect(statuses).toEqual({ setup: 'failed', one: 'skipped' });
    expect(open.servers[0]?.requests.at(-1)?.params.arguments).toEqual({ at: 'end' });
  });
});

describe('Validators', () => {
  it('see request, answer and metadata, and their findings fail the case', async () => {
    const seen: unknown[] = [];
    const validators = {
      look: (context: JsonObject) => {
        seen.push(context);
        return { findings: [{ kind: 'validator', message: 'not good' }] };
      },
    };
    const cases = [echoCase('one', { arguments: { a: 1 }, validate: 'look' })];
    const { findingsOf, caseOf } = await runFake({ cases }, fakeOpen(echoes), { validators });
    expect(findingsOf('one')).toEqual(['not good']);
    expect(caseOf('one').validators).toEqual([expect.objectContaining({ phase: 'after', passed: false })]);
    expect(seen).toEqual([
      {
        request: { method: 'tools/call', params: { name: 'echo', arguments: { a: 1 } } },
        response: expect.objectContaining({ structuredContent: { a: 1 } }),
        metadata: expect.objectContaining({
          test_name: 'one',
          tool_name: 'echo',
          server_info: expect.objectContaining({ name: 'fake', version: '1.0.0' }),
          phase: 'after',
        }),
      },
    ]);
  });

  it('before a request may keep it from being sent', async () => {
    const open = fakeOpen(echoes);
    const validators = { no: () => ({ findings: [{ kind: 'validator', message: 'not now' }] }) };
    const cases = [echoCase('one', { validate: { script: 'no', when: 'before' } })];
    const { findingsOf } = await runFake({ cases }, open, { validators });
    expect(findingsOf('one')).toEqual(['not now']);
    expect(open.servers[0]?.requests.filter(({ method }) => method === 'tools/call')).toEqual([]);
  });

  it('before a request may give values to it', async () => {
    const validators = { give: () => ({ values: { token: 'value(' } }) };
    const cases = [
      echoCase('one', {
        arguments: { token: '{{ token }}' },
        validate: { script: 'give', when: 'before' },
        expect: { data: { '$.token': 'value(' } },
      }),
    ];
    const suite = { variables: { token: 'unset' }, cases };
    expect((await runFake(suite, fakeOpen(echoes), { validators })).report.outcome).toBe('passed');
  });

  it('on both sides run twice', async () => {
    const phases: unknown[] = [];
    const validators = {
      both: (context: JsonObject) => {
        phases.push((context.metadata as JsonObject).phase);
        return {};
      },
    };
    await runFake({ cases: [echoCase('one', { validate: { script: 'both', when: 'both' } })] }, fakeOpen(echoes), {
      validators,
    });
    expect(phases).toEqual(['before', 'after']);
  });
});

describe('A run', () => {
  const cases = [
    echoCase('adds numbers', { tags: ['math'] }),
    echoCase('adds words', { tags: ['text'], depends_on: 'adds numbers' }),
    echoCase('greets', { tags: ['text', 'slow'] }),
  ];

  it.each([
    ['part of a name', { filter: 'GREET' }, ['greets']],
    ['a pattern', { filter: '/^adds n/' }, ['adds numbers']],
    ['a tag', { tags: ['slow'] }, ['greets']],
    ['a tag, with what its cases depend on', { tags: ['text'] }, ['adds numbers', 'adds words', 'greets']],
  ])('takes cases by %s', async (_name, options, ids) => {
    const { report } = await runFake({ cases }, fakeOpen(echoes), options);
    expect(report.suites[0]?.cases.map(({ id }) => id)).toEqual(ids);
  });

  it('refuses a filter that is no pattern', async () => {
    await expect(runFake({ cases }, fakeOpen(echoes), { filter: '/(/' })).rejects.toMatchObject({
      code: 'INVALID_ARGUMENTS',
    });
  });

  it('ends after so many failures, and skips the rest', async () => {
    const failing = ['a', 'b', 'c'].map((name) => echoCase(name, { expect: { text: 'never' } }));
    const { statuses } = await runFake({ cases: failing }, fakeOpen(echoes), { bail: 2 });
    expect(statuses).toEqual({ a: 'failed', b: 'failed', c: 'skipped' });
  });

  it('that is interrupted gives up what is under way, skips the rest and says so', async () => {
    const controller = new AbortController();
    const open = opening({
      ...echoes,
      call: () => {
        controller.abort();
        return new Promise(() => {});
      },
    });
    const { report, statuses } = await runFake({ cases: [echoCase('one'), echoCase('two')] }, open, {
      signal: controller.signal,
    });
    expect(report.outcome).toBe('interrupted');
    expect(statuses).toMatchObject({ two: 'skipped' });
    expect(open.servers.every(({ isOver }) => isOver)).toBe(true);
  });

  it('shows nothing that is secret, wherever the server says it', async () => {
    const told: RunEvent[] = [];
    const open = opening({ ...echoes, stderr: ['s3cret'], call: () => refuse('my s3cret') });
    const failing = [echoCase('tells', { arguments: { given: 's3cret' }, expect: { text: { contains: 's3cret' } } })];
    const { report } = await runFake({ cases: failing }, open, { onEvent: (event) => void told.push(event) });
    expect(report.outcome).toBe('failed');
    expect(JSON.stringify([report, told])).not.toContain('s3cret');
  });

  it('measures each tool', async () => {
    const { report } = await runFake({ cases }, fakeOpen(echoes));
    expect(report.suites[0]?.measures.tools).toEqual([
      expect.objectContaining({ tool: 'echo', calls: 3, failures: 0, latency: expect.objectContaining({ count: 3 }) }),
    ]);
  });
});
