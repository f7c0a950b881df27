import { execFile } from 'node:child_process';
import {
  chmod,
  lstat,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  realpath,
  rm,
  stat,
  symlink,
  writeFile,
} from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { PassThrough } from 'node:stream';
import { promisify } from 'node:util';
import { parse } from 'smol-toml';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { confirm } from '../../src/cli/install/ask.js';
import { clientIds, findClient, thisMachine } from '../../src/client/config/clients.js';
import { say } from './fake.js';

const root = join(import.meta.dirname, '..', '..');
const bin = join(root, 'dist', 'bin', 'mcp-exec.js');
const run = promisify(execFile);
let home: string;
let script: string;
let environment: NodeJS.ProcessEnv;

beforeEach(async () => {
  home = await realpath(await mkdtemp(join(tmpdir(), 'mcp-execution-home-')));
  script = join(home, 'weather.py');
  await writeFile(
    script,
    'def now(place: str) -> str:\n    return place\n\ndef later(place: str) -> str:\n    return place\n',
  );
  const windows = { USERPROFILE: home, APPDATA: join(home, 'Roaming'), LOCALAPPDATA: join(home, 'Local') };
  environment = {
    PATH: process.env.PATH,
    SystemRoot: process.env.SystemRoot,
    HOME: home,
    ...(process.platform === 'win32' && windows),
  };
});
afterEach(() => rm(home, { recursive: true, force: true }));

function install(...words: readonly string[]) {
  return say(['install', '--cache-dir', join(home, 'cache'), ...words], { environment });
}

function fileOf(client: string): string {
  return findClient(client).userFile(thisMachine(environment));
}

async function put(file: string, text: string): Promise<void> {
  await mkdir(dirname(file), { recursive: true });
  await writeFile(file, text);
}

async function backupsOf(file: string): Promise<readonly string[]> {
  return (await readdir(dirname(file))).filter((name) => name.includes('.bak-'));
}

const cache = () => `--cache-dir=${join(home, 'cache')}`;
const args = () => [bin, 'serve', cache(), script];

describe('install', () => {
  it.each(clientIds)('writes the file of %s, which was not there, in its form', async (client) => {
    const { exitCode, stdout, stderr } = await install(client, script, '--env', 'KEY=a=b');
    expect([exitCode, stdout]).toEqual([0, '']);
    const text = await readFile(fileOf(client), 'utf8');
    const entry = { command: process.execPath, args: args(), env: { KEY: 'a=b' } };
    const typed = { type: 'stdio', ...entry };
    const expected = {
      'claude-desktop': { mcpServers: { weather: entry } },
      'claude-code': { mcpServers: { weather: typed } },
      cursor: { mcpServers: { weather: entry } },
      vscode: { servers: { weather: typed } },
      windsurf: { mcpServers: { weather: entry } },
      codex: { mcp_servers: { weather: entry } },
    };
    expect(client === 'codex' ? parse(text) : JSON.parse(text)).toEqual(expected[client]);
    expect(stderr).toContain(`+++ ${fileOf(client)}`);
    expect(stderr).toContain(`${findClient(client).title} will see 2 tools of weather: now, later.`);
    expect(await backupsOf(fileOf(client))).toEqual([]);
  });

  it('says nothing to do the second time, and shows what goes when something else stood there', async () => {
    await install('cursor', script);
    const again = await install('cursor', script);
    expect([again.exitCode, again.stderr]).toEqual([0, `Nothing to do: ${fileOf('cursor')} says so already.\n`]);
    const other = await install('cursor', script, '--only', 'now', '--timeout-ms', '5000');
    expect(other.stderr).toMatch(/^\+ +"--timeout-ms=5000",$/m);
    expect(other.stderr).toContain('will see 1 tool of weather: now.');
    const written = JSON.parse(await readFile(fileOf('cursor'), 'utf8'));
    expect(written.mcpServers.weather.args).toEqual([bin, 'serve', '--timeout-ms=5000', cache(), '--only=now', script]);
  });

  it('keeps a copy of the file as it was, its mode, its mark and all that is not ours', async () => {
    const before = '\uFEFF{\r\n\t// mine\r\n\t"mcpServers": {\r\n\t\t"other": {"command": "x"}\r\n\t}\r\n}\r\n';
    await put(fileOf('cursor'), before);
    await chmod(fileOf('cursor'), 0o640);
    const { stderr } = await install('cursor', script);
    const [backup = '', ...more] = await backupsOf(fileOf('cursor'));
    expect(more).toEqual([]);
    expect(backup).toMatch(/^mcp\.json\.bak-\d{8}-\d{6}$/);
    expect(stderr).toContain(`The file as it was: ${join(dirname(fileOf('cursor')), backup)}`);
    expect(await readFile(join(dirname(fileOf('cursor')), backup), 'utf8')).toBe(before);
    const after = await readFile(fileOf('cursor'), 'utf8');
    expect(
      after.startsWith(
        '\uFEFF{\r\n\t// mine\r\n\t"mcpServers": {\r\n\t\t"other": {"command": "x"},\r\n\t\t"weather": {',
      ),
    ).toBe(true);
    expect(after.replaceAll('\r\n', '')).not.toContain('\n');
    if (process.platform !== 'win32') expect((await stat(fileOf('cursor'))).mode & 0o777).toBe(0o640);
    expect((await readdir(dirname(fileOf('cursor')))).length).toBe(2);
  });

  it('keeps every copy of a file that is changed twice in a second', async () => {
    await put(fileOf('cursor'), '{}');
    for (const name of ['a', 'b', 'c']) await install('cursor', script, '--name', name);
    expect((await backupsOf(fileOf('cursor'))).length).toBe(3);
  });

  it('only prints the change with --dry-run', async () => {
    const { exitCode, stdout, stderr } = await install('vscode', script, '--dry-run');
    expect([exitCode, stderr]).toEqual([0, '']);
    expect(stdout).toMatch(/^--- .*mcp\.json\n\+\+\+ .*mcp\.json\n@@ -0,0 \+1,\d+ @@\n\+\{\n/);
    await expect(stat(fileOf('vscode'))).rejects.toThrow('ENOENT');
  });

  it('takes the server out again, and leaves the others', async () => {
    await put(fileOf('codex'), 'model = "x"\n\n[mcp_servers.other]\ncommand = "y"\n');
    await install('codex', script);
    await rm(script);
    const { exitCode, stderr } = await install('codex', script, '--remove');
    expect(exitCode).toBe(0);
    expect(stderr).toContain('Codex has no server weather any more.');
    expect(await readFile(fileOf('codex'), 'utf8')).toBe('model = "x"\n\n[mcp_servers.other]\ncommand = "y"\n');
    const again = await install('codex', '--remove', '--name', 'weather');
    expect(again.stderr).toContain('Nothing to do');
  });

  it('passes settings on with whole paths, and what stands after --', async () => {
    const words = ['--python', 'python3', '--log-file', 'x.log', '--allow-read=data,/etc', '--allow-net'];
    await install('cursor', script, ...words, '--', '--watch', '--health-port', '0');
    const { mcpServers } = JSON.parse(await readFile(fileOf('cursor'), 'utf8'));
    expect(mcpServers.weather.args).toEqual([
      bin,
      'serve',
      '--python=python3',
      `--allow-read=${join(process.cwd(), 'data')},/etc`,
      '--allow-net',
      cache(),
      `--log-file=${join(process.cwd(), 'x.log')}`,
      '--watch',
      '--health-port',
      '0',
      script,
    ]);
  });

  it('says in flags what the environment says here, because the client has another', async () => {
    const venv = join(home, 'venv');
    const variables = {
      MCP_EXECUTION_TIMEOUT_MS: '7',
      MCP_EXECUTION_ALLOW_NET: 'false',
      MCP_EXECUTION_CONCURRENCY: '',
    };
    environment = { ...environment, ...variables, VIRTUAL_ENV: venv };
    await run('python3', ['-m', 'venv', '--without-pip', venv]);
    await install('cursor', script);
    const written = async () => JSON.parse(await readFile(fileOf('cursor'), 'utf8')).mcpServers.weather.args;
    expect(await written()).toEqual([bin, 'serve', `--python=${venv}`, '--timeout-ms=7', cache(), script]);
    await install('cursor', script, '--timeout-ms', '8', '--python', 'python3');
    expect(await written()).toEqual([bin, 'serve', '--python=python3', '--timeout-ms=8', cache(), script]);
  });

  it.skipIf(process.platform === 'win32')('follows a link to the file, and leaves it a link', async () => {
    await put(join(home, 'dotfiles/mcp.json'), '{}');
    await mkdir(dirname(fileOf('cursor')), { recursive: true });
    await symlink(join(home, 'dotfiles/mcp.json'), fileOf('cursor'));
    await install('cursor', script);
    expect((await lstat(fileOf('cursor'))).isSymbolicLink()).toBe(true);
    expect(await readFile(join(home, 'dotfiles/mcp.json'), 'utf8')).toContain('weather');
  });

  it('writes the file that --config names', async () => {
    const { exitCode } = await install('windsurf', script, '--config', join(home, 'deep/else.json'));
    expect(exitCode).toBe(0);
    expect(await readFile(join(home, 'deep/else.json'), 'utf8')).toContain('weather');
  });

  it.each([
    [['curser', 'SCRIPT'], /There is no client curser; .* Did you mean cursor\?/],
    [['cursor'], /name at least one script/],
    [['cursor', '--remove'], /name at least one script/],
    [['cursor', 'SCRIPT', '--name', 'a b'], /--name: "a b" is not made of/],
    [['cursor', 'SCRIPT', '--env', 'novalue'], /--env: "novalue" is not of the form/],
    [
      ['windsurf', 'SCRIPT', '--project'],
      /Windsurf has no file per project; claude-code, cursor, vscode, codex have one/,
    ],
    [['cursor', 'SCRIPT', '--project', '--config', 'x'], /a file is named with --config already/],
    [['cursor', 'SCRIPT', '--', '--wtch'], /serve has no flag --wtch; did you mean --watch\?/],
    [['cursor', 'SCRIPT', '--only', 'nosuch'], /nosuch/],
    [['cursor', 'SCRIPT', '--timeout-ms', 'soon'], /INVALID_SETTING/],
    [['cursor', 'missing.py'], /missing\.py/],
  ])('refuses %j with exit code 2 and writes nothing', async (words, message) => {
    const { exitCode, stderr } = await install(...words.map((word) => (word === 'SCRIPT' ? script : word)));
    expect(stderr).toMatch(message);
    expect(exitCode).toBe(2);
    await expect(stat(fileOf('cursor'))).rejects.toThrow('ENOENT');
  });

  it('refuses a script that does not parse', async () => {
    await writeFile(script, 'def now(:\n');
    const { exitCode, stderr } = await install('cursor', script);
    expect([exitCode, stderr]).toEqual([1, expect.stringContaining('SYNTAX_ERROR')]);
    await expect(stat(fileOf('cursor'))).rejects.toThrow('ENOENT');
  });

  it.each([
    ['cursor', '{"a": 1,\n  oops}', /line 2, column 3/],
    ['codex', 'a = 1\nb = \n', /line 2/],
    ['cursor', '\u0000\uFFFF', /line 1/],
  ])('leaves a file of %s that says %j as it is, and names the line', async (client, text, message) => {
    await put(fileOf(client), text);
    const { exitCode, stderr } = await install(client, script);
    expect([exitCode, stderr]).toEqual([2, expect.stringMatching(message)]);
    expect(await readFile(fileOf(client), 'utf8')).toBe(text);
    expect(await backupsOf(fileOf(client))).toEqual([]);
  });

  it('refuses a file that is not UTF-8, a read-only one, and a folder', async () => {
    await put(fileOf('cursor'), '');
    await writeFile(fileOf('cursor'), Buffer.from([0x7b, 0xff, 0x7d]));
    expect((await install('cursor', script)).stderr).toContain('it is not text in UTF-8');
    await writeFile(fileOf('cursor'), '{}');
    await chmod(fileOf('cursor'), 0o444);
    const { exitCode, stderr } = await install('cursor', script);
    expect([exitCode, stderr]).toEqual([2, expect.stringContaining('cannot be written: it is read-only')]);
    expect(await readFile(fileOf('cursor'), 'utf8')).toBe('{}');
    await chmod(fileOf('cursor'), 0o644);
    await rm(fileOf('cursor'));
    await mkdir(fileOf('cursor'));
    expect((await install('cursor', script)).stderr).toMatch(/cannot be read/);
  });

  it('has help with an example and a flag for every setting', async () => {
    const { stdout } = await say(['install', '--help']);
    expect(stdout).toContain('$ mcp-exec install claude-desktop');
    for (const client of clientIds) expect(stdout).toContain(client);
  });
});

describe('install --project', () => {
  const before = process.cwd();
  afterEach(() => process.chdir(before));

  it.each([
    ['claude-code', '.mcp.json'],
    ['cursor', '.cursor/mcp.json'],
    ['vscode', '.vscode/mcp.json'],
    ['codex', '.codex/config.toml'],
  ])('of %s writes %s of the working folder, with whole paths', async (client, file) => {
    await mkdir(join(home, 'project'));
    process.chdir(join(home, 'project'));
    const { exitCode } = await install(client, '../weather.py', '--project');
    expect(exitCode).toBe(0);
    const text = await readFile(join(home, 'project', file), 'utf8');
    expect(text).toContain(JSON.stringify(script));
    await expect(stat(fileOf(client))).rejects.toThrow('ENOENT');
  });
});

describe('a folder or a manifest', () => {
  it('is installed under the name of the folder', async () => {
    await mkdir(join(home, 'my tools'));
    await writeFile(join(home, 'my tools', 'a.py'), 'def f() -> int:\n    return 1\n');
    await install('cursor', join(home, 'my tools'));
    await say(['discover', join(home, 'my tools'), '--out', join(home, 'my tools', 'tools.json')], { environment });
    await install('windsurf', join(home, 'my tools', 'tools.json'));
    for (const client of ['cursor', 'windsurf']) {
      expect(Object.keys(JSON.parse(await readFile(fileOf(client), 'utf8')).mcpServers)).toEqual(['my-tools']);
    }
  });
});

describe('the question before writing', () => {
  it.each([
    ['y\n', true],
    ['\n', true],
    ['YES\n', true],
    ['n\n', false],
    ['what\n', false],
    ['', false],
  ])('answered with %j is %j', async (answer, wanted) => {
    const input = new PassThrough();
    input.end(answer);
    expect(await confirm('Write this?', { input, output: new PassThrough() })).toBe(wanted);
  });

  it('that is interrupted means no', async () => {
    const interruption = new AbortController();
    const asked = confirm('Write?', {
      input: new PassThrough(),
      output: new PassThrough(),
      signal: interruption.signal,
    });
    interruption.abort();
    expect(await asked).toBe(false);
  });
});
