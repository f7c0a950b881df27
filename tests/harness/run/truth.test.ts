import { describe, expect, it } from 'vitest';
import type { Tool } from '../../../src/toolbox.js';
import { fakeOpen, fakeTool, result, rpcError, silence } from '../fakes.js';
import { runFake } from './harness.js';

const strict: Tool = { ...fakeTool('strict'), outputSchema: { type: 'object', required: ['sum'] } };

describe('The outputSchema of a tool', () => {
  it('is held to where the name of the tool is a value', async () => {
    const cases = [{ name: 'calls {{ which }}', each: [{ which: 'strict' }], tool: '{{ which }}' }];
    const { statuses, report } = await runFake({ cases }, fakeOpen({ tools: [strict] }));
    expect(statuses).toEqual({ 'calls strict': 'failed' });
    expect(report.suites[0]?.measures.tools).toMatchObject([{ tool: 'strict' }]);
    expect(report.suites[0]?.cases[0]?.target).toBe('strict');
  });

  it('is held to under load', async () => {
    const cases = [{ name: 'loads', tool: 'strict', load: { clients: 1, count: 1 } }];
    const { statuses } = await runFake({ cases }, fakeOpen({ tools: [strict] }));
    expect(statuses).toEqual({ loads: 'failed' });
  });

  it('that could not be asked for is told', async () => {
    const open = fakeOpen({
      tools: [strict],
      request: (method) => (method === 'tools/list' ? rpcError(-32603, 'not now') : undefined),
    });
    const { report } = await runFake({ cases: [{ name: 'calls', tool: 'strict' }] }, open);
    expect(report.suites[0]?.notes).toEqual([expect.stringMatching(/outputSchema.*not now/)]);
  });
});

describe('A list', () => {
  const lists = { cases: [{ name: 'lists', list: 'tools' as const }] };

  it.each([
    ['the same cursor again', 'again'],
    ['a cursor that is no text', 5],
  ])('fails with %s', async (_what, nextCursor) => {
    const open = fakeOpen({ request: () => result({ tools: [], nextCursor }) });
    const { findingsOf } = await runFake(lists, open);
    expect(findingsOf('lists')).toEqual([expect.stringContaining('nextCursor')]);
  });

  it('of something else fails', async () => {
    const { statuses } = await runFake(lists, fakeOpen({ request: () => result({ prompts: [] }) }));
    expect(statuses).toEqual({ lists: 'failed' });
  });
});

describe('What is captured', () => {
  it('may be taken from an error that was expected', async () => {
    const open = fakeOpen({ call: () => rpcError(-32000, 'ticket 17') });
    const cases = [
      { name: 'fails', request: 'tools/call', expect: { error: true }, capture: { ticket: { text: 'ticket (.*)' } } },
    ];
    const { caseOf } = await runFake({ cases }, open);
    expect(caseOf('fails').values).toEqual({ ticket: '17' });
  });

  it('is compared with, whatever keys it has', async () => {
    const open = fakeOpen({
      tools: [fakeTool('make'), fakeTool('use')],
      call: (name) => result({ content: [], structuredContent: { it: name === 'make' ? { exists: true } : 5 } }),
    });
    const cases = [
      { name: 'makes', tool: 'make', capture: { it: { data: '$.it' } } },
      { name: 'uses', tool: 'use', expect: { data: { '$.it': '{{ it }}' } } },
    ];
    const { statuses } = await runFake({ cases }, open);
    expect(statuses).toEqual({ makes: 'passed', uses: 'failed' });
  });

  it('is shown only as far as it is not too much', async () => {
    const validators = { says: () => ({ values: { much: 'x'.repeat(1_000_000) } }) };
    const open = fakeOpen({ tools: [fakeTool('work')] });
    const { report } = await runFake({ cases: [{ name: 'one', tool: 'work', validate: 'says' }] }, open, {
      validators,
    });
    expect(JSON.stringify(report).length).toBeLessThan(200_000);
  });
});

describe('A report', () => {
  it('has nothing that is secret, also where the server is called so, ends so or says it as a key', async () => {
    const open = fakeOpen({
      tools: [fakeTool('work')],
      introduction: { name: 's3cret', version: 's3cret' },
      noise: ['s3cret'],
      call(_name, _args, { server }) {
        setImmediate(() => server.die('s3cret'));
        return result({ content: [], structuredContent: { s3cret: 1 } });
      },
    });
    const told: unknown[] = [];
    const cases = [
      { name: 'one', tool: 'work' },
      { name: 'two', tool: 'work' },
    ];
    const { report } = await runFake({ cases }, open, { onEvent: (event) => void told.push(event) });
    expect(JSON.stringify([report, told])).not.toContain('s3cret');
  });

  it('says that capabilities were not seen where no server was started', async () => {
    const suite = {
      isolation: 'case',
      capabilities: ['tools'],
      cases: [{ name: 'one', tool: 'work', skip: 'later' }],
    } as const;
    const { statuses } = await runFake(suite, fakeOpen({}));
    expect(statuses).toEqual({ one: 'skipped', 'the server behaves': 'skipped' });
  });
});

describe('A load', () => {
  it('that is interrupted has not passed', async () => {
    const controller = new AbortController();
    const call = () => {
      controller.abort();
      return silence();
    };
    const cases = [{ name: 'loads', tool: 'work', load: { clients: 1, duration: '1h' } }];
    const open = fakeOpen({ tools: [fakeTool('work')], call });
    const { statuses } = await runFake({ cases }, open, { signal: controller.signal });
    expect(statuses).toEqual({ loads: 'skipped' });
  });
});
