import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { HostError } from '../../../src/errors.js';
import { caseReportSchema } from '../../../src/harness/report.js';
import type { Tool } from '../../../src/toolbox.js';
import { fakeOpen, fakeTool, rpcError, says, silence } from '../fakes.js';
import { example, reportsOf, verdictOf } from './reports.js';

const reader = { annotations: { readOnlyHint: true } };
const echo = fakeTool('echo', { text: { type: 'string' } }, reader);

describe('checks', () => {
  it('are run in a fixed order and reported in the form of reports', async () => {
    const examples = [example('echo', { text: 'hello' })];
    const reports = await reportsOf('all', { open: fakeOpen({ tools: [echo] }), tools: [echo], examples });
    expect(reports.map(({ id, status }) => `${id}: ${status}`)).toEqual([
      'check: schemas: passed',
      'check: idempotence of echo: passed',
      'check: arguments of echo: failed',
      'check: unknown: passed',
      'check: cancellation: skipped',
      'check: large of echo: passed',
      'check: unicode: passed',
      'check: parallel: passed',
      'check: restart: skipped',
    ]);
    for (const report of reports) expect(caseReportSchema.parse(report)).toEqual(report);
    expect(reports[0]).toMatchObject({ line: 4, column: 'schemas'.length });
  });

  it('that are off, or not wanted, are not run', async () => {
    const given = { open: fakeOpen({ tools: [echo] }), tools: [echo] };
    expect(await reportsOf({ schemas: false, unknown: true }, given)).toMatchObject([{ id: 'check: unknown' }]);
    const isWanted = (id: string) => id.endsWith('unknown');
    expect(await reportsOf('all', { ...given, isWanted })).toMatchObject([{ id: 'check: unknown' }]);
  });

  it('go on with a new server after one died', async () => {
    const open = fakeOpen({
      tools: [echo],
      stderr: ['out of luck'],
      call: (name, _args, { server }) => {
        if (name === 'no_such_tool') server.die();
        return says('fine');
      },
    });
    const reports = await reportsOf(['unknown', 'schemas', 'parallel'], { open, tools: [echo] });
    expect(reports.map(({ id, status }) => `${id} ${status}`)).toEqual([
      'check: schemas passed',
      'check: unknown failed',
      'check: parallel skipped',
    ]);
    expect(reports[1]).toMatchObject({
      stderr: ['out of luck'],
      findings: [
        { kind: 'no_answer', code: 'SERVER_FAILED', message: expect.stringContaining('died with exit code 1') },
      ],
    });
    await reportsOf(['unknown', 'large'], { open, tools: [echo], examples: [example('echo', { text: 'a' })] });
    expect(open.servers.length).toBe(3);
  });

  it('say why where there is no server to be had', async () => {
    const open = () => Promise.reject(new HostError('SERVER_FAILED', 'The command none was not found'));
    const [report] = await reportsOf(['unknown'], { open, tools: [] });
    expect(report?.findings).toEqual([
      { kind: 'server', code: 'SERVER_FAILED', message: 'The command none was not found.' },
    ]);
  });

  it('survive tools of any form', async () => {
    const schemaLike = fc.record(
      {
        type: fc.oneof(fc.constant('object'), fc.jsonValue()),
        properties: fc.oneof(fc.dictionary(fc.string(), fc.jsonValue({ maxDepth: 2 })), fc.jsonValue()),
        required: fc.oneof(fc.array(fc.string()), fc.jsonValue()),
        additionalProperties: fc.boolean(),
      },
      { requiredKeys: [] },
    );
    const tool = fc.record(
      {
        name: fc.string(),
        description: fc.jsonValue(),
        inputSchema: fc.oneof(schemaLike, fc.jsonValue()),
        outputSchema: fc.jsonValue(),
        annotations: fc.oneof(fc.constant(reader.annotations), fc.jsonValue()),
        execution: fc.jsonValue(),
      },
      { requiredKeys: ['name'] },
    );
    await fc.assert(
      fc.asyncProperty(fc.array(tool, { maxLength: 3 }), async (listed) => {
        const tools = listed as unknown as readonly Tool[];
        const reports = await reportsOf('all', { open: fakeOpen({ tools }), tools, timeoutMs: 100 });
        const broken = reports.filter(({ findings }) =>
          findings.some(({ message }) => message.startsWith('The check could')),
        );
        expect(broken).toEqual([]);
      }),
      { numRuns: 60 },
    );
  });

  it('are over when the run is ended', async () => {
    const controller = new AbortController();
    const open = fakeOpen({
      tools: [echo],
      call: () => {
        controller.abort();
        return silence();
      },
    });
    const reports = await reportsOf(['unknown', 'restart'], { open, tools: [echo], signal: controller.signal });
    expect(reports).toMatchObject([{ id: 'check: unknown', status: 'skipped', runs: 0 }]);
  });
});

describe('check: unknown', () => {
  const given = (answer: Parameters<typeof fakeOpen>[0]) => ({ open: fakeOpen(answer), tools: [echo] });

  it('takes a JSON-RPC error and a result that says isError', async () => {
    expect(await verdictOf(['unknown'], given({ call: () => rpcError(-32602, 'what?') }))).toMatchObject([
      { status: 'passed' },
    ]);
    const isError = { kind: 'result', result: { content: [], isError: true } } as const;
    expect(await verdictOf(['unknown'], given({ call: () => isError }))).toMatchObject([{ status: 'passed' }]);
  });

  it('fails where the call is answered, is not answered, or is the last thing that is', async () => {
    expect(await verdictOf(['unknown'], given({ call: () => says('why not') }))).toMatchObject([
      { says: ['A call of no_such_tool, which does not exist, was answered as if it had worked.'] },
    ]);
    const silent = { ...given({ call: silence }), timeoutMs: 20 };
    expect(await verdictOf(['unknown'], silent)).toMatchObject([
      {
        says: [
          'A call of no_such_tool, which does not exist, got no answer. The MCP server did not answer within 20 ms.',
        ],
      },
    ]);
    const dying = given({
      call: () => rpcError(-32602, 'what?'),
      request: (method, _params, { server }) => {
        if (method === 'tools/list') server.die();
        return undefined;
      },
    });
    expect(await verdictOf(['unknown'], dying)).toMatchObject([
      {
        says: [
          'tools/list after the call of a tool that does not exist got no answer. The MCP server died with exit code 1.',
        ],
      },
    ]);
  });
});

describe('check: idempotence', () => {
  it('compares two answers, whatever the order of keys and what is in _meta', async () => {
    let turn = 0;
    const open = fakeOpen({
      tools: [echo],
      call: () => {
        turn += 1;
        const content = turn % 2 === 0 ? { a: 1, b: 2 } : { b: 2, a: 1 };
        return { kind: 'result', result: { content: [], structuredContent: content, _meta: { turn } } };
      },
    });
    const given = { open, tools: [echo], examples: [example('echo', { text: 'a' })] };
    expect(await verdictOf(['idempotence'], given)).toEqual([{ id: 'check: idempotence of echo', status: 'passed' }]);
  });

  it('tells where the answers differ', async () => {
    let turn = 0;
    const open = fakeOpen({ tools: [echo], call: () => says(`turn ${turn++}`) });
    const [report] = await reportsOf(['idempotence'], {
      open,
      tools: [echo],
      examples: [example('echo', { text: 'a' })],
    });
    expect(report).toMatchObject({
      status: 'failed',
      target: 'echo',
      findings: [
        {
          message:
            'echo says that it only reads, and gave another answer to the same call. Where its answers may differ, leave it out: idempotence: { except: [echo] }.',
          path: '$.content[0].text',
          detail: 'tools/call of echo with {"text":"a"}',
        },
      ],
    });
    const push = fakeTool('push');
    const named = { idempotence: { tools: ['push'], arguments: {} } };
    expect(await verdictOf(named, { open, tools: [push] })).toMatchObject([
      { says: [expect.stringMatching(/^push gave another answer to the same call\./)] },
    ]);
  });

  it('does not repeat what destroys, unless it is named', async () => {
    const wipe = fakeTool('wipe', {}, { annotations: { destructiveHint: true, idempotentHint: true } });
    const open = fakeOpen({ tools: [wipe] });
    const given = { open, tools: [wipe], examples: [example('wipe', {})] };
    expect(await verdictOf(['idempotence'], given)).toEqual([
      {
        id: 'check: idempotence',
        status: 'skipped',
        reason: 'Left out, as they may destroy something: wipe. Name them under tools to check them.',
      },
    ]);
    expect(open.servers).toEqual([]);
    expect(await verdictOf({ idempotence: { tools: ['wipe'] } }, given)).toMatchObject([{ status: 'passed' }]);
    const both = { ...given, tools: [wipe, fakeTool('now', {}, reader)] };
    expect(await verdictOf({ idempotence: { except: ['wipe'] } }, both)).toMatchObject([
      { id: 'check: idempotence of now' },
    ]);
  });

  it('is about tools that say so, calls those that only read without arguments, and tells what it left out', async () => {
    const tools = [
      echo,
      fakeTool('now', {}, reader),
      fakeTool('put', {}, { annotations: { idempotentHint: true } }),
      fakeTool('push'),
    ];
    const open = fakeOpen({ tools });
    expect(await verdictOf(['idempotence'], { open, tools })).toEqual([
      { id: 'check: idempotence of now', status: 'passed' },
      {
        id: 'check: idempotence',
        status: 'skipped',
        reason: 'Left out, as no passed case calls them with arguments: echo, put.',
      },
    ]);
    expect(await verdictOf(['idempotence'], { open, tools: [fakeTool('push')] })).toMatchObject([
      { status: 'skipped' },
    ]);
  });

  it('is about the tools that the suite names, with its arguments', async () => {
    const open = fakeOpen({ tools: [fakeTool('push')] });
    const checks = { idempotence: { tools: ['push'], arguments: { a: 1 } } };
    expect(await verdictOf(checks, { open, tools: [fakeTool('push')] })).toMatchObject([{ status: 'passed' }]);
    expect(open.servers[0]?.requests).toEqual([
      { method: 'tools/call', params: { name: 'push', arguments: { a: 1 } } },
      { method: 'tools/call', params: { name: 'push', arguments: { a: 1 } } },
    ]);
  });

  it('fails where one of the two is not answered', async () => {
    const given = { open: fakeOpen({ tools: [echo], call: silence }), tools: [echo], timeoutMs: 20 };
    expect(await verdictOf(['idempotence'], { ...given, examples: [example('echo', { text: 'a' })] })).toMatchObject([
      { says: [expect.stringContaining('The first of two equal calls got no answer')] },
    ]);
  });
});
