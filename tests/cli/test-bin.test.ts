import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { open, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { text } from 'node:stream/consumers';
import { describe, expect, it } from 'vitest';
import { folderWith } from '../engine/harness.js';

const bin = join(import.meta.dirname, '../../dist/bin/mcp-exec.js');
const server = join(import.meta.dirname, '../harness/servers/well_behaved.mjs');

function suiteOf(...cases: readonly object[]): string {
  return JSON.stringify({ version: 1, server: { command: process.execPath, args: [server] }, cases });
}

const adds = { name: 'adds', tool: 'add', arguments: { a: 2, b: 3 }, expect: { data: { '$.sum': 5 } } };
const miscounts = { name: 'miscounts', tool: 'add', arguments: { a: 2, b: 3 }, expect: { data: { '$.sum': 6 } } };
const waits = { name: 'waits', tool: 'slow', arguments: { ms: 600_000 }, timeout: '10m', depends_on: 'adds' };
const checked = {
  name: 'is checked',
  tool: 'echo',
  arguments: { message: 'hello' },
  validate: 'assert context["response"]["content"][0]["text"] == "hello"',
};

describe('mcp-exec test as it is built', () => {
  it('runs cases and validators against a real server, and ends with 0', async () => {
    const folder = folderWith({ 'suite.json': suiteOf(adds, checked) });
    const { exitCode, stdout, stderr } = await run(['test', '--html', 'report.html'], folder);
    expect([exitCode, stderr]).toEqual([0, '']);
    expect(stdout).toContain('2 passed');
    expect(await readFile(join(folder, 'report.html'), 'utf8')).toContain(' · ');
  });

  it('gives a report to a program on stdout and the other to a person on stderr, and ends with 1', async () => {
    const folder = folderWith({ 'suite.json': suiteOf(adds, miscounts) });
    const { exitCode, stdout, stderr } = await run(['test', 'suite.json', '--json', '-'], folder);
    expect(exitCode).toBe(1);
    expect(JSON.parse(stdout)).toMatchObject({ totals: { passed: 1, failed: 1 } });
    expect(stderr).toContain('suite.json');
    expect(stderr).toContain('1 passed, 1 failed');
  });

  it('reports on Ctrl-C what was done, leaves no server behind, and ends with 130', async () => {
    const tellsPid = { command: 'sh', args: ['-c', `echo $$ > pid; exec "${process.execPath}" "${server}"`] };
    const suite = JSON.stringify({ version: 1, server: tellsPid, cases: [adds, waits] });
    const folder = folderWith({ 'suite.json': suite });
    const child = start(['test', 'suite.json', '--junit', 'report.xml'], folder);
    const lines = child.stdout ? createInterface({ input: child.stdout }) : [];
    const said: string[] = [];
    const reading = (async () => {
      for await (const line of lines) {
        said.push(line);
        if (line.includes('ok      adds')) child.kill('SIGINT');
      }
    })();
    const [exitCode] = await once(child, 'exit');
    expect(exitCode).toBe(130);
    await reading;
    expect(said.at(-1)).toMatch(/1 passed.*interrupted/);
    const pid = Number(await readFile(join(folder, 'pid'), 'utf8'));
    expect(() => process.kill(pid, 0)).toThrow('ESRCH');
    expect(await readFile(join(folder, 'report.xml'), 'utf8')).toContain('name="adds"');
  });

  it('writes its reports and ends with 1 although nobody reads what it says, as before | head', async () => {
    const cases = Array.from({ length: 50 }, (_, index) => ({ ...miscounts, name: `miscounts ${index}` }));
    const folder = folderWith({ 'suite.json': suiteOf(...cases) });
    const child = start(['test', '--junit', 'report.xml'], folder);
    child.stdout?.destroy();
    const [exitCode] = await once(child, 'exit');
    expect(exitCode).toBe(1);
    expect(await readFile(join(folder, 'report.xml'), 'utf8')).toContain('failures="50"');
  });

  it('writes its reports when its terminal is closed, and ends by that signal', async () => {
    const folder = folderWith({ 'suite.json': suiteOf(adds, waits) });
    const command = [process.execPath, bin, 'test', '--junit', 'report.xml', '--no-ci'];
    const words = [join(import.meta.dirname, '../fixtures/hosts/closes_its_terminal.py'), 'waits', ...command];
    const env = { ...process.env, TERM: 'xterm' };
    expect(execFileSync('python3', words, { cwd: folder, env, encoding: 'utf8' })).toBe('-1\n');
    const report = await readFile(join(folder, 'report.xml'), 'utf8');
    expect(report).toContain('name="adds"');
    expect(report).toContain('the run was interrupted');
  });

  it('that waits for a suite in a pipe ends at Ctrl-C', async () => {
    const folder = folderWith({});
    execFileSync('mkfifo', [join(folder, 'suite.yaml')]);
    const child = start(['test', 'suite.yaml'], folder);
    // Opening it to write succeeds when somebody reads.
    const writer = await open(join(folder, 'suite.yaml'), 'w');
    child.kill('SIGINT');
    const [exitCode] = await once(child, 'exit');
    await writer.close();
    expect(exitCode).toBe(130);
  });

  it('says what is wrong with a suite, with its place, and ends with 2', async () => {
    const folder = folderWith({
      'suite.yaml': 'version: 1\nserver: { command: node }\ncases:\n  - name: x\n    tool: y\n    expcet: {}\n',
    });
    const { exitCode, stdout, stderr } = await run(['test'], folder);
    expect([exitCode, stdout]).toEqual([2, '']);
    expect(stderr).toMatch(/INVALID_SUITE: suite\.yaml, line 6, column \d+: /);
    expect(stderr).toContain('did you mean expect?');
  });

  it('keeps its server and validators at hand while it watches', async () => {
    const folder = folderWith({ 'suite.json': suiteOf(checked) });
    const child = start(['test', '--watch'], folder);
    let waits = 0;
    child.stderr?.setEncoding('utf8').on('data', (chunk: string) => {
      if (!chunk.includes('Waiting for changes')) return;
      waits += 1;
      if (waits === 1) writeFileSync(join(folder, 'suite.json'), suiteOf(checked, adds));
      else child.kill('SIGINT');
    });
    const [stdout, [exitCode]] = await Promise.all([readAll(child.stdout), once(child, 'exit')]);
    expect(exitCode).toBe(130);
    expect(stdout).toMatch(/1 passed[\s\S]*2 passed/);
  });
});

function start(words: readonly string[], cwd: string): ChildProcess {
  const { CI: _, GITHUB_ACTIONS: __, ...env } = process.env;
  return spawn(process.execPath, [bin, ...words], { cwd, env, stdio: ['ignore', 'pipe', 'pipe'] });
}

async function run(words: readonly string[], cwd: string) {
  const child = start(words, cwd);
  const [stdout, stderr, [exitCode]] = await Promise.all([
    readAll(child.stdout),
    readAll(child.stderr),
    once(child, 'exit'),
  ]);
  return { exitCode, stdout, stderr };
}

async function readAll(stream: ChildProcess['stdout']): Promise<string> {
  return stream === null ? '' : text(stream);
}
