import { mkdirSync, mkdtempSync, realpathSync, writeFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, expect, test } from 'vitest';
import { suiteOf } from '../../src/harness/suite/read.js';
import type { SuiteInput } from '../../src/harness/suite/schema.js';
import { serverOf } from '../../src/services/tested-server.js';
import type { TestedServer } from '../../src/testedserver.js';
import { failure, recordLog } from '../client/harness.js';

const fixtures = join(import.meta.dirname, '../harness/servers');
const folder = realpathSync(mkdtempSync(join(tmpdir(), 'tested-server-')));
const temp = join(folder, 'temp');
const opened: TestedServer[] = [];
mkdirSync(temp);
mkdirSync(join(folder, 'work'));
for (const script of ['one.py', 'two.py']) writeFileSync(join(folder, script), '');

afterEach(async () => {
  await Promise.all(opened.splice(0).map((server) => server.close()));
});
afterAll(() => rm(folder, { recursive: true }));

async function serverIn(server: SuiteInput['server'], more: Partial<SuiteInput> = {}, environment = {}) {
  const suite = await suiteOf({ version: 1, server, ...more }, { environment, folder, name: 'suite.yaml' });
  const { log, text } = recordLog();
  const mcpExec = { command: 'node', args: ['mcp-exec.js'] };
  return { ...(await serverOf(suite, { environment, mcpExec, log, temp })), logged: text };
}

async function openIn(server: SuiteInput['server']): Promise<TestedServer> {
  const { open } = await serverIn(server);
  const own = await open();
  opened.push(own);
  return own;
}

test('a command is started in the folder of the suite, with values in its arguments and variables', async () => {
  const { target, kind, shown } = await serverIn(
    {
      command: 'my-server',
      args: ['--root', '{{ temp }}', '--limit={{ limit }}', 'two words'],
      env: { DATA: '{{ temp }}/data', USER_NAME: '{{ user.name }}' },
    },
    { variables: { limit: 5, user: { name: 'ann' } } },
  );
  expect(kind).toBe('command');
  expect(target).toEqual({
    kind: 'command',
    command: 'my-server',
    args: ['--root', temp, '--limit=5', 'two words'],
    env: { DATA: `${temp}/data`, USER_NAME: 'ann' },
    cwd: folder,
  });
  expect(shown).toBe(`my-server --root ${temp} --limit=5 "two words"`);
});

test('a command with a separator, and a working folder, are seen from the suite', async () => {
  const { target } = await serverIn({ command: './bin/server', cwd: 'work' });
  expect(target).toMatchObject({ command: join(folder, 'bin/server'), cwd: join(folder, 'work') });
});

test('a script is served by mcp-exec, with settings that stand in the environment', async () => {
  const environment = { MCP_EXECUTION_TIMEOUT_MS: '5000', OTHER: 'not passed on' };
  const { target, kind, shown } = await serverIn(
    { script: ['one.py', 'two.py'], flags: ['--isolation=shared'], env: { MODE: 'test' } },
    {},
    environment,
  );
  expect(kind).toBe('script');
  expect(target).toMatchObject({
    command: 'node',
    args: ['mcp-exec.js', 'serve', join(folder, 'one.py'), join(folder, 'two.py'), '--isolation=shared'],
    env: { MCP_EXECUTION_TIMEOUT_MS: '5000', MODE: 'test' },
    cwd: folder,
  });
  expect(shown).toBe('mcp-exec serve one.py two.py --isolation=shared');
});

test('a script that is an MCP server itself is served all the same, with a note', async () => {
  writeFileSync(join(folder, 'notes.py'), 'from fastmcp import FastMCP\n');
  const { kind, notes } = await serverIn({ script: ['notes.py', 'one.py'] });
  expect(kind).toBe('script');
  expect(notes).toEqual([expect.stringMatching(/^notes\.py is an MCP server itself; .*args: \[notes\.py\] \}\.$/)]);
});

test('secrets are shown neither of commands nor of addresses', async () => {
  const environment = { KEY: 'geheimnis-1' };
  const key = `\${KEY}`;
  const command = await serverIn(
    { command: 'server', args: ['--api-key', 'abc', '--token=xyz', `--name=${key}`], env: { ACCESS: key } },
    {},
    environment,
  );
  const words = ['-e', 'DB_PASSWORD=hunter22', '-eMY_TOKEN=abcdefg', 'Authorization: Bearer hijklmn', 'LOG=1'];
  const docker = await serverIn({ command: 'docker', args: words });
  expect(docker.shown).toBe('docker -e DB_PASSWORD=[redacted] -eMY_TOKEN=[redacted] "Authorization: [redacted]" LOG=1');
  expect(docker.redact('hunter22, abcdefg, hijklmn, 1')).not.toMatch(/hunter22|abcdefg|hijklmn/);
  expect(command.shown).toBe('server --api-key [redacted] --token=[redacted] --name=[redacted ACCESS]');
  expect(command.redact('the key geheimnis-1 was refused')).toBe('the key [redacted ACCESS] was refused');
  const address = await serverIn(
    { url: 'https://example.com/mcp?api_key=abcdef123&page=2', headers: { Authorization: `Bearer ${key}` } },
    {},
    environment,
  );
  expect(address.kind).toBe('url');
  expect(address.shown).toBe('https://example.com/mcp?api_key=[redacted]&page=2');
  expect(address.target).toMatchObject({ headers: { Authorization: 'Bearer geheimnis-1' } });
  expect(address.redact('Bearer geheimnis-1, geheimnis-1')).not.toContain('geheimnis-1');
});

test('variables that a suite writes down in plain words are no secrets', async () => {
  const { redact } = await serverIn({ command: 'server', env: { MODE: 'testing', API_KEY: 'written down' } });
  expect(redact('testing, written down')).toBe('testing, [redacted API_KEY]');
});

test('a variable that looks secret is hidden wherever the suite has taken it to', async () => {
  const environment = { API_TOKEN: 'geheimnis-3', MODE: 'testing' };
  const taken = {
    args: ['geheimnis-3', `x=\${API_TOKEN}`, `\${MODE}`],
    env: { DATABASE: `db://user@host/\${API_TOKEN}` },
  };
  const { shown, redact } = await serverIn({ command: 'server', ...taken }, {}, environment);
  expect(shown).toBe('server [redacted API_TOKEN] x=[redacted API_TOKEN] testing');
  expect(redact('geheimnis-3 in db://user@host/geheimnis-3, testing')).not.toContain('geheimnis');
  const address = await serverIn({ url: `https://example.com/\${API_TOKEN}/mcp?k=\${API_TOKEN}` }, {}, environment);
  expect(address.shown).not.toContain('geheimnis');
});

test('a secret is hidden in the escapes of JSON, too', async () => {
  const environment = { API_TOKEN: 'ge"heim\\nis-4' };
  const { redact } = await serverIn({ command: 'server', env: { PASSWORD: 'ge"heim\\nis-5' } }, {}, environment);
  for (const secret of [environment.API_TOKEN, 'ge"heim\\nis-5']) {
    const once = JSON.stringify({ text: secret });
    expect(redact(once)).not.toContain('heim');
    expect(redact(JSON.stringify(once))).not.toContain('heim');
  }
});

test('the folders of the run are no secrets, though variables hold them', async () => {
  const { redact } = await serverIn({ command: 'server', env: { DATA: '{{ temp }}/data' } });
  expect(redact(`there is no ${temp}/data`)).toBe(`there is no ${temp}/data`);
});

test.each([
  [{ url: 'ftp://example.com' }, 'suite.yaml: server: expected an address that begins with http:// or https://'],
  [{ url: 'https://ann:secret@example.com' }, /the address holds credentials; put them into headers/],
])('an address that cannot be used is refused: %j', async (server, message) => {
  const error = await failure(serverIn(server));
  expect(error).toMatchObject({ code: 'INVALID_SUITE', message: expect.stringMatching(message) });
  expect(error.message).not.toContain('secret');
});

test('an entry of a config is found by its name, and its secrets are known', async () => {
  const mcpServers = {
    files: { command: 'node', args: ['files.mjs'], env: { TOKEN: 'geheimnis-2' } },
    web: { url: 'https://example.com/mcp' },
    off: { command: 'node', disabled: true },
  };
  writeFileSync(join(folder, 'mcp.json'), JSON.stringify({ mcpServers }));
  const { target, kind, shown, redact } = await serverIn({ config: 'mcp.json', name: 'files' });
  expect(kind).toBe('config');
  expect(target).toMatchObject({ kind: 'command', command: 'node', args: ['files.mjs'] });
  expect(shown).toBe('files: node files.mjs');
  expect(redact('geheimnis-2')).not.toContain('geheimnis');
  expect(await failure(serverIn({ config: 'mcp.json', name: 'fles' }))).toMatchObject({
    code: 'UNKNOWN_SERVER',
    message: 'suite.yaml: server: the config names no MCP server "fles". Did you mean files?',
  });
  expect(await failure(serverIn({ config: 'mcp.json', name: 'off' }))).toMatchObject({
    code: 'INVALID_SUITE',
    message: expect.stringContaining('the server off is disabled'),
  });
});

test('a suite opens its server, in the era that it asks for', async () => {
  const command = process.execPath;
  const args = [join(fixtures, 'well_behaved.mjs')];
  expect((await openIn({ command, args })).introduction).toMatchObject({
    name: 'well-behaved',
    protocolVersion: '2025-11-25',
  });
  expect((await openIn({ command, args, protocol: 'modern' })).introduction.protocolVersion).toBe('2026-07-28');
});

test('what a server writes comes without its secrets, into errors and into the log', async () => {
  const env = { DATABASE_PASSWORD: 'the database' };
  const { open, logged } = await serverIn({
    command: process.execPath,
    args: [join(fixtures, 'broken_server.mjs'), 'dies'],
    env,
  });
  const error = await failure(open());
  expect(error.details.stderr).toBe('[redacted DATABASE_PASSWORD] is not there');
  expect(logged()).not.toContain('the database');
});

test('a server that does not introduce itself in its time is given up', async () => {
  const args = [join(fixtures, 'broken_server.mjs'), 'silent'];
  const { open } = await serverIn({ command: process.execPath, args, start_timeout: 200 });
  expect(await failure(open())).toMatchObject({
    code: 'SERVER_FAILED',
    message: expect.stringContaining('did not introduce itself within 200 ms'),
  });
});

test('a server is told what the client of the suite can do, unless a case says otherwise', async () => {
  const server = { command: process.execPath, args: [join(fixtures, 'asks_its_client.mjs')] };
  const client = { elicitation: { accept: { city: '{{ cities[0] }}' } } };
  const { open } = await serverIn(server, { client, variables: { cities: ['Oslo'] } });
  const ask = async (options: Parameters<typeof open>[0]) => {
    const own = await open(options);
    opened.push(own);
    return (await own.request('tools/call', { name: 'book', arguments: {} }, { timeoutMs: 10_000 })).outcome;
  };
  const [asSaid, asOther] = await Promise.all([ask({}), ask({ client: { capabilities: {}, replies: {} } })]);
  expect(asSaid).toMatchObject({ result: { content: [{ text: 'accept {"city":"Oslo"}' }] } });
  expect(asOther).toMatchObject({ result: { isError: true } });
});

test('a client whose answers have no right form with their values is an error of the suite', async () => {
  const client = { elicitation: '{{ cities }}', sampling: '{{ cities[4] }}' };
  const variables = { cities: ['Oslo'] };
  expect(await failure(serverIn({ command: 'node' }, { client, variables }))).toMatchObject({
    code: 'INVALID_SUITE',
    message: 'suite.yaml: There is no value for {{ cities[4] }}: cities is a list of 1',
  });
});
