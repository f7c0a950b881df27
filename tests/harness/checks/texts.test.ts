import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { holdsText } from '../../../src/harness/checks/echo.js';
import { hardTexts } from '../../../src/harness/checks/hard-texts.js';
import { fails, fakeOpen, fakeTool, result, rpcError, says, silence } from '../fakes.js';
import { example, reportsOf, verdictOf } from './reports.js';

const reader = { annotations: { readOnlyHint: true } };
const echo = fakeTool('echo', { text: { type: 'string' } }, reader);
const examples = [example('echo', { text: 'hello' })];

describe('check: large', () => {
  const sizes = (open: ReturnType<typeof fakeOpen>) =>
    open.servers.flatMap(({ requests }) => requests.map(({ params }) => JSON.stringify(params).length));

  it('sends a million bytes to a tool that only reads, and takes a refusal for an answer', async () => {
    const open = fakeOpen({ tools: [echo], call: () => fails('too much') });
    expect(await verdictOf(['large'], { open, tools: [echo], examples })).toEqual([
      { id: 'check: large of echo', status: 'passed', reason: '1000000 bytes were refused.' },
    ]);
    expect(Math.max(...sizes(open))).toBeGreaterThan(1_000_000);
  });

  it('sends what the suite says', async () => {
    const open = fakeOpen({ tools: [echo] });
    const checks = { large: { tool: 'echo', argument: 'text', bytes: 10, arguments: { more: true } } };
    expect(await verdictOf(checks, { open, tools: [echo] })).toMatchObject([{ status: 'passed' }]);
    expect(open.servers[0]?.requests[0]?.params).toEqual({
      name: 'echo',
      arguments: { more: true, text: 'x'.repeat(10) },
    });
  });

  it('fails where the server dies of it, or no longer answers', async () => {
    const dying = fakeOpen({
      tools: [echo],
      pid: 1,
      call: (_name, _args, { server }) => {
        server.die();
        return says('too late');
      },
    });
    expect(await verdictOf(['large'], { open: dying, tools: [echo], examples })).toMatchObject([
      {
        says: [
          'A call of echo with 1000000 bytes in text got no answer. The MCP server died with exit code 1.',
          expect.stringContaining('tools/list after a call with 1000000 bytes got no answer'),
        ],
      },
    ]);
  });

  it('takes an HTTP status of an address for a refusal', async () => {
    const refused = { kind: 'none', code: 'SERVER_FAILED', message: 'HTTP status 413' } as const;
    const started = { pid: 1, served: { process: {}, isShared: true } };
    for (const more of [{}, started]) {
      const open = fakeOpen({ tools: [echo], call: () => refused, ...more });
      expect(await verdictOf(['large'], { open, tools: [echo], examples })).toMatchObject([
        { status: 'passed', reason: 'The address did not take 1000000 bytes. HTTP status 413.' },
      ]);
    }
  });

  it('is skipped where no passed case calls a tool that only reads with a text', async () => {
    const tools = [
      fakeTool('push', { text: { type: 'string' } }),
      fakeTool('count', { n: { type: 'number' } }, reader),
    ];
    const given = { open: fakeOpen({ tools }), tools };
    const known = [example('push', { text: 'a' }), example('count', { n: 1 })];
    expect(await verdictOf(['large', 'unicode'], { ...given, examples: known })).toMatchObject([
      { status: 'skipped', reason: expect.stringContaining('say which with large: { tool: NAME, argument: NAME }') },
      { status: 'skipped', reason: expect.stringContaining('say which with unicode: { tool: NAME, argument: NAME }') },
    ]);
  });
});

describe('check: unicode', () => {
  it('passes where every text comes back in the text or in the data', async () => {
    const open = fakeOpen({ tools: [echo] });
    expect(await verdictOf(['unicode'], { open, tools: [echo], examples })).toEqual([
      { id: 'check: unicode', status: 'passed', reason: 'Sent to echo, which gives the text back.' },
    ]);
    expect(open.servers[0]?.requests.length).toBeGreaterThan(hardTexts.length);
  });

  it('fails for each writing that comes back changed', async () => {
    const call = (_name: string, { text }: { readonly text?: unknown }) => says(String(text).normalize('NFC'));
    const open = fakeOpen({ tools: [echo], call });
    const [report] = await reportsOf(['unicode'], { open, tools: [echo], examples });
    expect(report?.findings).toMatchObject([
      { message: 'A text of combining marks came back changed.', expected: '[e\u0301 a\u0308 Z\u0351\u036b\u0343]' },
    ]);
  });

  it('takes a refusal, and asks no more than answers of a tool that gives nothing back', async () => {
    const refusing = fakeOpen({
      tools: [echo],
      call: (_name, { text }) => (String(text).includes('probe') ? says(String(text)) : rpcError(-32602, 'no')),
    });
    expect(await verdictOf(['unicode'], { open: refusing, tools: [echo], examples })).toMatchObject([
      { status: 'passed' },
    ]);
    const silentAbout = fakeOpen({ tools: [echo], call: () => says('noted') });
    expect(await verdictOf(['unicode'], { open: silentAbout, tools: [echo], examples })).toMatchObject([
      { status: 'passed', reason: 'Sent to echo, which does not give the text back.' },
    ]);
  });

  it('prefers a tool that gives the text back', async () => {
    const search = fakeTool('search', { text: { type: 'string' } }, reader);
    const tools = [search, echo];
    const open = fakeOpen({ tools, call: (name, { text }) => says(name === 'echo' ? String(text) : 'none found') });
    const known = [...examples, example('search', { text: 'a' })];
    expect(await verdictOf(['unicode'], { open, tools, examples: known })).toMatchObject([
      { reason: 'Sent to echo, which gives the text back.' },
    ]);
  });

  it('fails where one is not answered', async () => {
    const open = fakeOpen({
      tools: [echo],
      call: (_name, { text }) => (String(text).includes('漢') ? silence() : says(String(text))),
    });
    expect(await verdictOf(['unicode'], { open, tools: [echo], examples, timeoutMs: 50 })).toMatchObject([
      { says: [expect.stringContaining('A text of Chinese, Japanese and Korean got no answer')] },
    ]);
  });
});

describe('a text in an answer', () => {
  it('is found as it is, in data, and in JSON of either kind, whatever it is', () => {
    const ascii = (text: string) =>
      JSON.stringify({ text }).replace(
        /[\u007f-\uffff]/g,
        (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`,
      );
    const text = fc.string({ unit: 'grapheme', minLength: 1 });
    fc.assert(
      fc.property(text, (said) => {
        const content = (each: string) => ({ content: [{ type: 'text', text: each }] });
        const data = { content: [], structuredContent: { deep: [{ said }] } };
        for (const answer of [content(`<${said}>`), content(JSON.stringify({ said })), content(ascii(said)), data]) {
          expect(holdsText({ outcome: result(answer), events: [], ms: 1 }, said)).toBe(true);
        }
      }),
      { numRuns: 200 },
    );
  });

  it('is well-formed and different in each of the hard ones', () => {
    for (const { text } of hardTexts) expect(Buffer.from(text, 'utf8').toString('utf8')).toBe(text);
    expect(new Set(hardTexts.map(({ text }) => text)).size).toBe(hardTexts.length);
  });
});
