import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { promisify } from 'node:util';
import { describe, expect, it, onTestFinished } from 'vitest';

const root = join(import.meta.dirname, '..');
const script = join(root, 'scripts/start.mjs');
const run = promisify(execFile);

describe('npm start', () => {
  it('with --once makes one call through the gateway and ends with 0', async () => {
    const { child } = start(['--once']);
    const [stdout, [exitCode]] = await Promise.all([text(child.stdout), once(child, 'exit')]);
    expect(stdout).toContain('10 words, 8 different ones');
    expect(stdout).toContain('in a process of its own');
    expect(stdout).not.toContain('Ctrl-C');
    expect(exitCode).toBe(0);
  });

  it('goes on with standard input closed, and ends with 0 when it is asked to', async () => {
    const { child, shown } = start();
    child.stdin.end();
    const [address = '', ...commands] = await shown(6);
    expect(address).toMatch(/^Gateway: http:\/\/127\.0\.0\.1:\d+ .*Ctrl-C/);
    expect(commands).toHaveLength(5);
    const { status } = await fetch(`${/http:\S+/.exec(address)?.[0]}/health/live`);
    expect(status).toBe(200);
    child.kill('SIGTERM');
    const [exitCode] = await once(child, 'exit');
    expect(exitCode).toBe(0);
  });

  it('stays until Ctrl-C, while the commands that it shows work', { timeout: 60_000 }, async () => {
    const { child, shown } = start();
    const commands = (await shown(6)).slice(1).map((line) => line.trim());
    const [call = '', stream = '', upload = '', inspector = '', install = ''] = commands;
    expect(JSON.parse(await outputOf(call)).structuredContent).toEqual({ to: 2, be: 2, or: 1 });
    expect(await outputOf(stream)).toContain('event: partial\ndata: {"data":"10 words, 8 different ones"}');
    expect(JSON.parse(await outputOf(upload)).id).toBe('mine');
    // It is fetched from the registry; tests/long runs it.
    expect(inspector).toContain('npx -y @modelcontextprotocol/inspector@');
    expect(await outputOf(install.replace('npx mcp-exec', `${process.execPath} dist/bin/mcp-exec.js`))).toContain(
      'word_count',
    );
    expect(child.exitCode).toBeNull();
    child.kill('SIGINT');
    expect(await once(child, 'exit')).toEqual([0, null]);
  });

  it('takes another port where the usual one is taken', { timeout: 60_000 }, async () => {
    const [one, other] = [start(), start()];
    const addresses = [await one.shown(6), await other.shown(6)].map(([line = '']) => /http:\S+/.exec(line)?.[0]);
    expect(new Set(addresses).size).toBe(2);
  });
});

function start(args: readonly string[] = []) {
  const child = spawn(process.execPath, [script, ...args], { stdio: ['pipe', 'pipe', 'inherit'] });
  const gone = once(child, 'exit');
  onTestFinished(async () => {
    if (child.kill()) await gone;
  });
  return { child, shown };

  /** The first lines that it shows. */
  async function shown(count: number): Promise<readonly string[]> {
    let lines: readonly string[] = [];
    let said = '';
    for await (const chunk of child.stdout) {
      said += String(chunk);
      lines = said.split('\n').slice(0, -1);
      if (lines.length >= count) break;
    }
    return lines;
  }
}

async function outputOf(command: string): Promise<string> {
  return (await run('bash', ['-c', command], { cwd: root })).stdout;
}
