import { once } from 'node:events';
import { mkdtempSync, realpathSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, expect, test } from 'vitest';
import { suiteOf } from '../../src/harness/suite/read.js';
import type { SuiteInput } from '../../src/harness/suite/schema.js';
import { freePort } from '../../src/services/free-port.js';
import { serverOf } from '../../src/services/tested-server.js';
import type { TestedServer } from '../../src/testedserver.js';
import { failure, recordLog } from '../client/harness.js';
import { processesLeft } from '../engine/harness.js';
import { caseOf, markOfThisTest, runOnce } from './harness-cases.js';

const script = join(import.meta.dirname, '../harness/servers/listens.mjs');
const folder = realpathSync(mkdtempSync(join(tmpdir(), 'tested-server-http-')));
const opened: TestedServer[] = [];
type ServerInput = SuiteInput['server'];

afterEach(async () => {
  await Promise.all(opened.splice(0).map((server) => server.close()));
  expect(processesLeft()).toEqual([]);
});
afterAll(() => rm(folder, { recursive: true }));

/** At a port of its own, unless another is named. */
function listens(port: string | number = '{{ port }}', ...words: string[]) {
  const command = process.execPath;
  const url = `http://127.0.0.1:${port}/mcp`;
  return { command, args: [script, String(port), ...words], url, env: markOfThisTest };
}

async function serverIn(server: ServerInput, more: Partial<SuiteInput> = {}, environment = {}) {
  const suite = await suiteOf({ version: 1, server, ...more }, { environment, folder, name: 'suite.yaml' });
  const mcpExec = { command: 'node', args: ['mcp-exec.js'] };
  return serverOf(suite, { environment, mcpExec, log: recordLog().log, temp: folder });
}

async function opener(server: ServerInput, more: Partial<SuiteInput> = {}): Promise<() => Promise<TestedServer>> {
  const { open } = await serverIn(server, more);
  return async () => {
    const own = await open();
    opened.push(own);
    return own;
  };
}

async function tell(server: TestedServer): Promise<unknown> {
  const { outcome } = await server.request('tools/call', { name: 'tell', arguments: {} }, { timeoutMs: 10_000 });
  return outcome.kind === 'result' ? outcome.result.structuredContent : outcome;
}

test('a command with a url is started, waited for, and spoken to there', async () => {
  const open = await opener({ ...listens(), headers: { 'X-Team': '{{ team }}' } }, { variables: { team: 'shop' } });
  const server = await open();
  expect(server.introduction).toMatchObject({ name: 'listens' });
  expect(await tell(server)).toEqual({ pid: server.pid, calls: 1, sessions: 1, team: 'shop' });
  expect(await server.usage()).toMatchObject({ processes: 1, memoryBytes: expect.any(Number) });
  expect(server.noise).toEqual([]);
  expect(server.lastWords()).toEqual(['coming up', 'listening']);
  await server.close();
  expect(await server.ended).toMatchObject({ wasAsked: true });
});

test('a command whose url has {{ port }} is a process of its own each time', async () => {
  const open = await opener(listens());
  const [one, other] = await Promise.all([open(), open()]);
  expect(one.pid).not.toBe(other.pid);
  expect(one.served).toMatchObject({ isShared: false });
});

test('a command at a fixed address is one process for all sessions, and ends with the last of them', async () => {
  const open = await opener(listens('{{ fixed }}'), { variables: { fixed: await freePort() } });
  const [one, other] = await Promise.all([open(), open()]);
  expect(await tell(one)).toMatchObject({ pid: other.pid, calls: 1, sessions: 2 });
  expect(one.served?.process).toBe(other.served?.process);
  await one.close();
  expect(await tell(other)).toMatchObject({ pid: other.pid, calls: 2, sessions: 1 });
  await other.close();
  expect(processesLeft()).toEqual([]);
  const again = await open();
  expect(again.pid).not.toBe(other.pid);
  expect(await tell(again)).toMatchObject({ calls: 1 });
});

test('a command that ends before it listens is told of at once, with what it wrote to both streams', async () => {
  const { open } = await serverIn({ ...listens('{{ port }}', 'dies'), start_timeout: 600_000 });
  const error = await failure(open());
  expect(error).toMatchObject({
    code: 'SERVER_FAILED',
    message: 'The MCP server node ended with exit code 3 before it answered',
    details: { exitCode: 3 },
  });
  expect(error.details.stderr?.split('\n').toSorted()).toEqual(['coming up', 'good bye', 'no database']);
});

test('a command that never listens is given up, and ended', async () => {
  const { open } = await serverIn({ ...listens('{{ port }}', 'deaf'), start_timeout: 50 });
  expect(await failure(open())).toMatchObject({
    message: expect.stringMatching(
      /^The MCP server was started, and did not answer at http:\/\/127\.0\.0\.1:\d+\/mcp within 50 ms; does it listen/,
    ),
  });
});

test('a command that is not there is told of', async () => {
  const { open } = await serverIn({ ...listens(), command: 'no-such-program' });
  expect(await failure(open())).toMatchObject({ message: expect.stringContaining('there is no such program') });
});

test('waiting for a command to listen ends when the run is given up', async () => {
  const { open } = await serverIn(listens('{{ port }}', 'deaf'));
  const given = new AbortController();
  const opening = failure(open({ signal: given.signal }));
  await expect.poll(processesLeft, { interval: 10, timeout: 10_000 }).not.toEqual([]);
  given.abort();
  expect(await opening).toMatchObject({ code: 'CANCELLED' });
});

test('what listens at the address already is not taken for the server', async () => {
  const other = createServer((socket) => socket.destroy()).listen(0, '127.0.0.1');
  await once(other, 'listening');
  const address = other.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  const { open } = await serverIn(listens(port));
  const error = await failure(open());
  other.close();
  expect(error.message).toBe(
    `The MCP server was not started, because something listens at http://127.0.0.1:${port} already; end that, or let the server listen at another port`,
  );
});

test('an address that nobody started is tried again only where start_timeout is said', async () => {
  const url = `http://127.0.0.1:${await freePort()}/mcp?token=abc`;
  expect(await failure((await serverIn({ url })).open())).toMatchObject({
    message: 'The MCP server could not be reached: ECONNREFUSED',
  });
  expect(await failure((await serverIn({ url, start_timeout: 100 })).open())).toMatchObject({
    message: expect.stringMatching(/^Nobody answered at http:\/\/127\.0\.0\.1:\d+\/mcp within 100 ms; start it there$/),
  });
});

test('whoever speaks with such a server in another way has it for as long', async () => {
  const { withTarget } = await serverIn(listens());
  const status = await withTarget(async (target) => (target.kind === 'url' ? (await fetch(target.url)).status : 0));
  expect(status).toBe(405);
  expect(processesLeft()).toEqual([]);
});

test.each(['die', 'break off'])('a server that ends in a call is what became of the call: %s', async (name) => {
  const server = await (await opener(listens()))();
  const { outcome } = await server.request('tools/call', { name, arguments: {} }, { timeoutMs: 10_000 });
  const message = 'The MCP server node ended with exit code 7 before it answered';
  expect(outcome).toEqual({ kind: 'none', code: 'SERVER_FAILED', message });
  expect(server.isOver).toBe(true);
  expect(await server.ended).toEqual({ wasAsked: false, message });
  expect(server.lastWords().at(-1)).toBe('the disk is full');
});

test('such a server is shown by its command and its address, without secrets of either', async () => {
  const environment = { KEY: 'geheimnis-1', WORD: 'geheimnis-2' };
  const { command, args } = { command: 'server', args: ['--port', '{{ port }}'] };
  const server = {
    command,
    args,
    env: { ACCESS: `\${WORD}` },
    url: 'http://127.0.0.1:{{ port }}/mcp?api_key=abc',
    headers: { Authorization: `Bearer \${KEY}` },
  };
  const { shown, kind, redact } = await serverIn(server, {}, environment);
  expect(kind).toBe('command');
  expect(shown).toBe('server --port 0 at http://127.0.0.1:0/mcp?api_key=[redacted]');
  expect(redact('geheimnis-1 geheimnis-2')).not.toContain('geheimnis');
});

test('a suite goes on after such a server crashed, and tells of it once for all sessions', async () => {
  const elicitation = { accept: {} };
  const report = await runOnce({
    version: 1,
    server: listens(await freePort()),
    checks: ['restart'],
    cases: [
      { name: 'tells', tool: 'tell', expect: { data: { '$.calls': 1 }, memory: '1GB' } },
      { name: 'dies', tool: 'die', client: { elicitation } },
      {
        name: 'has a session of its own',
        tool: 'tell',
        client: { elicitation },
        expect: { data: { '$.sessions': 1 } },
      },
      { name: 'tells again', tool: 'tell', expect: { data: { '$.calls': 1 } } },
    ],
  });
  const message = 'The MCP server node ended with exit code 7 before it answered';
  expect(report.cases.map(({ id, status }) => `${status} ${id}`)).toEqual([
    'failed the server behaves',
    'passed tells',
    'failed dies',
    'passed has a session of its own',
    'passed tells again',
    'passed check: restart',
  ]);
  expect(caseOf(report, 'dies').findings[0]).toMatchObject({ message: expect.stringContaining(message) });
  expect(report.server).toMatchObject({ kind: 'command', crashes: [{ during: 'dies', message }] });
  expect(report.server.crashes[0]?.stderr).toContain('the disk is full');
  expect(report.measures.server).toMatchObject({ peakMemoryBytes: expect.any(Number), cpuMs: expect.any(Number) });
});
