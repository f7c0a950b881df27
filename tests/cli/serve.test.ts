import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { afterEach, describe, expect, it } from 'vitest';
import { childrenOf, isAlive, until } from '../engine/processes.js';
import { createFolder } from '../interpreter/scripts.js';
import { type Era, eras, optionsOfEra } from '../server/sdk-client.js';

const bin = join(import.meta.dirname, '../../dist/bin/mcp-exec.js');
const started: ChildProcess[] = [];
const clients: Client[] = [];

afterEach(async () => {
  for (const client of clients.splice(0)) await client.close();
  for (const child of started.splice(0)) {
    if (child.exitCode !== null || child.signalCode !== null) continue;
    child.kill('SIGKILL');
    await once(child, 'exit');
  }
});

const isForked = process.env.MCP_EXECUTION_LAUNCHER !== 'warm';

describe.each(eras)('mcp-exec serve, to the official client of %s', (era) => {
  it('lists and calls the functions of a script that nobody prepared', async () => {
    const script = await writeScript(
      '"""Sums."""',
      'def add(a: int, b: int = 1) -> int:',
      '    """Adds two numbers."""',
      '    print("adding")',
      '    __import__("time").sleep(0.3)  # the client drops progress that it reads together with the answer',
      '    return a + b',
    );
    const { client } = await connect([script], era);
    const { tools } = await client.listTools();
    expect(tools).toMatchObject([{ name: 'add', description: 'Adds two numbers.' }]);
    const lines: unknown[] = [];
    const onprogress = ({ message }: { message?: string }) => lines.push(message);
    const result = await client.callTool({ name: 'add', arguments: { a: 2, b: 3 } }, { onprogress });
    expect(result.content[0]).toEqual({ type: 'text', text: '5' });
    expect(result.structuredContent).toEqual({ result: 5 });
    expect(result._meta?.['mcp-execution/figures']).toMatchObject({ launcher: isForked ? 'fork' : 'warm' });
    expect(lines).toEqual(['adding']);
  });

  it('shows a traceback whole, and refuses arguments with what to change', async () => {
    const script = await writeScript('def fail(n: int):', '    raise ValueError("no " * n)');
    const { client } = await connect([script], era);
    const raised = await client.callTool({ name: 'fail', arguments: { n: 2 } });
    expect(raised.isError).toBe(true);
    expect(JSON.stringify(raised.content)).toContain('ValueError: no no');
    const refused = await client.callTool({ name: 'fail', arguments: { n: 'many' } });
    expect(refused.isError).toBe(true);
    expect(JSON.stringify(refused.content)).toMatch(/INVALID_ARGUMENTS.*n/);
  });

  it('runs eight calls at once', async () => {
    const script = await writeScript('import time', 'def nap(n: int) -> int:', '    time.sleep(0.2)', '    return n');
    const { client } = await connect([script], era);
    const numbers = [0, 1, 2, 3, 4, 5, 6, 7];
    const results = await Promise.all(numbers.map((n) => client.callTool({ name: 'nap', arguments: { n } })));
    expect(results.map(({ structuredContent }) => structuredContent)).toEqual(numbers.map((result) => ({ result })));
  });

  it('ends the process of a call that is cancelled', async () => {
    const script = await writeScript(hanging);
    const { client } = await connect([script], era);
    const controller = new AbortController();
    const pid = new Promise<number>((resolve) => {
      const onprogress = ({ message }: { message?: string }) => resolve(Number(message));
      client.callTool({ name: 'hang' }, { onprogress, signal: controller.signal }).catch(() => {});
    });
    const running = await pid;
    expect(isAlive(running)).toBe(true);
    controller.abort();
    await until(() => !isAlive(running));
  });
});

describe('mcp-exec serve', () => {
  it('keeps the tools of several scripts in one server, and the selection', async () => {
    const folder = await createFolder();
    await writeFile(join(folder, 'one.py'), 'def first(): ...\ndef second(): ...\n');
    await writeFile(join(folder, 'two.py'), 'def third(): ...\n');
    const { client } = await connect([folder, '--exclude', 'second']);
    const { tools } = await client.listTools();
    expect(tools.map(({ name }) => name)).toEqual(['first', 'third']);
  });

  it('serves the scripts that it can and logs the others', async () => {
    const folder = await createFolder();
    await writeFile(join(folder, 'good.py'), 'def first(): ...\n');
    await writeFile(join(folder, 'bad.py'), 'def first(:\n');
    const { client, stderr } = await connect([folder]);
    expect((await client.listTools()).tools).toHaveLength(1);
    expect(stderr()).toContain('a script is not served');
    expect(stderr()).toContain('bad.py');
  });

  it.each([
    ['def broken(:\n', 1, 'SYNTAX_ERROR'],
    ['x = 1\n', 2, 'mcp-exec discover --explain'],
  ])('ends before it serves anything where there is nothing to serve: %j', async (source, code, words) => {
    const script = await writeScript(source);
    const child = start([script]);
    const [stdout, stderr, [exitCode]] = await Promise.all([text(out(child)), text(err(child)), once(child, 'exit')]);
    expect(stdout).toBe('');
    expect(stderr).toContain(words);
    expect(exitCode).toBe(code);
  });

  it('writes nothing but the protocol to stdout, and the log of both layers to the file', async () => {
    const folder = await createFolder();
    const script = await writeScript('print("at import")', 'def fail():', '    print("out")', '    raise OSError("x")');
    const logFile = join(folder, 'log.jsonl');
    const child = start([script, '--log-level', 'debug', '--log-file', logFile]);
    const frames = readFrames(child);
    write(child, initialize, call(1, 'fail'));
    await frames.answer(1);
    child.stdin?.end();
    await once(child, 'exit');
    expect(frames.lines().every((line) => line.startsWith('{') && JSON.parse(line).jsonrpc === '2.0')).toBe(true);
    const logged = (await readFile(logFile, 'utf8'))
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(new Set(logged.map(({ layer }) => layer))).toEqual(new Set(['host', 'script']));
  });

  it('lives on after lines that are no messages, of whatever size', async () => {
    const child = start([await writeScript('def size(text: str) -> int:', '    return len(text)')]);
    const frames = readFrames(child);
    write(child, initialize);
    child.stdin?.write('{"jsonrpc":\n[]\nnull\n{"jsonrpc":"2.0","id":{},"method":"ping"}\n');
    child.stdin?.write(`${'x'.repeat(20 * 1024 * 1024)}\n`);
    const text = 'y'.repeat(20 * 1024 * 1024);
    write(child, { id: 1, method: 'tools/call', params: { name: 'size', arguments: { text } } });
    await frames.answer(1);
    const answers = frames.lines().map((line) => JSON.parse(line));
    const codes = answers.flatMap(({ error }) => error?.code ?? []);
    expect(codes).toEqual([-32700, -32600, -32600, -32600, -32700]);
    expect(answers.at(-1)).toMatchObject({ id: 1, result: { structuredContent: { result: text.length } } });
  });

  it.each([
    ['a log file that cannot be written', ['--log-file', '/nowhere/at/all.log'], 2, 'cannot be written'],
    ['a port that is none', ['--health-port', '70000'], 2, 'A port is a number'],
    ['a script that is not there', ['/nowhere/at/all.py'], 2, 'INVALID_SCRIPT'],
  ])('refuses %s', async (_what, words, code, said) => {
    const script = await writeScript('def first(): ...');
    const child = start([script, ...words]);
    child.stdin?.end();
    const [stderr, [exitCode]] = await Promise.all([text(err(child)), once(child, 'exit')]);
    expect(stderr).toContain(said);
    expect(exitCode).toBe(code);
  });

  it('answers /health once a call can pass', async () => {
    const script = await writeScript('def first(): ...');
    const { client, stderr } = await connect([script, '--health-port', '0']);
    await client.listTools();
    const url = /http:\S+/.exec(stderr())?.[0] ?? '';
    const ask = async () => (await fetch(url)).status;
    await expect.poll(ask, { timeout: 20_000 }).toBe(200);
  });
});

describe('--watch', () => {
  it('picks edits up, keeps the old tools over a syntax error, and the mended ones after it', async () => {
    const script = await writeScript('def first() -> int:', '    return 1');
    const { client, stderr } = await connect([script, '--watch']);
    let changes = 0;
    client.setNotificationHandler('notifications/tools/list_changed', () => {
      changes++;
    });
    await client.listTools();
    expect(await client.callTool({ name: 'first' })).toMatchObject({ structuredContent: { result: 1 } });
    await writeFile(script, 'def first() -> int:\n    return 2\n\ndef second(): ...\n');
    await expect.poll(() => changes, { timeout: 15_000 }).toBe(1);
    expect(await names(client)).toEqual(['first', 'second']);
    expect(await client.callTool({ name: 'first' })).toMatchObject({ structuredContent: { result: 2 } });
    await writeFile(script, 'def first( -> int:\n');
    await expect.poll(stderr, { timeout: 15_000 }).toContain('the tools of the script are as before');
    expect(await names(client)).toEqual(['first', 'second']);
    if (isForked) {
      expect(await client.callTool({ name: 'first' })).toMatchObject({ structuredContent: { result: 2 } });
    }
    await writeFile(script, 'def third(): ...\n');
    await expect.poll(() => changes, { timeout: 15_000 }).toBe(2);
    expect(await names(client)).toEqual(['third']);
  });
});

describe('the end of a server', () => {
  it('by closing its input, in the middle of a call: 0, and nothing is left', async () => {
    const { child, pids } = await hangingServer(1);
    child.stdin?.end();
    expect(await once(child, 'exit')).toEqual([0, null]);
    await until(() => !pids.some(isAlive));
  });

  it.each([
    ['SIGTERM', 0],
    ['SIGINT', 130],
  ] as const)('by %s, in the middle of a call: %i, and nothing is left', async (signal, code) => {
    const { child, pids } = await hangingServer(1);
    child.kill(signal);
    expect(await once(child, 'exit')).toEqual([code, null]);
    await until(() => !pids.some(isAlive));
  });

  it.each([
    ['closing its input', (child: ChildProcess) => child.stdin?.end()],
    ['SIGTERM', (child: ChildProcess) => child.kill('SIGTERM')],
  ])('by %s comes though nobody reads what a script floods', async (_how, end) => {
    const child = start([await writeScript('def flood():', '    while True:', '        print("x" * 999)')]);
    const exited = once(child, 'exit');
    write(child, initialize, call(0, 'flood', { progressToken: 0 }));
    const seen = out(child);
    await expect.poll(() => seen.read(0) ?? seen.readableLength, { timeout: 20_000 }).toBeGreaterThan(0);
    end(child);
    expect(await exited).toEqual([0, null]);
  });

  it('by a client that is killed in the middle of eight calls leaves no process', async () => {
    const folder = await createFolder();
    const script = await writeScript(hanging);
    const relay = join(folder, 'client.mjs');
    await writeFile(relay, killedClient);
    const client = spawn(process.execPath, [relay, bin, script], { stdio: ['ignore', 'pipe', 'inherit'] });
    started.push(client);
    const frames = readFrames(client);
    await expect.poll(() => pidsIn(frames.lines()).length, { timeout: 20_000 }).toBe(8);
    const pids = [...pidsIn(frames.lines()), ...childrenOf(client.pid ?? 0).flatMap(family)];
    expect(pids.length).toBeGreaterThan(8);
    client.kill('SIGKILL');
    await until(() => !pids.some(isAlive));
  });
});

const hanging = 'import os, time\ndef hang():\n    print(os.getpid(), flush=True)\n    time.sleep(600)\n';

/** Starts a server with eight calls under way, and passes on what it writes. */
const killedClient = `
import { spawn } from 'node:child_process';
const [bin, script] = process.argv.slice(2);
const server = spawn(process.execPath, [bin, 'serve', script], { stdio: ['pipe', 'pipe', 'inherit'] });
server.stdout.pipe(process.stdout);
const write = (message) => server.stdin.write(JSON.stringify({ jsonrpc: '2.0', ...message }) + '\\n');
write({ id: 'i', method: 'initialize', params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'k', version: '1' } } });
for (let id = 0; id < 8; id++) write({ id, method: 'tools/call', params: { name: 'hang', _meta: { progressToken: id } } });
`;

async function hangingServer(calls: number) {
  const child = start([await writeScript(hanging)]);
  const frames = readFrames(child);
  write(child, initialize);
  for (let id = 0; id < calls; id++) write(child, call(id, 'hang', { progressToken: id }));
  await expect.poll(() => pidsIn(frames.lines()).length, { timeout: 20_000 }).toBe(calls);
  return { child, pids: [...pidsIn(frames.lines()), ...childrenOf(child.pid ?? 0).flatMap(family)] };
}

function family(pid: number): number[] {
  return [pid, ...childrenOf(pid).flatMap(family)];
}

function pidsIn(lines: readonly string[]): number[] {
  return lines.flatMap((line) => /"message":"(\d+)"/.exec(line)?.[1] ?? []).map(Number);
}

async function names(client: Client): Promise<string[]> {
  return (await client.listTools()).tools.map(({ name }) => name);
}

const initialize = {
  id: 'initialize',
  method: 'initialize',
  params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'raw', version: '1' } },
};

function call(id: number, name: string, _meta?: object) {
  return { id, method: 'tools/call', params: { name, ...(_meta && { _meta }) } };
}

function write(child: ChildProcess, ...messages: readonly object[]): void {
  for (const message of messages) child.stdin?.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
}

function readFrames(child: ChildProcess) {
  let received = '';
  child.stdout?.setEncoding('utf8').on('data', (chunk: string) => {
    received += chunk;
  });
  const lines = () => received.split('\n').slice(0, -1);
  const answer = (id: number) => expect.poll(() => received, { timeout: 20_000 }).toMatch(new RegExp(`"id":${id}}`));
  return { lines, answer };
}

function out(child: ChildProcess) {
  if (!child.stdout) throw new Error('stdout is not a pipe');
  return child.stdout;
}

function err(child: ChildProcess) {
  if (!child.stderr) throw new Error('stderr is not a pipe');
  return child.stderr;
}

function start(words: readonly string[]): ChildProcess {
  const child = spawn(process.execPath, [bin, 'serve', ...words], { stdio: 'pipe' });
  started.push(child);
  return child;
}

async function connect(words: readonly string[], era: Era = '2025-11-25') {
  const env = Object.fromEntries(
    Object.entries(process.env).flatMap(([name, value]) => (value ? [[name, value]] : [])),
  );
  const args = [bin, 'serve', ...words];
  const transport = new StdioClientTransport({ command: process.execPath, args, env, stderr: 'pipe' });
  let stderr = '';
  transport.stderr?.on('data', (chunk: Buffer) => {
    stderr += chunk.toString();
  });
  const client = new Client({ name: 'test', version: '1' }, optionsOfEra(era));
  clients.push(client);
  await client.connect(transport);
  return { client, stderr: () => stderr };
}

async function writeScript(...lines: readonly string[]): Promise<string> {
  const script = join(await createFolder(), 'script.py');
  await writeFile(script, `${lines.join('\n')}\n`);
  return script;
}
