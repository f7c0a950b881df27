import { describe, expect, it } from 'vitest';
import type { Outcome } from '../../../src/testedserver.js';
import { type FakeRequest, type FakeScript, fakeOpen, fakeTool, rpcError, says, silence } from '../fakes.js';
import { example, reportsOf, verdictOf } from './reports.js';

const reader = { annotations: { readOnlyHint: true } };
const echo = fakeTool('echo', { text: { type: 'string' } }, reader);
const examples = [example('echo', { text: 'hello' })];

describe('check: cancellation', () => {
  const slow = fakeTool('slow', {}, reader);
  const said = { cancellation: { tool: 'slow', after: 5, wait: 50 } };
  const given = (call: FakeScript['call'], more: FakeScript = {}) => ({
    open: fakeOpen({ tools: [slow], call, pid: 1, ...more }),
    tools: [slow],
  });

  it('passes where no answer comes, one would have come otherwise, and the server goes on', async () => {
    expect(await verdictOf(said, given(unlessCancelled))).toEqual([
      { id: 'check: cancellation of slow', status: 'passed' },
    ]);
  });

  it('fails where the call takes longer than a late answer is waited for, as nothing can be seen then', async () => {
    expect(await verdictOf(said, given(silence))).toMatchObject([
      { says: [expect.stringMatching(/^slow does not answer within 55 ms even where it is not cancelled/)] },
    ]);
    const failing = given(async (...call) => {
      await unlessCancelled(...call);
      return rpcError(-32603, 'broken');
    });
    expect(await verdictOf(said, failing)).toMatchObject([{ says: [expect.stringContaining('gives an error')] }]);
  });

  it('says of an address what cannot be seen', async () => {
    expect(await verdictOf(said, given(silence, { pid: undefined }))).toMatchObject([
      { status: 'skipped', reason: expect.stringContaining('it cannot be seen') },
    ]);
  });

  it('fails where the answer comes all the same', async () => {
    expect(await verdictOf(said, given(afterCancel))).toMatchObject([
      { says: [expect.stringMatching(/^slow was cancelled, and answered all the same \d+ ms later\.$/)] },
    ]);
  });

  it('fails where the answer comes before, or the server is over', async () => {
    expect(
      await verdictOf(
        said,
        given(() => says('done')),
      ),
    ).toMatchObject([
      { says: [expect.stringContaining('before it was cancelled at 5 ms; name a call that takes longer.')] },
    ]);
    const dying = given((_name, _args, { server }) => {
      server.die();
      return says('');
    });
    expect(await verdictOf(said, dying)).toMatchObject([{ says: [expect.stringContaining('died with exit code 1')] }]);
    const hanging = given((_name, _args, { signal, server }) => {
      signal.addEventListener('abort', () => server.die('The MCP server hung itself'));
      return silence();
    });
    expect(await verdictOf(said, hanging)).toMatchObject([
      { says: [expect.stringContaining('tools/list after a cancelled call got no answer.')] },
    ]);
  });

  it('takes the slowest passed case where nothing is said, and is skipped where none is slow', async () => {
    const both = [example('slow', { n: 1 }, 150), example('slow', { n: 2 }, 300), example('echo', {}, 5)];
    const { open, tools } = given(silence);
    expect(await verdictOf(['cancellation'], { open, tools, examples: both })).toMatchObject([{ status: 'passed' }]);
    expect(open.servers[0]?.requests[0]?.params).toEqual({ name: 'slow', arguments: { n: 2 } });
    expect(await verdictOf(['cancellation'], { ...given(silence), examples: [example('slow', {}, 20)] })).toMatchObject(
      [{ status: 'skipped', reason: expect.stringContaining('cancellation: { tool: NAME, arguments: {…} }') }],
    );
    const writes = { ...given(silence), tools: [fakeTool('slow')] };
    expect(await verdictOf(['cancellation'], { ...writes, examples: both })).toMatchObject([{ status: 'skipped' }]);
    expect(writes.open.servers).toEqual([]);
    const quick = given(() => says('done'));
    expect(await verdictOf(['cancellation'], { ...quick, examples: both })).toMatchObject([{ status: 'skipped' }]);
  });
});

describe('check: parallel', () => {
  it('gives each call a text of its own and finds it in its own answer', async () => {
    const open = fakeOpen({ tools: [echo] });
    expect(await verdictOf(['parallel'], { open, tools: [echo], examples })).toEqual([
      { id: 'check: parallel', status: 'passed', reason: '16 calls of echo at once, each with a text of its own.' },
    ]);
  });

  it('fails where answers are mixed up', async () => {
    const last: { text?: string } = {};
    const open = fakeOpen({
      tools: [echo],
      call: async (_name, { text }) => {
        last.text = String(text);
        await Promise.resolve();
        return says(last.text);
      },
    });
    const checks = { parallel: { tool: 'echo', argument: 'text', calls: 2 } };
    const [report] = await reportsOf(checks, { open, tools: [echo] });
    expect(report?.findings).toMatchObject([
      {
        message: 'Of 2 calls of echo at once, one got the answer of another call.',
        expected: '[call 1 of 2]',
        actual: '[call 2 of 2]',
      },
    ]);
  });

  it('compares with one alone where texts do not come back', async () => {
    const tool = fakeTool('version', {}, reader);
    const steady = fakeOpen({ tools: [tool], call: () => says('1.0') });
    expect(await verdictOf(['parallel'], { open: steady, tools: [tool] })).toMatchObject([
      { status: 'passed', reason: '16 calls of version at once, compared with one alone.' },
    ]);
    expect(await verdictOf(['parallel'], { open: breaksAtOnce(), tools: [tool] })).toMatchObject([
      { says: ['Of 16 calls of version at once, 15 got another answer than one alone.'] },
    ]);
  });

  it('asks no more than answers where a tool answers differently anyway', async () => {
    let turn = 0;
    const tool = fakeTool('now', {}, reader);
    const open = fakeOpen({ tools: [tool], call: () => says(String(turn++)) });
    expect(await verdictOf(['parallel'], { open, tools: [tool] })).toMatchObject([
      { status: 'passed', reason: '16 calls of now at once, whose answers may differ.' },
    ]);
  });

  it('fails where answers are lost', async () => {
    let turn = 0;
    const tool = fakeTool('push');
    const open = fakeOpen({ tools: [tool], call: () => (turn++ % 2 === 0 ? silence() : says('done')) });
    const checks = { parallel: { tool: 'push', calls: 4 } };
    expect(await verdictOf(checks, { open, tools: [tool], timeoutMs: 30 })).toMatchObject([
      { says: [expect.stringContaining('3 of 5 calls of push, most of them at once, got no answer.')] },
    ]);
  });

  it('is skipped where no tool says that it only reads', async () => {
    const tools = [fakeTool('push')];
    expect(await verdictOf(['parallel'], { open: fakeOpen({ tools }), tools })).toMatchObject([
      { status: 'skipped', reason: expect.stringContaining('say which with parallel') },
    ]);
  });
});

/** Answers right when it is asked one thing at a time. */
function breaksAtOnce() {
  let atOnce = 0;
  return fakeOpen({
    tools: [],
    call: async () => {
      atOnce += 1;
      const isAlone = atOnce === 1;
      await Promise.resolve();
      atOnce -= 1;
      return says(isAlone ? '1.0' : 'busy');
    },
  });
}

/** Takes longer than it is until the call is cancelled, and gives up where it is. */
function unlessCancelled(_name: string, _args: unknown, { signal }: FakeRequest): Promise<Outcome> {
  return new Promise((resolve) => {
    const timer = setTimeout(() => resolve(says('done')), 25);
    signal.addEventListener('abort', () => clearTimeout(timer));
  });
}

function afterCancel(_name: string, _args: unknown, { signal }: FakeRequest): Promise<Outcome> {
  return new Promise((resolve) => {
    signal.addEventListener('abort', () => setTimeout(() => resolve(says('done')), 1));
  });
}
