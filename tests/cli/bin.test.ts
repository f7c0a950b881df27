import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { dirname, join, relative } from 'node:path';
import { text } from 'node:stream/consumers';
import { describe, expect, it } from 'vitest';
import { createFolder } from '../interpreter/scripts.js';

const bin = join(import.meta.dirname, '../../dist/bin/mcp-exec.js');
const source = join(import.meta.dirname, '../../src');

describe('the built command', () => {
  it('ends with 0 and an empty stderr after printing its version', async () => {
    const { exitCode, stdout, stderr } = await run(['--version']);
    expect(stdout).toMatch(/^\d+\.\d+\.\d+\n$/);
    expect([exitCode, stderr]).toEqual([0, '']);
  });

  it('loads neither the engine nor the search for Python before a verb needs them', async () => {
    const loaded = [...(await staticImports(join(source, 'cli', 'mcp-exec.ts')))].map((path) => relative(source, path));
    expect(loaded).toContain(join('cli', 'program.ts'));
    for (const lazy of ['engine', 'manifest', 'server', join('python', 'interpreter')]) {
      expect(loaded.filter((path) => path.startsWith(lazy))).toEqual([]);
    }
  });

  it('calls a function and prints its value', async () => {
    const script = await writeScript('def double(n: int):', '    print("doubling")', '    return n * 2');
    const { exitCode, stdout, stderr } = await run(['call', script, 'double', 'n=21']);
    expect([exitCode, stdout, stderr]).toEqual([0, '42\n', 'doubling\n']);
  });

  it('shows the traceback of a function that raises and ends with 1', async () => {
    const script = await writeScript('def fail():', '    raise ValueError("no")');
    const { exitCode, stdout, stderr } = await run(['call', script, 'fail']);
    expect([exitCode, stdout]).toEqual([1, '']);
    expect(stderr).toContain(`File "${script}", line 2, in fail`);
    expect(stderr).toContain('EXCEPTION: ValueError: no');
  });

  it('ends with 2 where the function is not there', async () => {
    const script = await writeScript('def present(): ...');
    const { exitCode, stderr } = await run(['call', script, 'absent']);
    expect(exitCode).toBe(2);
    expect(stderr).toContain('UNKNOWN_TOOL');
  });

  it('ends with 3 where there is no Python', async () => {
    const script = await writeScript('def present(): ...');
    const { exitCode, stderr } = await run(['call', script, 'present', '--python', '/nowhere/python']);
    expect(exitCode).toBe(3);
    expect(stderr).toContain('PYTHON_NOT_FOUND');
  });

  it('cancels the call on Ctrl-C and ends with 130', async () => {
    const script = await writeScript('import time', 'def hang():', '    print("started")', '    time.sleep(600)');
    const child = start(['call', script, 'hang']);
    const lines = child.stderr?.[Symbol.asyncIterator]();
    await lines?.next();
    child.kill('SIGINT');
    const [exitCode] = await once(child, 'exit');
    expect(exitCode).toBe(130);
  });

  it('ends quietly when nobody reads its output', async () => {
    const child = start(['call', '--help']);
    child.stdout?.destroy();
    const [stderr, [exitCode]] = await Promise.all([readAll(child.stderr), once(child, 'exit')]);
    expect([exitCode, stderr]).toEqual([0, '']);
  });

  it.runIf(process.platform === 'linux')('says in a line that the disk is full to which its output goes', async () => {
    const full = openSync('/dev/full', 'w');
    const child = spawn(process.execPath, [bin, 'call', '--help'], { stdio: ['ignore', full, 'pipe'] });
    closeSync(full);
    const [stderr, [exitCode]] = await Promise.all([readAll(child.stderr), once(child, 'exit')]);
    expect([exitCode, stderr]).toEqual([1, expect.stringMatching(/^What this command gives .*: ENOSPC.*\n$/)]);
  });

  it('examines the machine and a script', async () => {
    const script = await writeScript('def present(): ...');
    const { exitCode, stdout } = await run(['doctor', script, '--json']);
    expect(JSON.parse(stdout)).toMatchObject({
      testCall: { works: true },
      scripts: [{ script, status: { launcher: expect.any(String) } }],
    });
    expect(exitCode).toBe(0);
  });
});

function start(words: readonly string[]): ChildProcess {
  return spawn(process.execPath, [bin, ...words], { stdio: ['ignore', 'pipe', 'pipe'] });
}

async function run(words: readonly string[]) {
  const child = start(words);
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

async function writeScript(...lines: readonly string[]): Promise<string> {
  const path = join(await createFolder(), 'script.py');
  await writeFile(path, `${lines.join('\n')}\n`);
  return path;
}

async function staticImports(path: string, seen = new Set<string>()): Promise<ReadonlySet<string>> {
  if (seen.has(path)) return seen;
  seen.add(path);
  const code = await readFile(path, 'utf8');
  for (const [, target = ''] of code.matchAll(/^(?:import|export) (?!type )[^;]*?'(\.[^']+)';/gm)) {
    await staticImports(join(dirname(path), target.replace(/\.js$/, '.ts')), seen);
  }
  return seen;
}
