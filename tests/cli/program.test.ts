import { describe, expect, it } from 'vitest';
import { flagName, settingNames } from '../../src/config.js';
import { say } from './fake.js';

describe('mcp-exec', () => {
  it('prints its version to stdout', async () => {
    const { exitCode, stdout, stderr } = await say(['--version']);
    expect(stdout).toMatch(/^\d+\.\d+\.\d+\n$/);
    expect([exitCode, stderr]).toEqual([0, '']);
  });

  it.each([['--help'], ['help'], ['help', 'call']])('prints its help to stdout when asked by %s', async (...words) => {
    const { exitCode, stdout } = await say(words);
    expect(exitCode).toBe(0);
    expect(stdout).toContain('$ mcp-exec call');
  });

  it('prints its help to stderr and ends with 2 when nothing was asked of it', async () => {
    const { exitCode, stdout, stderr } = await say([]);
    expect([exitCode, stdout]).toEqual([2, '']);
    expect(stderr).toContain('Usage: mcp-exec VERB');
  });

  it('knows each verb by its name, whether it stands first or behind a flag', async () => {
    const { stdout: help } = await say(['--help']);
    const shown = [...help.slice(help.indexOf('Commands:')).matchAll(/^ {2}([a-z-]+) /gm)].map(([, verb]) =>
      String(verb),
    );
    const verbs = [...shown.filter((verb) => verb !== 'help'), 'broker'];
    expect(verbs.length).toBeGreaterThan(10);
    for (const verb of verbs) {
      const first = await say([verb, '--help']);
      expect(first.stdout).toContain(`Usage: mcp-exec ${verb} `);
      expect(await say(['--timeout-ms', '5', verb, '--help'])).toEqual(first);
    }
  });

  it.each([
    [['cal'], /unknown command 'cal'[\s\S]*Did you mean call\?/],
    [['call', 'x.py', 'f', '--jsn'], /unknown option '--jsn'[\s\S]*Did you mean --json\?/],
    [['--timeout', '5', 'doctor'], /unknown option '--timeout'/],
    [['call', 'x.py'], /missing required argument 'tool'/],
    [['call', 'x.py', 'f', '--timeout-ms'], /argument missing/],
  ])('refuses %j with exit code 2', async (words, message) => {
    const { exitCode, stdout, stderr } = await say(words);
    expect([exitCode, stdout]).toEqual([2, '']);
    expect(stderr).toMatch(message);
    expect(stderr).toContain('mcp-exec VERB --help');
  });

  it.each(['call', 'doctor'])('%s has help with an example and a flag for every setting', async (verb) => {
    const { exitCode, stdout } = await say([verb, '--help']);
    expect(exitCode).toBe(0);
    expect(stdout).toContain(`$ mcp-exec ${verb}`);
    for (const name of settingNames) expect(stdout).toMatch(new RegExp(`${flagName(name)} `));
  });
});

describe('a setting', () => {
  const call = ['call', 'x.py', 'f'];

  it('is a flag before or after the verb', async () => {
    expect((await say([...call, '--timeout-ms', '5_000'])).settings).toMatchObject({ timeoutMs: 5000 });
    expect((await say(['--timeout-ms=5000', ...call])).settings).toMatchObject({ timeoutMs: 5000 });
  });

  it('comes from the flag, else from the environment, else from the defaults', async () => {
    const environment = { MCP_EXECUTION_TIMEOUT_MS: '7', MCP_EXECUTION_CONCURRENCY: '2' };
    const { settings } = await say([...call, '--timeout-ms', '5'], { environment });
    expect(settings).toMatchObject({ timeoutMs: 5, concurrency: 2, queueLength: 1000 });
  });

  it('that is a list is given by commas or repeated', async () => {
    const { settings } = await say([...call, '--secrets', 'A,B', '--secrets', 'C']);
    expect(settings).toMatchObject({ secrets: ['A', 'B', 'C'] });
    expect((await say([...call, '--secrets='])).settings).toMatchObject({ secrets: [] });
  });

  it('that allows some or all takes its value after an equals sign, and all without one', async () => {
    const { settings } = await say(['--allow-env=A,B', '--allow-read', ...call, '--allow-env=C', '--allow-net']);
    expect(settings).toMatchObject({ allowEnv: ['A', 'B', 'C'], allowRead: true, allowNet: true, allowRun: false });
    expect((await say([...call, '--allow-env='])).settings).toMatchObject({ allowEnv: [] });
    expect((await say([...call, '--allow-env', '--allow-env=A'])).settings).toMatchObject({ allowEnv: true });
  });

  it('that allows something is a variable too', async () => {
    const environment = { MCP_EXECUTION_ALLOW_NET: 'true', MCP_EXECUTION_ALLOW_READ: '/a,/b' };
    expect((await say(call, { environment })).settings).toMatchObject({ allowNet: true, allowRead: ['/a', '/b'] });
  });

  it('that is wrong ends with 2 and is named', async () => {
    const { exitCode, stderr } = await say([...call, '--timeout-ms', 'soon']);
    expect(exitCode).toBe(2);
    expect(stderr).toContain('INVALID_SETTING: Setting timeoutMs: expected number, got "soon"');
  });

  it('that is wrong in the environment ends with 2 and is named', async () => {
    const { exitCode, stderr } = await say(call, { environment: { MCP_EXECUTION_ISOLATION: 'none' } });
    expect(exitCode).toBe(2);
    expect(stderr).toContain('Setting isolation');
  });
});
