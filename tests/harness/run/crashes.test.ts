import { describe, expect, it } from 'vitest';
import type { TestedServer } from '../../../src/testedserver.js';
import type { Tool } from '../../../src/toolbox.js';
import { type FakeScript, FakeServer, fakeOpen, fakeOpenEach, fakeTool, says } from '../fakes.js';
import { runFake } from './harness.js';

const tools = [fakeTool('work')];
const works = (name: string, more: object = {}) => ({ name, tool: 'work', arguments: { name }, ...more });
const diesIn = (...names: readonly string[]): FakeScript => ({
  tools,
  call(_tool, { name }, { server }) {
    if (names.includes(String(name))) server.die('The MCP server ended');
    return says('done');
  },
});

describe('A crash', () => {
  it('is told of the case that was under way, although all of the server is gone only later', async () => {
    const { report } = await runFake({ cases: [works('one'), works('two'), works('three')] }, goneLate('one'));
    expect(report.suites[0]?.server.crashes).toMatchObject([{ during: 'one' }]);
  });

  it('of the last case starts nothing again, and the report does not say so', async () => {
    const open = fakeOpen(diesIn('one'));
    const { findingsOf } = await runFake({ cases: [works('one')] }, open);
    expect(findingsOf('the server behaves')).toEqual(['The MCP server ended (during one).']);
    expect(open.servers).toHaveLength(1);
  });

  it('that another case follows says that the server was started again', async () => {
    const { findingsOf } = await runFake({ cases: [works('one'), works('two')] }, fakeOpen(diesIn('one')));
    expect(findingsOf('the server behaves')).toEqual(['The MCP server ended (during one). It was started again.']);
  });

  it('of the server that was asked for its tools leaves no outputSchema unchecked', async () => {
    const strict: Tool = { ...fakeTool('work'), outputSchema: { type: 'object', required: ['sum'] } };
    const open = fakeOpenEach((number) => ({
      tools: [strict],
      request: (method, _params, { server }) => {
        if (method === 'tools/list' && number === 0) server.die('The MCP server ended');
        return undefined;
      },
    }));
    const { statuses } = await runFake({ cases: [works('one'), works('two')] }, open);
    expect(statuses).toMatchObject({ two: 'failed' });
  });
});

describe('A server that cannot be started', () => {
  it('is given up after some cases that have one each', async () => {
    let tries = 0;
    const cases = Array.from({ length: 20 }, (_, index) => works(`case ${index}`));
    const { report } = await runFake({ isolation: 'case', cases }, async () => {
      tries += 1;
      throw new Error('there is no such program');
    });
    expect([report.totals.failed, tries < 5]).toEqual([20, true]);
  });
});

describe('What goes wrong within the harness', () => {
  it('is the failure of that case, and the others go on', async () => {
    const broken = {
      breaks: () => {
        throw new Error('out of luck');
      },
    };
    const cases = [works('one', { validate: 'breaks' }), works('two')];
    const { statuses, findingsOf } = await runFake({ parallel: 2, cases }, fakeOpen({ tools }), { validators: broken });
    expect(statuses).toEqual({ one: 'failed', two: 'passed' });
    expect(findingsOf('one')).toEqual([expect.stringContaining('out of luck')]);
  });
});

/** Its connection is over at once; its last process, only when it is closed. */
function goneLate(name: string) {
  const inner = fakeOpen(diesIn(name));
  return async (): Promise<TestedServer> => {
    const server = await inner();
    let finish = () => {};
    const late = new Promise<void>((resolve) => {
      finish = resolve;
    });
    const all = server.ended;
    const ended = late.then(() => all);
    const close = async () => {
      await FakeServer.prototype.close.call(server);
      finish();
      await ended;
    };
    return Object.defineProperties(server, { ended: { value: ended }, close: { value: close } });
  };
}
