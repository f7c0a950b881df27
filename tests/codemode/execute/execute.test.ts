import { execFileSync } from 'node:child_process';
import { mkdir, readdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { ExecuteLimits, ExecuteOptions } from '../../../src/codemode/code-execution.js';
import { askMethods } from '../../../src/codemode/script-runner.js';
import { createError, ExecutionError, ScriptError } from '../../../src/errors.js';
import type { Tracing } from '../../../src/tracing/tracing.js';
import { openScene } from './scene.js';

const nothing = async () => null;

describe('a run', () => {
  it('gives the runner the source, its arguments and context, and the wrappers as the only package', async () => {
    const { run, runner, workspace } = await openScene(nothing);
    await run({ script: 'print(1)', args: ['--fast', 'x'], context: { user: 'ada' } });
    expect(runner.works).toEqual([
      {
        source: 'print(1)',
        filename: '<script>',
        argv: ['--fast', 'x'],
        context: { user: 'ada' },
        packages: { servers: workspace.servers },
      },
    ]);
  });

  it('hands on its limits, its caller and its cancellation', async () => {
    const given = new AbortController();
    const seen: unknown[] = [];
    const { run } = await openScene(async ({ options, signal }) => {
      seen.push(options.limits, options.caller);
      given.abort('enough');
      seen.push(signal.aborted);
      throw new ExecutionError('CANCELLED', 'The call was cancelled');
    });
    const running = run({ limits: { timeoutMs: 5, maxCalls: 3 }, caller: 'ada', signal: given.signal });
    await expect(running).rejects.toMatchObject({ code: 'CANCELLED' });
    expect(seen).toEqual([{ timeoutMs: 5 }, 'ada', true]);
  });

  it('that fails tells what a result would have told', async () => {
    const { run, runLog } = await openScene(async ({ ask }) => {
      await ask(askMethods.callTool, { server: 'slack', tool: 'post' });
      throw new ScriptError('EXCEPTION', 'ValueError: no', { traceback: 'Traceback …', stdout: 'so far\n', line: 3 });
    });
    const failure = await run().catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(ScriptError);
    expect(failure).toMatchObject({
      code: 'EXCEPTION',
      message: 'ValueError: no',
      details: {
        traceback: 'Traceback …',
        line: 3,
        stdout: 'so far\n',
        run: expect.stringMatching(/^\d{8}-\d{6}-/),
        calls: [expect.objectContaining({ server: 'slack', tool: 'post', outcome: 'done' })],
      },
    });
    expect(await runLog()).toMatchObject([
      { op: 'execute_script', outcome: 'failed', code: 'EXCEPTION', calls: { 'slack/post': 1 }, bytes: 7 },
    ]);
  });

  it('whose runner breaks says little, and the log says all', async () => {
    const { run, logged } = await openScene(() => Promise.reject(new Error('spawn /secret/place')));
    const failure = await run().catch((error: unknown) => error);
    expect(failure).toMatchObject({ code: 'WIRE_BROKEN', details: { reference: expect.any(String) } });
    expect(String(failure)).not.toContain('secret');
    expect(JSON.stringify(logged)).toContain('/secret/place');
  });

  it('is traced as a whole, with its calls as parts of it', async () => {
    const spans: unknown[] = [];
    const tracing: Tracing = {
      async call(facts, work) {
        spans.push(facts);
        return work({ traceId: 't', traceparent: `00-t-${spans.length}-01` });
      },
      close: async () => undefined,
    };
    const { run } = await openScene(({ ask }) => ask(askMethods.callTool, { server: 'slack', tool: 'post' }), {
      tracing,
    });
    const { run: id } = await run();
    expect(spans).toEqual([
      { service: 'code-execution', tool: 'execute_script', id },
      { service: 'slack', tool: 'post', id, traceparent: '00-t-1-01' },
    ]);
  });
});

describe('what is asked for', () => {
  const cases: readonly (readonly [string, unknown, string])[] = [
    ['no script', { script: undefined }, 'INVALID_SCRIPT'],
    ['two scripts', { script: 'pass', saved: 'x' }, 'INVALID_SCRIPT'],
    ['an empty script', { script: ' \n' }, 'INVALID_SCRIPT'],
    ['a script that is no text', { script: 7 }, 'INVALID_SCRIPT'],
    ['a script that is too large', { script: 'x'.repeat(2 ** 20 + 1) }, 'INVALID_SCRIPT'],
    ['a file that there is not', { path: 'nowhere/x.py' }, 'INVALID_SCRIPT'],
    ['a path with a NUL', { path: 'a\0b' }, 'INVALID_SCRIPT'],
    ['a saved script that there is not', { saved: 'nothing' }, 'INVALID_SCRIPT'],
    ['a saved script outside of scripts/', { saved: '../x' }, 'INVALID_ARGUMENTS'],
    ['a name to save that is a path', { script: 'pass', save: '../x' }, 'INVALID_ARGUMENTS'],
    ['a name to save in capitals', { script: 'pass', save: 'Report' }, 'INVALID_ARGUMENTS'],
    ['arguments that are no texts', { script: 'pass', args: [1] }, 'INVALID_ARGUMENTS'],
    ['arguments that are one text', { script: 'pass', args: 'x' }, 'INVALID_ARGUMENTS'],
    ['a context that is a list', { script: 'pass', context: [] }, 'INVALID_CONTEXT'],
    ['an option that there is not', { script: 'pass', arguments: [] }, 'INVALID_ARGUMENTS'],
    ['a limit that there is not', { script: 'pass', limits: { timeout: 5 } }, 'INVALID_SETTING'],
    ['a limit that is no number', { script: 'pass', limits: { timeoutMs: '5' } }, 'INVALID_SETTING'],
    ['a limit of nothing', { script: 'pass', limits: { maxCalls: 0 } }, 'INVALID_SETTING'],
    ['limits that are no object', { script: 'pass', limits: 5 }, 'INVALID_ARGUMENTS'],
    ['more calls than the host allows', { script: 'pass', limits: { maxCalls: 2000 } }, 'INVALID_SETTING'],
    ['more output than the host shows', { script: 'pass', limits: { shownBytes: 10 ** 6 } }, 'INVALID_SETTING'],
    ['a policy that is none', { script: 'pass', policy: { deny: [''] } }, 'INVALID_ARGUMENTS'],
  ];

  it.each(cases)('with %s is refused before anything runs', async (_name, options, code) => {
    const { code: execution, runner, runLog } = await openScene(nothing);
    const running = execution.execute(options as ExecuteOptions);
    await expect(running).rejects.toMatchObject({ code, message: expect.stringMatching(/\w+ .*\w+/) });
    expect(runner.works).toEqual([]);
    expect(await runLog()).toMatchObject([{ op: 'execute_script', outcome: 'failed', code }]);
  });

  it('with a limit that is nearly named right gets the right name', async () => {
    const { run } = await openScene(nothing);
    const limits = { timeout_ms: 5 } as ExecuteLimits;
    await expect(run({ limits })).rejects.toThrow('Did you mean timeoutMs?');
  });
});

describe('a script in a file', () => {
  it('is read by the host and run as source, and nothing tells where it lies', async () => {
    const { run, runner, workspace } = await openScene(nothing);
    const path = join(workspace.folder, 'report.py');
    await writeFile(path, '\uFEFFprint("é")\n');
    await run({ path });
    expect(runner.works).toMatchObject([{ source: 'print("é")\n', filename: 'report.py' }]);
    expect(JSON.stringify(runner.works)).not.toContain(path);
  });

  it.each([
    ['is not UTF-8', (path: string) => writeFile(path, Buffer.from([0x70, 0xff, 0xfe])), 'not text in UTF-8'],
    ['is a folder', (path: string) => mkdir(path), 'it is a folder'],
    ['leads in a circle', (path: string) => symlink(path, path), 'lead in a circle'],
    ['is a pipe', async (path: string) => void execFileSync('mkfifo', [path]), 'it is no file'],
    ['is a device', (path: string) => symlink('/dev/zero', path), 'it is no file'],
    ['is too large', (path: string) => writeFile(path, '#'.repeat(2 ** 20 + 1)), 'are the most'],
  ])('that %s is refused', async (_name, make, message) => {
    const { run, workspace } = await openScene(nothing);
    const path = join(workspace.folder, 'x.py');
    await make(path);
    await expect(run({ path })).rejects.toMatchObject({
      code: 'INVALID_SCRIPT',
      message: expect.stringContaining(message),
    });
  });
});

describe('a saved script', () => {
  const source = '#!/usr/bin/env python\n"""\n  Counts the open issues. \n\nMore."""\nprint(1)\r\n';

  it('is kept byte for byte, listed with its first words, and run by its name', async () => {
    const { run, code, runner, workspace } = await openScene(nothing);
    expect((await run({ script: source, save: 'count-issues' })).saved).toBe('count-issues');
    expect(await readFile(join(workspace.scripts, 'count-issues.py'), 'utf8')).toBe(source);
    expect(await code.savedScripts()).toEqual([
      { name: 'count-issues', summary: 'Counts the open issues.', savedAt: expect.stringMatching(/^\d{4}-.*Z$/) },
    ]);
    await run({ saved: 'count-issues', args: ['x'] });
    expect(runner.works[1]).toMatchObject({ source, filename: 'count-issues.py', argv: ['x'] });
    expect(await readdir(workspace.scripts)).toEqual(['count-issues.py']);
  });

  it('takes the place of an earlier one, which is told', async () => {
    const { run, workspace } = await openScene(nothing);
    await run({ script: 'print(1)', save: 'x' });
    const { warnings } = await run({ script: 'print(2)', save: 'x' });
    expect(warnings).toEqual(['The script that was saved as x before is replaced.']);
    expect(await readFile(join(workspace.scripts, 'x.py'), 'utf8')).toBe('print(2)');
  });

  it('is not kept of a run that failed', async () => {
    const { run, code } = await openScene(() => Promise.reject(createError('EXCEPTION', 'no')));
    await expect(run({ save: 'x' })).rejects.toThrow();
    expect(await code.savedScripts()).toEqual([]);
  });

  it('that cannot be kept does not lose the result', async () => {
    const { run, workspace } = await openScene(async () => 7);
    await writeFile(workspace.scripts, 'in the way');
    const { value, saved, warnings } = await run({ save: 'x' });
    expect([value, saved]).toEqual([7, undefined]);
    expect(warnings).toEqual([expect.stringContaining('could not be saved')]);
  });

  it('that there is not is answered with the nearest', async () => {
    const { run } = await openScene(nothing);
    await run({ save: 'count-issues' });
    await expect(run({ saved: 'count_issue' })).rejects.toThrow('Did you mean count-issues?');
  });

  it('is described by a docstring or a comment, if there is one', async () => {
    const { code, workspace } = await openScene(nothing);
    await mkdir(join(workspace.scripts, 'folder.py'), { recursive: true });
    const files = {
      'a.py': '# coding: utf-8\n# First words.\nimport os\n',
      'b.py': "'One line.'\nx = 1\n",
      'c.py': 'import os\n# too late\n',
      'd.py': '"""\u001b[31m\nnot\u202e plain"""',
      'notes.txt': '',
      'Not-A-Name.py': '',
    };
    for (const [name, text] of Object.entries(files)) await writeFile(join(workspace.scripts, name), text);
    expect((await code.savedScripts()).map(({ name, summary }) => [name, summary])).toEqual([
      ['a', 'First words.'],
      ['b', 'One line.'],
      ['c', ''],
      ['d', '[31m'],
    ]);
  });
});
