import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { describe, expect, it } from 'vitest';

const script = join(import.meta.dirname, '../scripts/start.mjs');

describe('npm start', () => {
  it('with --once makes one example call and ends with 0', async () => {
    const child = spawn(process.execPath, [script, '--once'], { stdio: ['pipe', 'pipe', 'inherit'] });
    const [stdout, [exitCode]] = await Promise.all([text(child.stdout), once(child, 'exit')]);
    expect(stdout).toContain('10 words, 8 different ones');
    expect(stdout).toContain('in a process of its own');
    expect(stdout).not.toContain('Ctrl-C');
    expect(exitCode).toBe(0);
  });

  it('with standard input closed ends with 0 after showing what to try', async () => {
    const child = spawn(process.execPath, [script], { stdio: ['ignore', 'pipe', 'inherit'] });
    const [stdout, [exitCode]] = await Promise.all([text(child.stdout), once(child, 'exit')]);
    for (const verb of ['discover', 'call', 'install', 'serve', 'doctor']) {
      expect(stdout).toContain(`npx mcp-exec ${verb} `);
    }
    expect(stdout).toContain('Ctrl-C ends.');
    expect(exitCode).toBe(0);
  });

  it('stays until Ctrl-C otherwise', async () => {
    const child = spawn(process.execPath, [script], { stdio: ['pipe', 'pipe', 'inherit'] });
    let shown = '';
    for await (const chunk of child.stdout) {
      shown += String(chunk);
      if (shown.includes('Ctrl-C ends.')) break;
    }
    expect(child.exitCode).toBeNull();
    child.kill('SIGINT');
    expect(await once(child, 'exit')).toEqual([0, null]);
  });
});
