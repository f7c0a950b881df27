import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../../src/toolbox.js';
import { fails, fakeOpen, fakeTool, rpcError, says } from '../fakes.js';
import { example, verdictOf } from './reports.js';

const echo = fakeTool('echo', { text: { type: 'string' } }, { annotations: { readOnlyHint: true } });
const given = { tools: [echo], examples: [example('echo', { text: 'hello' })] };
const textIn = ({ text }: JsonObject) => String(text);

describe('check: parallel', () => {
  it('fails where an answer holds the texts of other calls beside its own', async () => {
    const heard: string[] = [];
    const open = fakeOpen({
      tools: [echo],
      call: (_name, args) => {
        heard.push(textIn(args));
        return says(heard.join(' '));
      },
    });
    expect(await verdictOf(['parallel'], { ...given, open })).toMatchObject([{ status: 'failed' }]);
  });
});

describe('check: parallel of a tool that does not give its text back', () => {
  it('calls it with some text all the same', async () => {
    const seen: JsonObject[] = [];
    const open = fakeOpen({
      tools: [echo],
      call: (_name, args) => {
        seen.push(args);
        return args.text === undefined ? fails('text is missing') : says('taken');
      },
    });
    const checks = { parallel: { tool: 'echo', argument: 'text', calls: 3 } };
    expect(await verdictOf(checks, { ...given, open })).toMatchObject([{ status: 'passed' }]);
    expect(seen.every(({ text }) => typeof text === 'string')).toBe(true);
  });
});

describe('A check whose call is refused by itself', () => {
  const open = () => fakeOpen({ tools: [echo], call: () => fails('never') });

  it.each(['parallel', 'idempotence'] as const)(
    'is left out where the call was chosen, and fails where it was named: %s',
    async (name) => {
      expect(await verdictOf([name], { ...given, open: open() })).toMatchObject([{ status: 'skipped' }]);
      const named = { parallel: { tool: 'echo', arguments: { text: 'x' } }, idempotence: { arguments: { text: 'x' } } };
      expect(await verdictOf({ [name]: named[name] }, { ...given, open: open() })).toMatchObject([
        { status: 'failed', says: [expect.stringContaining('echo refuses the call')] },
      ]);
    },
  );
});

describe('A check of an argument that the tool does not have', () => {
  it.each(['large', 'unicode', 'parallel'] as const)('fails, and says which it has: %s', async (name) => {
    const open = fakeOpen({ tools: [echo] });
    expect(await verdictOf({ [name]: { tool: 'echo', argument: 'txt' } }, { ...given, open })).toEqual([
      { id: `check: ${name} of echo`, status: 'failed', says: ['echo has no argument txt. Did you mean text?'] },
    ]);
    expect(open.servers).toEqual([]);
    const loose = { ...echo, inputSchema: { ...echo.inputSchema, required: [], additionalProperties: true } };
    expect(await verdictOf({ [name]: { tool: 'echo', argument: 'txt' } }, { open, tools: [loose] })).toMatchObject([
      { status: 'passed' },
    ]);
  });

  it.each(['large', 'unicode', 'parallel'] as const)(
    'fails where another one that is needed is not named: %s',
    async (name) => {
      const tool = fakeTool('echo', { text: { type: 'string' }, to: { type: 'string' } });
      const open = fakeOpen({
        tools: [tool],
        call: (_name, { to }) => (to === undefined ? fails('whereto?') : says('taken')),
      });
      expect(await verdictOf({ [name]: { tool: 'echo', argument: 'text' } }, { open, tools: [tool] })).toMatchObject([
        { says: ['echo cannot be called without to; name what to give it under arguments.'] },
      ]);
      const whole = { [name]: { tool: 'echo', argument: 'text', arguments: { to: 'all' } } };
      expect(await verdictOf(whole, { open, tools: [tool] })).toMatchObject([{ status: 'passed' }]);
    },
  );
});

describe('A check after which the server goes on', () => {
  it('fails where the server answers with errors from then on', async () => {
    let isBroken = false;
    const open = fakeOpen({
      tools: [echo],
      call: () => {
        isBroken = true;
        return rpcError(-32602, 'unknown');
      },
      request: () => (isBroken ? rpcError(-32603, 'out of order') : undefined),
    });
    expect(await verdictOf(['unknown'], { ...given, open })).toMatchObject([
      { status: 'failed', says: [expect.stringContaining('out of order')] },
    ]);
  });
});

describe('check: unicode', () => {
  it('is no check where every text is refused', async () => {
    const open = fakeOpen({
      tools: [echo],
      call: (_name, args) => (/^[\x20-\x7e]*$/.test(textIn(args)) ? says(textIn(args)) : fails('only ASCII')),
    });
    const [verdict] = await verdictOf(['unicode'], { ...given, open });
    expect(verdict).toMatchObject({ status: 'passed', reason: expect.stringMatching(/\d+ of \d+ texts were refused/) });
    const refusing = fakeOpen({ tools: [echo], call: () => fails('never') });
    expect(await verdictOf(['unicode'], { ...given, open: refusing })).toMatchObject([{ status: 'skipped' }]);
  });
});

describe('check: cancellation', () => {
  it('is skipped of a server at an address, where a late answer cannot be seen', async () => {
    const checks = { cancellation: { tool: 'echo', after: 5, wait: 5 } };
    const started = { pid: 1, served: { process: {}, isShared: true } };
    for (const more of [{}, started]) {
      const open = fakeOpen({ tools: [echo], call: () => new Promise(() => {}), ...more });
      expect(await verdictOf(checks, { ...given, open })).toMatchObject([{ status: 'skipped' }]);
    }
  });
});
