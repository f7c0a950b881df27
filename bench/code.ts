import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import type { CodeExecution } from '../src/codemode/code-execution.js';
import { createCodeExecution } from '../src/services/code-execution.js';
import { fleetSize, writeFleet } from './fleet.js';

export interface CodeFigures {
  readonly size: {
    readonly readBytes: number;
    readonly allBytes: number;
    readonly servers: number;
    readonly tools: number;
  };
  /** Of 100 calls, by a script and by the SDK's client itself. */
  readonly scriptMs: readonly number[];
  readonly directMs: readonly number[];
  /** Of a script that does nothing: without wrappers, with all of them on disk, and when it imports one. */
  readonly bareMs: readonly number[];
  readonly besideMs: readonly number[];
  readonly importingMs: readonly number[];
}

const node = process.execPath;
const calls = 100;
const task = 'refund a payment of an order';

/** What code execution costs: what an agent reads, what a call adds, and what wrappers add to the start of a script. */
export async function measureCode(rounds: number): Promise<CodeFigures> {
  const folder = mkdtempSync(join(tmpdir(), 'bench-'));
  try {
    const config = writeFleet(join(folder, 'fleet'));
    const withWrappers = await createCodeExecution({ config, workspace: join(folder, 'with') });
    const without = await createCodeExecution({ config, workspace: join(folder, 'without') });
    try {
      await withWrappers.generateWrappers();
      const size = await sizeOf(withWrappers, config, folder);
      return { size, ...(await timesOfCalls(folder, rounds)), ...(await timesOfStart(withWrappers, without, rounds)) };
    } finally {
      await Promise.all([withWrappers.close(), without.close()]);
    }
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** The list of mcp-execution-server and what a search shows, against the lists of all servers. */
async function sizeOf(code: CodeExecution, config: string, folder: string): Promise<CodeFigures['size']> {
  const server = resolve('dist', 'bin', 'mcp-execution-server.js');
  const own = await listOf(node, [server, '--config', config, '--workspace', join(folder, 'served')]);
  const script = `from mcp_execution import search_tools\nfor found in search_tools(${JSON.stringify(task)}, limit=5): print(found)`;
  const { stdout } = await code.executeScript({ script });
  let allBytes = 0;
  let tools = 0;
  for (const name of code.servers) {
    const path = join(folder, 'fleet', `${name}.py`);
    const list = await listOf(node, [resolve('dist', 'bin', 'mcp-exec.js'), 'serve', path]);
    allBytes += JSON.stringify(list).length;
    tools += list.length;
  }
  if (tools !== fleetSize.tools) throw new Error(`${tools} tools are served, and ${fleetSize.tools} were meant`);
  return { readBytes: JSON.stringify(own).length + stdout.length, allBytes, servers: code.servers.length, tools };
}

async function listOf(command: string, args: readonly string[]): Promise<readonly unknown[]> {
  const client = await connected(command, args);
  const { tools } = await client.listTools();
  await client.close();
  return tools;
}

async function connected(command: string, args: readonly string[]): Promise<Client> {
  const client = new Client({ name: 'bench', version: '0' });
  await client.connect(new StdioClientTransport({ command, args: [...args], stderr: 'ignore' }));
  return client;
}

async function timesOfCalls(folder: string, rounds: number): Promise<Pick<CodeFigures, 'scriptMs' | 'directMs'>> {
  const args = [resolve('bench', 'servers', 'stdio.mjs')];
  const config = { mcpServers: { local: { command: node, args } } };
  const code = await createCodeExecution({ config, workspace: join(folder, 'calls') });
  const client = await connected(node, args);
  const script = `from mcp_execution import call_tool
for number in range(${calls}): assert call_tool("local", "add", {"a": number, "b": 1})`;
  const direct = async () => {
    for (let number = 0; number < calls; number++) {
      await client.callTool({ name: 'add', arguments: { a: number, b: 1 } });
    }
  };
  const byScript = () => code.executeScript({ script });
  try {
    const [scriptMs, directMs] = await inTurns([byScript, direct], rounds);
    return { scriptMs: scriptMs ?? [], directMs: directMs ?? [] };
  } finally {
    await Promise.all([client.close(), code.close()]);
  }
}

async function timesOfStart(
  withWrappers: CodeExecution,
  without: CodeExecution,
  rounds: number,
): Promise<Pick<CodeFigures, 'bareMs' | 'besideMs' | 'importingMs'>> {
  const script = 'result(1)';
  const importing = 'from servers.payments import search_payment\nresult(1)';
  const works = [
    () => without.executeScript({ script }),
    () => withWrappers.executeScript({ script }),
    () => withWrappers.executeScript({ script: importing }),
  ];
  const [bareMs = [], besideMs = [], importingMs = []] = await inTurns(works, rounds * 3);
  return { bareMs, besideMs, importingMs };
}

/** Each in every round, after one that does not count. */
async function inTurns(works: readonly (() => Promise<unknown>)[], rounds: number): Promise<number[][]> {
  for (const work of works) await work();
  const times = works.map((): number[] => []);
  for (let round = 0; round < rounds; round++) {
    for (let place = 0; place < works.length; place++) {
      const index = (place + round) % works.length;
      const startedAt = performance.now();
      await works[index]?.();
      times[index]?.push(performance.now() - startedAt);
    }
  }
  return times;
}
