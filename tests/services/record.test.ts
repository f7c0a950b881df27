import { once } from 'node:events';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer as createHttpServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { PassThrough } from 'node:stream';
import { Client, type JSONRPCMessage, parseJSONRPCMessage, type Transport } from '@modelcontextprotocol/client';
import { afterEach, describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { openSession } from '../../src/client/session/session.js';
import { readSuite } from '../../src/harness/suite/read.js';
import type { SuiteInput } from '../../src/harness/suite/schema.js';
import type { Suite } from '../../src/harness/suite.js';
import { type Recording, type RecordOptions, recordSession } from '../../src/services/record.js';
import { commandOf, isAlive, until } from '../client/harness.js';
import { serve, withSessions } from '../client/http-servers.js';
import { runFake } from '../harness/run/harness.js';

const wellBehaved = join(import.meta.dirname, '../harness/servers/well_behaved.mjs');
const closing: (() => unknown)[] = [];

afterEach(async () => {
  for (const close of closing.splice(0)) await close();
});

interface Session {
  readonly stdin: PassThrough;
  readonly stdout: PassThrough;
  readonly stderr: PassThrough;
  readonly notes: string[];
  readonly file: string;
  readonly recorded: Promise<Recording>;
  /** The suite that was written. */
  suite(): Promise<Suite>;
}

function record(target: RecordOptions['target'], more: Partial<RecordOptions> = {}): Session {
  const [stdin, stdout, stderr] = [new PassThrough(), new PassThrough(), new PassThrough()];
  const notes: string[] = [];
  const folder = mkdtempSync(join(tmpdir(), 'record-'));
  const file = join(folder, 'suite.yaml');
  const server = target.kind === 'url' ? { url: target.url } : { command: target.command, args: [...target.args] };
  const recorded = recordSession({
    target,
    server,
    file,
    stdin,
    stdout,
    stderr,
    environment: { PATH: process.env.PATH },
    note: (line) => notes.push(line),
    ...more,
  });
  closing.push(async () => {
    stdin.end();
    await recorded.catch(() => {});
    rmSync(folder, { recursive: true });
  });
  return { stdin, stdout, stderr, notes, file, recorded, suite: () => readSuite(file, { environment: {} }) };
}

/** A client of the SDK at the other ends of the streams. */
async function connect({ stdin, stdout }: Session): Promise<Client> {
  const transport: Transport = {
    async start() {
      createInterface({ input: stdout }).on('line', (line) => {
        const message: unknown = tryJson(line);
        if (message !== undefined) transport.onmessage?.(parseJSONRPCMessage(message));
      });
    },
    async send(message: JSONRPCMessage) {
      stdin.write(`${JSON.stringify(message)}\n`);
    },
    async close() {
      stdin.end();
      transport.onclose?.();
    },
  };
  const client = new Client({ name: 'test', version: '1' });
  await client.connect(transport);
  return client;
}

function tryJson(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
}

describe('a recording of a command', () => {
  it('is on the disk soon after a call, so that it outlives a client that kills it', async () => {
    const session = record({ kind: 'command', command: process.execPath, args: [wellBehaved] });
    const client = await connect(session);
    await client.callTool({ name: 'add', arguments: { a: 2, b: 3 } });
    await until(() => existsSync(session.file));
    expect((await session.suite()).cases.map(({ id }) => id)).toEqual(['add with a=2, b=3']);
    await client.close();
  });

  it('passes everything on, and writes a suite of it that passes', async () => {
    const session = record({ kind: 'command', command: process.execPath, args: [wellBehaved] });
    const client = await connect(session);
    await client.listTools();
    const sum = await client.callTool({ name: 'add', arguments: { a: 2, b: 3 } });
    expect(sum.structuredContent).toEqual({ sum: 5 });
    await client.callTool({ name: 'progress', arguments: { steps: 2 } }, { onprogress: () => {} });
    await client.readResource({ uri: 'test://readme' });
    await client.close();
    const { end, cases, file } = await session.recorded;
    expect({ by: end.by, cases, file }).toEqual({ by: 'client', cases: 4, file: session.file });
    const suite = await session.suite();
    expect(suite.name).toBe('well-behaved');
    expect(suite.cases.map(({ id }) => id)).toEqual([
      'lists tools',
      'add with a=2, b=3',
      'progress with steps=2',
      'resource test://readme',
    ]);
    expect(suite.cases[1]?.spec.expect?.data).toEqual({ '$.sum': 5 });
    expect(suite.cases[2]?.spec.expect?.progress).toBe(true);
    expect(readdirSync(join(session.file, '..'))).toEqual(['suite.yaml']);
    expect(session.notes).toEqual([]);
    const { version: _version, server: _server, ...document }: SuiteInput = parse(readFileSync(session.file, 'utf8'));
    const open = () => openSession({ kind: 'command', command: process.execPath, args: [wellBehaved] });
    expect((await runFake(document, open)).report.totals).toMatchObject({ failed: 0, skipped: 0 });
  });

  it('changes no byte on the way, whatever is said, and passes stderr on', async () => {
    const session = record(commandOf('writes_garbage.mjs'));
    const heard: Buffer[] = [];
    session.stdout.on('data', (chunk: Buffer) => heard.push(chunk));
    const line =
      '{"id" : 1,  "method":"tools/call","jsonrpc":"2.0","params":{"name":"work","arguments":{"é":"\\u00e9"}}}\n';
    session.stdin.write(line.slice(0, 40));
    session.stdin.write(line.slice(40));
    await until(() => Buffer.concat(heard).includes('clean'));
    session.stdin.end();
    await session.recorded;
    const all = Buffer.concat(heard);
    const garbage = Buffer.concat([
      Buffer.from('not json\n\n{"half":\n[1,2]\n"text"\n'),
      Buffer.from([0xff, 0xfe, 0x0a]),
    ]);
    expect(all.subarray(0, 16).toString()).toBe('Server started!\n');
    expect(all.includes(garbage)).toBe(true);
    expect(session.stderr.read()?.toString()).toBe('a line on stderr\n');
    expect(session.notes).toContain('The server wrote a line that is no message: "not json"');
    expect((await session.suite()).cases[0]?.spec.arguments).toEqual({ é: 'é' });
  });

  it('ends with the server, and tells how that ended', async () => {
    const session = record(commandOf('dies_in_the_call.mjs'));
    const client = await connect(session);
    await client.callTool({ name: 'pid', arguments: {} });
    void client.callTool({ name: 'work', arguments: {} }).catch(() => {});
    const { end, leftOut } = await session.recorded;
    expect(end).toEqual({
      by: 'server',
      message: `The MCP server ${process.execPath.split('/').at(-1)} ended with exit code 3`,
      exitCode: 3,
    });
    expect(leftOut).toEqual([{ what: 'tool', name: 'work', reason: 'it was not answered' }]);
    expect((await session.suite()).cases).toHaveLength(1);
  });

  it('ends the server and keeps what there is when it is interrupted', async () => {
    const stop = new AbortController();
    const session = record(commandOf('dies_in_the_call.mjs'), { signal: stop.signal });
    const client = await connect(session);
    const { content } = await client.callTool({ name: 'pid', arguments: {} });
    const [block] = content;
    const pid = Number(block?.type === 'text' ? block.text : '');
    expect(isAlive(pid)).toBe(true);
    stop.abort();
    expect((await session.recorded).end.by).toBe('interruption');
    expect(isAlive(pid)).toBe(false);
    expect((await session.suite()).cases).toHaveLength(1);
  });

  it('is on the disk before it ends, and never replaces another', async () => {
    const session = record(commandOf('answers_with_its_process.mjs'));
    writeFileSync(session.file, 'mine');
    const client = await connect(session);
    for (let call = 0; call < 50; call += 1) await client.callTool({ name: 'work', arguments: { call } });
    const own = session.file.replace('.yaml', '-2.yaml');
    await until(() => readdirSync(join(own, '..')).includes('suite-2.yaml'));
    expect((await readSuite(own, { environment: {} })).cases).toHaveLength(50);
    await client.close();
    expect((await session.recorded).file).toBe(own);
    expect(readFileSync(session.file, 'utf8')).toBe('mine');
  });

  it('replaces a file where that is asked for, and writes none where nothing was said', async () => {
    const session = record(commandOf('answers_with_its_process.mjs'), { force: true });
    writeFileSync(session.file, 'mine');
    session.stdin.end();
    expect(await session.recorded).toMatchObject({ file: undefined, cases: 0 });
    expect(readFileSync(session.file, 'utf8')).toBe('mine');
  });

  it('gives the server the environment of the client, and says in the suite that it did', async () => {
    const session = record(commandOf('sdk_server.mjs'), {
      environment: { PATH: process.env.PATH, OWN_SETTING: 'yes' },
    });
    const client = await connect(session);
    const { content } = await client.callTool({ name: 'environment', arguments: {} });
    expect(JSON.stringify(content)).toContain('OWN_SETTING');
    await client.close();
    await session.recorded;
    expect(readFileSync(session.file, 'utf8')).toContain(
      '# The server was recorded with the environment of its client.',
    );
  });

  it('says in the suite what the config of the client gave the server, and names variables for what is secret in it', async () => {
    const given = { OWN_SETTING: 'yes \u0024{no}', API_KEY: 'k-12345678' };
    const session = record(commandOf('sdk_server.mjs'), {
      environment: { PATH: process.env.PATH, ...given },
      given,
    });
    const client = await connect(session);
    await client.callTool({ name: 'environment', arguments: {} });
    await client.close();
    expect((await session.recorded).variables).toMatchObject([{ name: 'API_KEY', isSet: false }]);
    const text = readFileSync(session.file, 'utf8');
    expect(text).toContain('# Set the variable API_KEY before it is run: a secret in the environment of the server.');
    expect(text).not.toContain('k-12345678');
    const { document } = await readSuite(session.file, { environment: { API_KEY: 'another' } });
    expect(document.server).toMatchObject({ env: { OWN_SETTING: given.OWN_SETTING, API_KEY: 'another' } });
  });

  it('names the variables that the suite is to take, and holds the value of none', async () => {
    const taken = { OWN_CITY: 'Lisbon at sea', API_KEY: 'k-12345678' };
    const target = commandOf('sdk_server.mjs');
    const session = record(target, {
      environment: { PATH: process.env.PATH, ...taken },
      given: { API_KEY: taken.API_KEY },
      server: { command: target.command, args: [...target.args], env: taken },
      taken: Object.keys(taken),
    });
    const client = await connect(session);
    await client.callTool({ name: 'echo', arguments: { city: taken.OWN_CITY, key: taken.API_KEY } });
    await client.close();
    await session.recorded;
    const text = readFileSync(session.file, 'utf8');
    expect(text).toContain(`  env:\n    API_KEY: \${API_KEY}\n    OWN_CITY: \${OWN_CITY}\n`);
    expect(text).toContain(`      city: \${OWN_CITY}\n      key: \${API_KEY}\n`);
    expect(text).not.toMatch(/Lisbon|k-12345678/);
  });

  it('is refused where the command is not there, or the file cannot be', async () => {
    const missing = record({ kind: 'command', command: 'no-such-program-at-all', args: [] });
    await expect(missing.recorded).rejects.toMatchObject({
      code: 'SERVER_FAILED',
      message:
        'The MCP server no-such-program-at-all could not be started: there is no such program; check its name and the PATH',
    });
    const nowhere = record(commandOf('raw.mjs'), { file: join(import.meta.filename, 'suite.yaml') });
    await expect(nowhere.recorded).rejects.toMatchObject({ code: 'INVALID_SUITE' });
  });
});

describe('a recording of an address', () => {
  it('passes messages on, and writes a suite of them', async () => {
    const { url, sessions } = await httpServer();
    const session = record(
      { kind: 'url', url, headers: { Authorization: 'Bearer secret-token-1' } },
      {
        server: { url, headers: { Authorization: 'Bearer secret-token-1' } },
      },
    );
    const client = await connect(session);
    const { content } = await client.callTool({ name: 'echo', arguments: { message: 'hi' } });
    expect(content).toEqual([{ type: 'text', text: '{"message":"hi"}' }]);
    await client.callTool({ name: 'steps', arguments: {} }, { onprogress: () => {} });
    const stop = new AbortController();
    const waits = client.callTool(
      { name: 'waits', arguments: {} },
      { signal: stop.signal, onprogress: () => stop.abort() },
    );
    await expect(waits).rejects.toThrow();
    await client.close();
    const { end, leftOut } = await session.recorded;
    expect(end).toEqual({ by: 'client', message: 'The client ended the session' });
    expect(leftOut).toEqual([{ what: 'tool', name: 'waits', reason: 'it was cancelled' }]);
    expect(sessions.size).toBe(0);
    const text = readFileSync(session.file, 'utf8');
    expect(text).toContain(`Authorization: Bearer \${AUTHORIZATION}\n`);
    expect(text).not.toContain('secret-token-1');
    const suite = await readSuite(session.file, { environment: { AUTHORIZATION: 'x' } });
    expect(suite.cases.map(({ id }) => id)).toEqual(['echo with message=hi', 'steps']);
  });

  it('answers the client where the server cannot be asked', async () => {
    const session = record({ kind: 'url', url: 'http://127.0.0.1:9/mcp' });
    await expect(connect(session)).rejects.toThrow('The MCP server could not be asked');
    session.stdin.end();
    expect(await session.recorded).toMatchObject({ cases: 0 });
  });
});

async function httpServer(): Promise<{ url: string; sessions: ReadonlyMap<string, unknown> }> {
  const { handle, sessions } = withSessions();
  const http = createHttpServer((request, response) => void serve(handle, request, response));
  http.listen(0, '127.0.0.1');
  await once(http, 'listening');
  closing.push(() => {
    http.closeAllConnections();
    http.close();
  });
  const { port } = http.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}/mcp`, sessions };
}
