import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { CallerError, HostError, LimitError, ScriptError } from '../../src/errors.js';
import { createFolder } from '../interpreter/scripts.js';
import { resultOf, type Scene, say } from './fake.js';
import { createMachine } from './machine.js';

describe('doctor', () => {
  it('shows the Python in use, how it was found, and what else was tried', async () => {
    const { home, environment } = await createMachine();
    const { exitCode, stdout } = await say(['doctor'], { environment });
    expect(exitCode).toBe(0);
    expect(stdout).toContain(`3.12.1 ${join(home, 'bin/python3')}, found by python3`);
    expect(stdout).toContain('also tried python: not found');
    expect(stdout).toContain('processes can be forked ahead of their call');
    expect(stdout).toContain('works, launcher fork');
  });

  it('shows each limit, its value and whether it is enforced', async () => {
    const { environment } = await createMachine();
    const { stdout } = await say(['doctor', '--timeout-ms', '1234'], { environment });
    expect(stdout).toMatch(/timeoutMs +1,234 {2}enforced/);
    expect(stdout).toMatch(/memoryBytes +1,073,741,824 {2}enforced/);
    expect(stdout).toMatch(/processes +no limit {2}not enforced/);
  });

  it('says as JSON what it says to people', async () => {
    const { home, environment } = await createMachine();
    const { stdout } = await say(['doctor', '--json'], { environment });
    expect(JSON.parse(stdout)).toMatchObject({
      exitCode: 0,
      node: process.versions.node,
      python: { chosen: { version: '3.12.1' }, origin: 'python3' },
      cacheFolder: join(home, 'cache/mcp-execution'),
      testCall: { works: true },
      scripts: [],
    });
  });

  it('ends with 3 where there is no Python, and says what to do', async () => {
    const home = await createFolder();
    const { exitCode, stdout } = await say(['doctor'], { environment: { PATH: home, HOME: home } });
    expect(exitCode).toBe(3);
    expect(stdout).toContain('No Python 3.10 or newer was found.');
    expect(stdout).toContain('Install Python 3.10 or newer');
    expect(stdout).toContain('\n  tried python3: not found\n');
    expect(stdout).toContain('not made');
  });

  it('ends with 3 where no call passes', async () => {
    const { exitCode, stdout } = await onMachine(['doctor'], {
      engine: { run: () => Promise.reject(new Error('no process')) },
    });
    expect(exitCode).toBe(3);
    expect(stdout).toContain('failed: no process');
    expect(stdout).toMatch(/memoryBytes .* unknown/);
  });

  it('shows how the calls of a script are run, and why', async () => {
    const script = 'x.py';
    const counts = { idle: 1, busy: 0, calls: 0, starts: 1, crashes: 0 };
    const status = { script, profile: 'trusted', launcher: 'warm', launcherReason: 'threads', ...counts } as const;
    const engine = { status: () => ({ running: 0, waiting: 0, starts: 1, crashes: 0, scripts: [status] }) };
    const { exitCode, stdout } = await onMachine(['doctor', script], { engine });
    expect(exitCode).toBe(0);
    expect(stdout).toContain('x.py: imports, launcher warm (threads)');
  });

  it('ends with the code of the error where a script cannot be imported', async () => {
    const engine = { warm: () => Promise.reject(new ScriptError('IMPORT_ERROR', 'No module named nothing')) };
    const { exitCode, stdout } = await onMachine(['doctor', 'x.py'], { engine });
    expect(exitCode).toBe(1);
    expect(stdout).toContain('x.py: IMPORT_ERROR: No module named nothing');
  });

  it('shows why interpreters are started where processes are not forked', async () => {
    const { figures, ...rest } = resultOf(true);
    const warm = { ...rest, figures: { ...figures, launcher: 'warm', launcherReason: 'asked for' } as const };
    const { stdout } = await onMachine(['doctor'], { engine: { run: async () => warm } });
    expect(stdout).toContain('works, launcher warm (asked for)');
  });

  it('refuses a wrong setting with 2, in JSON when asked', async () => {
    const { exitCode, stdout } = await say(['doctor', '--json', '--concurrency', '0']);
    expect(exitCode).toBe(2);
    expect(JSON.parse(stdout)).toMatchObject({ error: { code: 'INVALID_SETTING', setting: 'concurrency' } });
  });

  it('refuses settings that contradict each other with 2', async () => {
    const conflict = new CallerError('INVALID_SETTING', 'allowRead is for profile strict', { setting: 'allowRead' });
    const { exitCode, stderr } = await onMachine(['doctor'], { engine: { run: () => Promise.reject(conflict) } });
    expect(exitCode).toBe(2);
    expect(stderr).toContain('allowRead is for profile strict');
  });

  it('shows the limits of the strict profile where that is what calls run under', async () => {
    const { figures, ...rest } = resultOf(true);
    const strict = { ...figures, profile: 'strict', enforced: { ...figures.enforced, disk: 'best-effort' } } as const;
    const { stdout } = await onMachine(['doctor', '--profile', 'strict'], {
      engine: { run: async () => ({ ...rest, figures: strict }) },
    });
    expect(stdout).toMatch(/maxProcesses +64 {2}not enforced/);
    expect(stdout).toMatch(/scratchBytes +67,108,864 {2}best-effort/);
  });

  it('that was interrupted ends with 130', async () => {
    const { exitCode } = await onMachine(['doctor'], {
      interrupt: AbortSignal.abort(),
      engine: { run: () => Promise.reject(new LimitError('CANCELLED', 'cancelled')) },
    });
    expect(exitCode).toBe(130);
  });

  it('that was interrupted during an import does not wait for it', async () => {
    const interruption = new AbortController();
    const warm = async () => {
      interruption.abort();
      throw new HostError('CLOSED', 'closed');
    };
    const { exitCode, closed } = await onMachine(['doctor', 'slow.py'], {
      interrupt: interruption.signal,
      engine: { warm },
    });
    expect([exitCode, closed]).toEqual([130, true]);
  });
});

async function onMachine(words: readonly string[], scene: Scene) {
  const { environment } = await createMachine();
  return say(words, { ...scene, environment });
}
