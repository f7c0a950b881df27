import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { describe, expect, it } from 'vitest';
import type { Approve, ExecuteOptions, ExecuteResult } from '../../src/codemode/code-execution.js';
import { CallerError, LimitError, ScriptError } from '../../src/errors.js';
import type { CallRecord } from '../../src/toolbox.js';
import { folderWith } from '../engine/harness.js';
import { createFolder } from '../interpreter/scripts.js';
import { runOf, sayWithCode } from './fake-code.js';

const script = join(folderWith({ 'script.py': 'print(1)' }), 'script.py');

function executing(given: Partial<ExecuteResult> = {}, during: (options: ExecuteOptions) => void = () => {}) {
  const asked: ExecuteOptions[] = [];
  const executeScript = async (options: ExecuteOptions) => {
    asked.push(options);
    during(options);
    return runOf(given);
  };
  return { asked, code: { executeScript } };
}

const call: CallRecord = {
  server: 'github',
  tool: 'list_issues',
  atMs: 3.2,
  wallMs: 41.7,
  outcome: 'done',
  sentBytes: 2,
  receivedBytes: 100,
};

describe('mcp-exec run', () => {
  it('passes output on as it comes, and prints what the script gave back after it', async () => {
    const { code } = executing({ value: { a: 1 } }, ({ onEvent }) => {
      onEvent?.({ type: 'output', stream: 'stdout', line: 'out' });
      onEvent?.({ type: 'output', stream: 'stderr', line: 'err' });
      onEvent?.({ type: 'log', level: 'info', message: 'told' });
    });
    const said = await sayWithCode(['run', script], code);
    expect(said).toMatchObject({ exitCode: 0, codeClosed: true, stderr: 'err\n[info] told\n' });
    expect(said.stdout).toBe('out\n{\n  "a": 1\n}\n');
  });

  it.each([
    ['nothing', null, ''],
    ['text', 'as it is', 'as it is\n'],
    ['a number', 0, '0\n'],
    ['false', false, 'false\n'],
  ])('prints of a script that gives back %s %j: %j', async (_, value, printed) => {
    expect((await sayWithCode(['run', script], executing({ value }).code)).stdout).toBe(printed);
  });

  it('prints the whole of a value that is too long for a result', async () => {
    const cut = [{ stream: 'value', bytes: 30, shownBytes: 20, file: 'runs/r1/value.json' }] as const;
    const readOutput = async ({ run, stream }: { run: string; stream?: string }) => JSON.stringify([run, stream]);
    const { stdout } = await sayWithCode(['run', script], { ...executing({ cut }).code, readOutput });
    expect(JSON.parse(stdout)).toEqual(['r1', 'value']);
  });

  it('gives the script the words after it that are no flags of ours, and all of them after --', async () => {
    const { asked, code } = executing();
    await sayWithCode(['run', '--json', script, 'a', '--name', 'x', '-v', '--timeout-ms', '5', '-1'], code);
    await sayWithCode(['run', script, 'a', '--', '--json', '--config', 'x', '--help'], code);
    await sayWithCode(['run', script, '--', '-V'], code);
    expect(asked.map(({ args }) => args)).toEqual([
      ['a', '--name', 'x', '-v', '-1'],
      ['a', '--json', '--config', 'x', '--help'],
      ['-V'],
    ]);
  });

  it('hands over context, policy, limits and the name to keep it under', async () => {
    const { asked, code } = executing({ saved: 'report' });
    const flags = ['--context', '{"team":"core"}', '--save', 'report', '--deny-tools', 'slack', '--read-only'];
    const { opened, stderr } = await sayWithCode(['run', script, ...flags, '--memory-bytes', '67108864'], code);
    expect(asked).toMatchObject([{ path: script, context: { team: 'core' }, save: 'report', args: [] }]);
    expect(opened).toMatchObject({
      code: { denyTools: ['slack'], readOnly: true },
      engine: { memoryBytes: 67_108_864 },
    });
    expect(stderr).toBe('Saved: mcp-exec run report runs it again.\n');
  });

  it.each([
    ['[1]', /INVALID_ARGUMENTS: --context is not a JSON object/],
    ['{', /--context is not JSON/],
    ['@nowhere', /Argument --context: ENOENT/],
  ])('refuses the context %s before anything is opened', async (context, reason) => {
    const { exitCode, stderr, opened } = await sayWithCode(['run', script, '--context', context]);
    expect([exitCode, opened]).toEqual([2, undefined]);
    expect(stderr).toMatch(reason);
  });

  it('tells of every call with --verbose, sums them up on a terminal, and is silent otherwise', async () => {
    const calls = [call, call, { ...call, tool: 'close\u001b[2J', outcome: 'refused', code: 'NOT_ALLOWED' } as const];
    const { code } = executing({ calls });
    expect((await sayWithCode(['run', script, '--verbose'], code)).stderr.split('\n')).toEqual([
      'at ms  ms  tool                outcome',
      '    3  42  github/list_issues  done',
      '    3  42  github/list_issues  done',
      '    3  42  github/close        refused NOT_ALLOWED',
      '',
    ]);
    const watched = await sayWithCode(['run', script], code, { watched: true });
    expect(watched.stderr).toBe('3 tool calls, 1 of them failed: github/list_issues 2, github/close 1\n');
    expect((await sayWithCode(['run', script], code)).stderr).toBe('');
  });

  it('tells of warnings', async () => {
    const warnings = ['github/list_issues changed\nwhat it answers'];
    const { stderr } = await sayWithCode(['run', script], executing({ warnings }).code);
    expect(stderr).toBe('warning: github/list_issues changed what it answers\n');
  });

  it('names the files that the script left, and keeps them with --files', async () => {
    const files = [{ name: 'plot.png', mimeType: 'image/png', data: Buffer.from('png') }];
    const { code } = executing({ files });
    expect((await sayWithCode(['run', script], code)).stderr).toContain('plot.png (image/png, 3 bytes): --files DIR');
    const folder = join(await createFolder(), 'new');
    const { exitCode } = await sayWithCode(['run', script, '--files', folder], code);
    expect([exitCode, await readFile(join(folder, 'plot.png'), 'utf8')]).toEqual([0, 'png']);
    const refused = await sayWithCode(['run', script, '--files', script], code);
    expect(refused).toMatchObject({ exitCode: 2, stderr: expect.stringContaining('--files: '), opened: undefined });
  });

  it('says what writes a module of servers/ that is not there', async () => {
    const missing = (module: string) => ({
      executeScript: async () => {
        throw new ScriptError('IMPORT_ERROR', `No module named '${module}'`, { module });
      },
    });
    const { exitCode, stderr } = await sayWithCode(['run', script], missing('servers.github'));
    expect([exitCode, stderr]).toEqual([1, expect.stringContaining("'servers.github'; mcp-exec generate writes")]);
    expect((await sayWithCode(['run', script], missing('numpy'))).stderr).not.toContain('generate');
  });

  it('fails where a script could not be kept that was to be', async () => {
    const warnings = ['The script could not be saved as report.'];
    expect((await sayWithCode(['run', script, '--save', 'report'], executing({ warnings }).code)).exitCode).toBe(1);
    expect((await sayWithCode(['run', script, '--save', 'report'], executing({ saved: 'report' }).code)).exitCode).toBe(
      0,
    );
  });

  it('prints one JSON object with --json, and what the script prints on stderr', async () => {
    const files = [{ name: 'a.txt', mimeType: 'text/plain', data: Buffer.from('a') }];
    const given = { value: [1], calls: [call], stdout: 'out\n', files };
    const { code } = executing(
      given,
      ({ onEvent }) => void onEvent?.({ type: 'output', stream: 'stdout', line: 'out' }),
    );
    const { stdout, stderr } = await sayWithCode(['run', script, '--json'], code);
    expect(JSON.parse(stdout)).toMatchObject({
      run: 'r1',
      value: [1],
      stdout: 'out\n',
      calls: [call],
      files: [{ name: 'a.txt', data: 'YQ==' }],
    });
    expect(stderr).toBe('out\n');
  });

  it.each([
    [
      new ScriptError('EXCEPTION', 'no', { type: 'ValueError', traceback: 'Traceback …' }),
      1,
      /Traceback[\s\S]*EXCEPTION: V/,
    ],
    [new CallerError('NOT_ALLOWED', 'The tool may not be called'), 2, /NOT_ALLOWED/],
    [new LimitError('TIMEOUT', 'It took too long'), 1, /TIMEOUT/],
  ])('ends by %s with %i', async (error, exitCode, said) => {
    const executeScript = () => Promise.reject(error);
    expect(await sayWithCode(['run', script], { executeScript })).toMatchObject({
      exitCode,
      stderr: expect.stringMatching(said),
      codeClosed: true,
    });
  });

  it('tells of the calls that a script made before it failed, and of the failure as JSON with --json', async () => {
    const text = 'a\u001b]0;owned\u0007b';
    const error = new ScriptError('EXCEPTION', text, { type: 'ToolError', traceback: text, calls: [call], run: 'r9' });
    const executeScript = () => Promise.reject(error);
    const { stderr } = await sayWithCode(['run', script, '--verbose'], { executeScript });
    expect(stderr).toMatch(/github\/list_issues[\s\S]*ab\nEXCEPTION: ToolError: ab\n/);
    const { stdout } = await sayWithCode(['run', script, '--json'], { executeScript });
    expect(JSON.parse(stdout)).toMatchObject({ error: { code: 'EXCEPTION', run: 'r9', calls: [call] } });
  });

  it('lets what a script prints command no terminal, beside its colours, and leaves it as it is in a pipe', async () => {
    const line = '\u001b[31mred\u001b[0m\u001b[2J\u001b]52;c;eA==\u0007!';
    const { code } = executing({}, ({ onEvent }) => void onEvent?.({ type: 'output', stream: 'stdout', line }));
    const watched = await sayWithCode(['run', script], code, { outWatched: true });
    expect(watched.stdout).toBe('\u001b[31mred\u001b[0m!\n');
    expect((await sayWithCode(['run', script], code)).stdout).toBe(`${line}\n`);
  });

  it('ends with 130 on Ctrl-C', async () => {
    const interruption = new AbortController();
    const executeScript = async ({ signal }: ExecuteOptions) => {
      interruption.abort();
      expect(signal?.aborted).toBe(true);
      throw new LimitError('CANCELLED', 'The call was cancelled');
    };
    const said = await sayWithCode(['run', script], { executeScript }, { interrupt: interruption.signal });
    expect(said).toMatchObject({ exitCode: 130, codeClosed: true });
  });
});

describe('the script of mcp-exec run', () => {
  const saved = [{ name: 'report', savedAt: '2026-05-01', summary: 'Makes \u001b[2Jthe report.' }];
  const savedScripts = async () => saved;

  it('is a file, even where a saved one has its name', async () => {
    const { asked, code } = executing();
    await sayWithCode(['run', script], { ...code, savedScripts });
    expect(asked).toMatchObject([{ path: script }]);
  });

  it('is a saved one by its name, even where a folder has it', async () => {
    const { asked, code } = executing();
    const folder = await createFolder();
    await mkdir(join(folder, 'report'));
    await sayWithCode(['run', 'report', 'a'], { ...code, savedScripts });
    expect(asked).toMatchObject([{ saved: 'report', args: ['a'] }]);
  });

  it('comes from standard input by -', async () => {
    const { asked, code } = executing();
    await sayWithCode(['run', '-', 'a'], code, { input: Readable.from([Buffer.from('print("ä'), Buffer.from('")')]) });
    expect(asked).toMatchObject([{ script: 'print("ä")', args: ['a'] }]);
  });

  it('is refused from standard input where it is no text, or too long', async () => {
    const odd = await sayWithCode(['run', '-'], {}, { input: Readable.from([Buffer.from([0xff, 0xfe])]) });
    expect(odd).toMatchObject({ exitCode: 2, stderr: expect.stringContaining('no text in UTF-8') });
    const endless = Readable.from(pieces());
    const long = await sayWithCode(['run', '-'], {}, { input: endless });
    expect(long).toMatchObject({ exitCode: 2, stderr: expect.stringContaining('more than 16,777,216 bytes') });
    expect(endless.destroyed).toBe(true);
  });

  it('is not waited for on standard input after Ctrl-C', async () => {
    const input = new Readable({ read() {} });
    const said = await sayWithCode(['run', '-'], {}, { input, interrupt: AbortSignal.abort() });
    expect(said).toMatchObject({ exitCode: 130, codeClosed: true });
  });

  it('is waited for on standard input until Ctrl-C', async () => {
    const interruption = new AbortController();
    const input = new Readable({ read: () => setImmediate(() => interruption.abort()) });
    const said = await sayWithCode(['run', '-'], {}, { input, interrupt: interruption.signal });
    expect(said).toMatchObject({ exitCode: 130, codeClosed: true });
  });

  it.each([
    [
      'reprot',
      /INVALID_SCRIPT: There is no file reprot here, and no script of that name was saved; did you mean report\?/,
    ],
    ['x', /no script of that name was saved; there are report/],
  ])('is refused where it is %s', async (word, reason) => {
    const { exitCode, stderr } = await sayWithCode(['run', word], { savedScripts });
    expect([exitCode, stderr]).toEqual([2, expect.stringMatching(reason)]);
  });

  it('has to be named', async () => {
    const { exitCode, stderr } = await sayWithCode(['run']);
    expect([exitCode, stderr]).toEqual([2, expect.stringContaining('INVALID_ARGUMENTS: Name a Python file')]);
  });

  it('is listed by --list', async () => {
    const { stdout } = await sayWithCode(['run', '--list'], { savedScripts });
    expect(stdout).toBe('name    saved       what it does\nreport  2026-05-01  Makes the report.\n');
    expect(JSON.parse((await sayWithCode(['run', '--list', '--json'], { savedScripts })).stdout)).toEqual(saved);
    expect((await sayWithCode(['run', '--list'])).stderr).toContain('No script was saved yet');
  });
});

describe('a tool that a person has to permit', () => {
  const manyArguments = Array.from({ length: 28 }, (_, index) => [`argument${index}`, index]);
  const asked = { run: 'r1', server: 'github', tool: 'delete\u001b[2J', arguments: { repo: 'a\u202eb' } };
  const asking = async ({ approve }: { approve?: unknown }, scene = {}) => {
    let answer: boolean | undefined;
    const code = (options: Parameters<NonNullable<Parameters<typeof sayWithCode>[2]>['openCode'] & object>[0]) => ({
      executeScript: async () => {
        answer = await options.approve?.(asked, new AbortController().signal);
        return runOf();
      },
    });
    return { ...(await sayWithCode(['run', script, '--ask-tools', '*'], code, scene)), answer, approve };
  };

  it.each([true, false])('is asked about at a terminal, where the answer is %s', async (given) => {
    const questions: string[] = [];
    const ask = async (question: string) => {
      questions.push(question);
      return given;
    };
    const { answer, stderr } = await asking({}, { ask });
    expect([answer, questions]).toEqual([given, ['Permit this call?']]);
    expect(stderr).toContain('The script wants to call github/delete with {"repo":"a b"}\n');
  });

  it('is asked about with the name of every argument, however long the first ones are', async () => {
    const padded = { note: 'x'.repeat(5000), path: '/etc/passwd', ...Object.fromEntries(manyArguments) };
    const code = ({ approve }: { approve?: Approve }) => ({
      executeScript: async () => {
        await approve?.({ ...asked, arguments: padded }, new AbortController().signal);
        return runOf();
      },
    });
    const { stderr } = await sayWithCode(['run', script, '--ask-tools', '*'], code, { ask: async () => false });
    expect(stderr).toContain('"path": "/etc/passwd"');
    expect(stderr).toMatch(/"note": "x+ \[… 49\d\d characters …\] x+"/);
    expect(stderr).toContain('and 10 more arguments, which are not shown');
  });

  it('is asked about while nothing is shown of what the script writes', async () => {
    let shownMeanwhile = '';
    const written: Promise<unknown>[] = [];
    const texts: string[] = [];
    const code = ({ approve }: { approve?: Approve }) => ({
      executeScript: async ({ onEvent }: ExecuteOptions) => {
        const ask = approve?.(asked, new AbortController().signal);
        for (const line of ['Permit this call?', 'y']) {
          written.push(Promise.resolve(onEvent?.({ type: 'output', stream: 'stdout', line })));
        }
        await ask;
        await Promise.all(written);
        return runOf();
      },
    });
    const ask = async () => {
      await new Promise((resolve) => setImmediate(resolve));
      shownMeanwhile = texts.join('');
      return false;
    };
    const onText = (text: string) => void texts.push(text);
    const { stdout, stderr } = await sayWithCode(['run', script, '--ask-tools', '*'], code, { ask, onText });
    expect(shownMeanwhile).toMatch(/^The script wants to call .*\n$/);
    expect(`${stdout}${stderr}`).toContain('Permit this call?\ny\n');
  });

  it('is asked about by nobody elsewhere', async () => {
    const { opened, answer } = await asking({});
    expect([opened?.approve, answer]).toEqual([undefined, undefined]);
  });
});

describe('mcp-exec run --watch', () => {
  it('runs again at each change on the same servers, tells what fails, and ends with 130', async () => {
    const file = join(await createFolder(), 'script.py');
    await writeFile(file, 'print(1)');
    const interruption = new AbortController();
    let [runs, opens] = [0, 0];
    const code = () => {
      opens++;
      return {
        executeScript: async () => {
          runs++;
          if (runs === 2) throw new ScriptError('EXCEPTION', 'broken', { type: 'ValueError' });
          return runOf({ value: runs });
        },
      };
    };
    const onText = (text: string) => {
      if (!text.startsWith('Waiting for changes')) return;
      if (runs === 3) interruption.abort();
      else void writeFile(file, `print(${runs + 1})`);
    };
    const scene = { interrupt: interruption.signal, onText };
    const { exitCode, stdout, stderr, codeClosed } = await sayWithCode(['run', file, '--watch'], code, scene);
    expect({ exitCode, stdout, opens, codeClosed }).toEqual({
      exitCode: 130,
      stdout: '1\n3\n',
      opens: 1,
      codeClosed: true,
    });
    expect(stderr).toContain('EXCEPTION: ValueError: broken\n');
    expect(stderr.match(/script\.py changed, running it again/g)).toHaveLength(2);
  });

  it('gives up a run that a change overtakes', async () => {
    const file = join(await createFolder(), 'script.py');
    await writeFile(file, 'while True: pass');
    const interruption = new AbortController();
    let runs = 0;
    const executeScript = async ({ signal }: ExecuteOptions): Promise<ExecuteResult> => {
      runs++;
      if (runs === 2) interruption.abort();
      else await writeFile(file, 'print(2)');
      if (!signal?.aborted) await new Promise((resolve) => signal?.addEventListener('abort', resolve, { once: true }));
      throw new LimitError('CANCELLED', 'The call was cancelled');
    };
    const { exitCode, stderr } = await sayWithCode(
      ['run', file, '--watch'],
      { executeScript },
      {
        interrupt: interruption.signal,
      },
    );
    expect([exitCode, runs]).toEqual([130, 2]);
    expect(stderr).toBe('script.py changed, running it again.\n');
  });

  it('watches the file of a saved script in the workspace', async () => {
    const workspace = await createFolder();
    await mkdir(join(workspace, 'scripts'));
    const file = join(workspace, 'scripts', 'report.py');
    await writeFile(file, 'print(1)');
    const interruption = new AbortController();
    let runs = 0;
    const code = {
      workspace,
      savedScripts: async () => [{ name: 'report', savedAt: '', summary: '' }],
      executeScript: async () => {
        runs++;
        if (runs === 2) interruption.abort();
        return runOf();
      },
    };
    const onText = (text: string) => {
      if (text.startsWith('Waiting')) void writeFile(file, 'print(2)');
    };
    const scene = { interrupt: interruption.signal, onText };
    expect((await sayWithCode(['run', 'report', '--watch'], code, scene)).exitCode).toBe(130);
    expect(await readdir(join(workspace, 'scripts'))).toEqual(['report.py']);
  });

  it('refuses standard input', async () => {
    const { exitCode, stderr } = await sayWithCode(['run', '-', '--watch']);
    expect([exitCode, stderr]).toEqual([2, expect.stringContaining('--watch needs a file')]);
  });
});

async function* pieces() {
  for (;;) yield Buffer.alloc(4 * 1024 * 1024);
}
