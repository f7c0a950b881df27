import { existsSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { describe, expect, it } from 'vitest';
import { serverInputOf } from '../../src/cli/test-server.js';
import { readSuite } from '../../src/harness/suite/read.js';
import { folderWith } from '../engine/harness.js';
import { createFolder } from '../interpreter/scripts.js';
import { say } from './fake.js';

const server = join(import.meta.dirname, '../harness/servers/well_behaved.mjs');
const start = ['--', process.execPath, server];
const environment = { PATH: process.env.PATH };

describe('mcp-exec test init', () => {
  it('writes a suite of what a real server answers, and tells what it left out and what to do next', async () => {
    const out = join(await createFolder(), 'new', 'suite.yaml');
    const { exitCode, stdout, stderr } = await say(['test', 'init', '--out', out, ...start], { environment });
    expect([exitCode, stdout]).toEqual([0, '']);
    expect(stderr).toMatch(/^Left out:\n[\s\S]* {2}tool remove: .*destroy/);
    expect(stderr).toContain(`Next: mcp-exec test ${out}\n`);
    const { document, cases } = await readSuite(out, { environment });
    expect(document.server).toMatchObject({ command: process.execPath, args: [server] });
    expect(cases.map(({ spec }) => spec.tool)).toEqual(expect.arrayContaining(['echo', 'add']));
    expect(cases.find(({ spec }) => spec.tool === 'remove')?.spec.skip).toContain('destroy');
    expect(stderr).toMatch(/suite\.yaml has \d+ cases \(3 skipped\) and 3 checks\. /);
  });

  it('never writes over a file unless it is told to', async () => {
    const out = join(await createFolder(), 'suite.yaml');
    await writeFile(out, 'mine');
    const refused = await say(['test', 'init', '--out', out, '--', 'no-such-program'], { environment });
    expect(refused.exitCode).toBe(2);
    expect(refused.stderr).toContain('is there already; choose another name, or write over it with --force');
    const tried = await say(['test', 'init', '--out', out, '--force', '--', 'no-such-program'], { environment });
    expect(tried.stderr).toContain('SERVER_FAILED');
    expect(await readFile(out, 'utf8')).toBe('mine');
  });

  it('shows what a server wrote that did not start', async () => {
    const out = join(await createFolder(), 'suite.yaml');
    const program = 'process.stderr.write("no key \\u001b[2J given\\n"); process.exit(3)';
    const words = ['test', 'init', '--out', out, '--', process.execPath, '-e', program];
    const { exitCode, stderr } = await say(words, { environment });
    expect(exitCode).toBe(1);
    expect(stderr).toContain('  | no key  given\n');
    expect(stderr).toContain('exit code 3');
    expect(stderr).toMatch(/The variables that it got are (?:\w+, )*PATH.*; --env NAME gives it more\.\n$/);
    expect(existsSync(out)).toBe(false);
  });

  it('gives the server variables by --env, which the suite takes from the environment or writes down', async () => {
    const out = join(await createFolder(), 'suite.yaml');
    const env = ['--env', 'CITY', '--env', 'MODE=test=1', '--env', 'API_TOKEN=abcdef12345'];
    const here = { ...environment, CITY: 'Lisbon' };
    const { exitCode, stderr } = await say(['test', 'init', '--out', out, ...env, ...start], { environment: here });
    expect(exitCode).toBe(0);
    expect(stderr).toContain('Set the variable API_TOKEN before the suite is run');
    const text = await readFile(out, 'utf8');
    expect(text).toContain(`  env:\n    CITY: \${CITY}\n    MODE: test=1\n    API_TOKEN: \${API_TOKEN}\n`);
    expect(text).not.toContain('abcdef12345');
  });

  it('sends whoever names a Python file that is an MCP server to its command', async () => {
    const file = join(folderWith({ 'server.py': 'from mcp.server.fastmcp import FastMCP\n' }), 'server.py');
    for (const typed of ['test init --out suite.yaml', 'test --record suite.yaml']) {
      const { exitCode, stderr } = await say([...typed.split(' '), '--env', 'A=secret', file], { environment });
      expect(exitCode).toBe(2);
      expect(stderr).toContain(
        `server.py is an MCP server itself, so that it is started by its command: mcp-exec ${typed} --env A=… -- python`,
      );
    }
  });

  it.each([
    [[], /Name the server: a command behind --/],
    [['node', 'server.mjs'], /A command stands behind --: -- node server\.mjs/],
    [['missing.py'], /INVALID_SCRIPT: There is no script missing\.py here/],
    [['--url', 'ftp://x'], /--url: expected an address that begins with http/],
    [['--url', 'http://x', 'a.py'], /--url: what listens there is a command behind --, or started already/],
    [['--url', 'http://x', '--header', 'secret'], /--header: expected a name and a value, such as/],
    [['--header', 'A: b', '--', 'node'], /--header: only a server at --url is sent headers/],
    [['--env', 'NOT_SET', '--', 'node'], /--env: the variable NOT_SET is not set; set it, or give its value/],
    [['--env', '1=secret', '--', 'node'], /--env: expected NAME, or NAME=value/],
    [['--env', 'A=1', '--url', 'http://x'], /--env: a server at an address has its variables already/],
    [['--out', 'suite.json', '--', 'node'], /--out: a suite is written as YAML/],
    [['--junit', 'x', '--', 'node'], /--junit is no flag of test init/],
    [['--ot', 'x', '--', 'node'], /Did you mean --out\?/],
  ])('refuses %j with 2', async (words, message) => {
    const { exitCode, stdout, stderr } = await say(['test', 'init', ...words], { environment });
    expect([exitCode, stdout]).toEqual([2, '']);
    expect(stderr).toMatch(message);
    expect(stderr).not.toContain('secret');
  });
});

describe('a server that is named on the command line', () => {
  const folder = folderWith({ 'a.py': '', 'b.py': '' });
  const here = process.cwd();

  it('is a command that the suite starts from the folder in which it was typed', () => {
    const given = { words: ['node', 'server.mjs', '--flag'], isCommand: true };
    expect(serverInputOf(given, here)).toEqual({ command: 'node', args: ['server.mjs', '--flag'] });
    expect(serverInputOf(given, join(here, 'deep', 'er'))).toEqual({
      command: 'node',
      args: ['server.mjs', '--flag'],
      cwd: join('..', '..'),
    });
  });

  it('is found from the folder of the suite where it is a path', () => {
    const given = { words: ['./bin/server'], isCommand: true };
    expect(serverInputOf(given, here)).toEqual({ command: 'bin/server' });
    expect(serverInputOf(given, join(here, 'bin'))).toEqual({ command: './server', cwd: '..' });
    expect(serverInputOf({ words: ['/opt/server'], isCommand: true }, here)).toEqual({ command: '/opt/server' });
  });

  it('is a script, or several, unless -- stands before it', () => {
    const [a, b] = [join(folder, 'a.py'), join(folder, 'b.py')];
    expect(serverInputOf({ words: [a], isCommand: false }, folder)).toEqual({ script: 'a.py' });
    expect(serverInputOf({ words: [a, b], isCommand: false }, here)).toEqual({
      script: [relative(here, a), relative(here, b)],
    });
    expect(serverInputOf({ words: [a], isCommand: true }, here)).toEqual({ command: a });
  });

  it('is an address with headers', () => {
    const header = ['Authorization: Bearer abc', 'X-Team:core:1'];
    expect(serverInputOf({ words: [], isCommand: false, url: 'https://x/mcp', header }, here)).toEqual({
      url: 'https://x/mcp',
      headers: { Authorization: 'Bearer abc', 'X-Team': 'core:1' },
    });
  });

  it('is a command that listens at an address', () => {
    const given = {
      words: ['node', 'server.mjs'],
      isCommand: true,
      url: 'http://localhost:3000/mcp',
      header: ['X: y'],
    };
    expect(serverInputOf(given, here, { PORT: '3000' })).toEqual({
      command: 'node',
      args: ['server.mjs'],
      env: { PORT: '3000' },
      url: 'http://localhost:3000/mcp',
      headers: { X: 'y' },
    });
  });
});
