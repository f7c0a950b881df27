import { mkdtempSync, rmSync } from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import type { ExecuteResult } from '../../../src/codemode/code-execution.js';
import { createCodeToolbox } from '../../../src/codemode/toolbox/toolbox.js';
import { createError, HostError } from '../../../src/errors.js';
import type { CallEvent, ToolResult } from '../../../src/toolbox.js';
import { callRecord, fakeCode } from './fake-code.js';

const workspace = mkdtempSync(join(tmpdir(), 'mcp-execution-runs-'));
afterAll(() => rmSync(workspace, { recursive: true }));

describe('the result of a run', () => {
  it('is what was printed, then the value, then a line on the calls', async () => {
    const calls = [callRecord('github', 'search'), callRecord('github', 'search'), callRecord('slack', 'post')];
    const result = await resultOf({ stdout: 'found 2\n', value: { n: 2 }, calls });
    expect(texts(result)).toEqual(['found 2', '{"n":2}', '3 tool calls: github/search 2×, slack/post.']);
    expect(result).not.toHaveProperty('isError');
    expect(result.structuredContent).toEqual({
      run: 'r1',
      value: { n: 2 },
      stdout: 'found 2\n',
      stderr: '',
      calls: [
        { server: 'github', tool: 'search', calls: 2, failed: 0, wallMs: 4 },
        { server: 'slack', tool: 'post', calls: 1, failed: 0, wallMs: 2 },
      ],
      warnings: [],
      cut: [],
      files: [],
    });
    expect(result.figures?.profile).toBe('strict');
  });

  it('tells a script that showed nothing how to show something', async () => {
    expect(texts(await resultOf({}))).toEqual([expect.stringContaining('print(...) or result(value)')]);
  });

  it('shows what there is of a value that was cut, and says of each stream how much is missing', async () => {
    const cut: ExecuteResult['cut'] = [
      { stream: 'stdout', bytes: 90_000, shownBytes: 20_000, file: join(workspace, 'runs/r1/stdout') },
      { stream: 'value', bytes: 50_000, shownBytes: 20_000, shown: '[1, 2 … 9]' },
    ];
    const result = await resultOf({ stdout: 'abc', cut });
    expect(texts(result)).toEqual(['abc', '[1, 2 … 9]']);
    expect(result.structuredContent?.cut).toEqual([
      { stream: 'stdout', bytes: 90_000, shownBytes: 20_000 },
      { stream: 'value', bytes: 50_000, shownBytes: 20_000, shown: '[1, 2 … 9]' },
    ]);
    expect(JSON.stringify(result)).not.toContain(workspace);
  });

  it('has its files as blocks: a picture, a text, bytes', async () => {
    const files = [
      { name: 'plot.png', mimeType: 'image/png', data: Buffer.from('png') },
      { name: 'out/a b.csv', mimeType: 'text/csv', data: Buffer.from('a,b') },
      { name: 'raw.csv', mimeType: 'text/csv', data: Buffer.from([0xff]) },
      { name: 'note.wav', mimeType: 'audio/wav', data: Buffer.from('wav') },
    ];
    const { content, structuredContent } = await resultOf({ files });
    expect(content.slice(1)).toEqual([
      { type: 'image', mimeType: 'image/png', data: 'cG5n' },
      { type: 'resource', resource: { uri: 'mcp-exec://files/out/a%20b.csv', mimeType: 'text/csv', text: 'a,b' } },
      { type: 'resource', resource: { uri: 'mcp-exec://files/raw.csv', mimeType: 'text/csv', blob: '/w==' } },
      { type: 'audio', mimeType: 'audio/wav', data: 'd2F2' },
    ]);
    expect(structuredContent?.files).toHaveLength(4);
  });

  it('tells of warnings and of failed calls on one line each, whatever servers call themselves', async () => {
    const calls = [callRecord('git\u001b[2Jhub', 'x\ny', { outcome: 'refused', code: 'NOT_ALLOWED' })];
    const result = await resultOf({
      stdout: 'a',
      calls,
      warnings: ['github changed\n1 tool', `see ${workspace}/servers/x.py`],
    });
    const note = texts(result)[1] ?? '';
    expect(note.split('\n')).toEqual([
      '1 tool call: "git\\u001b[2Jhub"/"x\\ny"; 1 failed (NOT_ALLOWED).',
      'Warning: github changed 1 tool',
      'Warning: see servers/x.py',
    ]);
  });

  it('is told that it was saved', async () => {
    expect(texts(await resultOf({ stdout: 'a', saved: 'report' }))).toContain('Saved as report.');
  });
});

describe('a run that failed', () => {
  it('shows the traceback, the output so far and the calls, and no path of the host', async () => {
    const traceback = [
      'Traceback (most recent call last):',
      '  File "<script>", line 3, in <module>',
      `  File "${workspace}/servers/github/search.py", line 9, in search`,
      '  File "/usr/lib/python3.12/json/decoder.py", line 355, in raw_decode',
      `  File "${homedir()}/x/y/z.py", line 1, in <module>`,
      'ValueError: no\n',
    ].join('\n');
    const details = { type: 'ValueError', traceback, stdout: 'one\n', stderr: 'two\n', run: 'r7' };
    const error = createError('EXCEPTION', 'no', { ...details, calls: [callRecord('github', 'search')] });
    const result = await failureOf(error);
    expect(result).toMatchObject({
      isError: true,
      code: 'EXCEPTION',
      structuredContent: { run: 'r7', stdout: 'one\n', error: 'EXCEPTION' },
    });
    const [text = ''] = texts(result);
    for (const part of [
      'EXCEPTION: ValueError: no',
      'File "<script>", line 3',
      'File "servers/github/search.py"',
      'File "…/json/decoder.py"',
      'File "…/y/z.py"',
      'Printed to stdout:\none',
      'Printed to stderr:\ntwo',
      '1 tool call: github/search.',
    ]) {
      expect(text).toContain(part);
    }
    expect(text).not.toContain(workspace);
    expect(text).not.toContain('/usr/lib');
  });

  it('shows the end of much output', async () => {
    const error = createError('TIMEOUT', 'too long', { stdout: `${'x'.repeat(100_000)}the end` });
    const [text = ''] = texts(await failureOf(error));
    expect(text.length).toBeLessThan(22_000);
    expect(text).toContain('the end');
    expect(text).toContain('80007 characters before');
  });

  it.each([
    'INVALID_SETTING',
    'NOT_ALLOWED',
    'TOO_MANY_REQUESTS',
    'INVALID_SCRIPT',
    'CALL_LIMIT',
    'CANCELLED',
  ] as const)('by %s is a result, which agents read', async (code) => {
    expect(await failureOf(createError(code, 'why'))).toMatchObject({
      isError: true,
      code,
      content: [{ text: expect.stringContaining(`${code}: why`) }],
    });
  });

  it('by an import tells what makes a wrapper importable, and what else there is', async () => {
    const adviceOn = async (module: string) =>
      texts(await failureOf(createError('IMPORT_ERROR', `No module named '${module}'`, { module }))).join();
    expect(await adviceOn('servers.github')).toContain('Run generate_wrappers');
    expect(await adviceOn('serversides')).toContain('standard library');
  });

  it('by the host, or by a mistake of ours, is for the protocol to say', async () => {
    await expect(failureOf(new HostError('SANDBOX_UNAVAILABLE', 'no Landlock'))).rejects.toThrow('no Landlock');
    await expect(failureOf(new TypeError('x is undefined'))).rejects.toThrow('x is undefined');
  });
});

describe('a run', () => {
  it('tells its events, and ends when its call is cancelled', async () => {
    const events: CallEvent[] = [];
    const cancelled = new AbortController();
    const code = fakeCode({
      workspace,
      executeScript: async ({ onEvent, signal }) => {
        await onEvent?.({ type: 'output', stream: 'stdout', line: 'one' });
        cancelled.abort();
        throw createError(signal?.aborted ? 'CANCELLED' : 'EXCEPTION', 'over');
      },
    });
    const options = { signal: cancelled.signal, onEvent: (event: CallEvent) => void events.push(event), caller: 'ada' };
    const result = await createCodeToolbox(code).call('execute_script', { script: 'x' }, options);
    expect(result).toMatchObject({ isError: true, code: 'CANCELLED' });
    expect(events).toEqual([{ type: 'output', stream: 'stdout', line: 'one' }]);
    expect(code.executed[0]?.caller).toBe('ada');
  });

  it('ends when the toolbox is closed, and the operations with it', async () => {
    const code = fakeCode({
      workspace,
      executeScript: ({ signal }) =>
        new Promise((_resolve, reject) =>
          signal?.addEventListener('abort', () => reject(createError('CANCELLED', 'over'))),
        ),
    });
    const toolbox = createCodeToolbox(code);
    const call = toolbox.call('execute_script', { script: 'x' });
    await toolbox.close();
    expect(await call).toMatchObject({ code: 'CANCELLED' });
    expect(code.isClosed()).toBe(true);
  });

  it('has no more time than the host gives, and less where its client asks for less', async () => {
    const code = fakeCode({ workspace });
    const toolbox = createCodeToolbox(code, { timeoutMs: 5000 });
    for (const timeoutMs of [9000, 1000, undefined])
      await toolbox.call('execute_script', { script: 'x' }, { timeoutMs });
    expect(code.executed.map(({ limits }) => limits?.timeoutMs)).toEqual([5000, 1000, undefined]);
  });
});

function resultOf(given: Partial<ExecuteResult>): Promise<ToolResult> {
  return createCodeToolbox(fakeCode({ workspace, executeScript: () => given })).call('execute_script', { script: 'x' });
}

async function failureOf(error: Error): Promise<ToolResult> {
  const executeScript = () => Promise.reject(error);
  return createCodeToolbox(fakeCode({ workspace, executeScript })).call('execute_script', { script: 'x' });
}

function texts({ content }: ToolResult): string[] {
  return content.flatMap((block) => (block.type === 'text' ? [block.text] : []));
}
