import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { onTestFinished } from 'vitest';
import { folderWith } from '../engine/harness.js';
import { type GatewayProcess, startGateway } from '../gateway/gateway-process.js';
import { descendants } from './processes.js';

type Programs = Readonly<Record<'everything' | 'filesystem' | 'memory', string>>;

/** The servers that were installed for these tests; none where they could not be had. */
export const programs: Programs | undefined = JSON.parse(process.env.MCP_EXECUTION_SERVERS ?? 'null') ?? undefined;

export interface Served extends GatewayProcess {
  /** A folder that the server of files may read. */
  readonly folder: string;
}

/** A gateway with the three servers: `everything` by session and, as `shared`, for all; `files`; `memory`. */
export async function serveServers({ everything, filesystem, memory }: Programs): Promise<Served> {
  const folder = folderWith({ 'note.txt': 'a note\n' });
  const by = (program: string, ...args: string[]) => ({ command: process.execPath, args: [program, ...args] });
  const services = {
    everything: by(everything),
    shared: { ...by(everything, 'stdio'), stateless: true, maxProcesses: 3 },
    files: { ...by(filesystem, folder), stateless: true },
    memory: { ...by(memory), env: { MEMORY_FILE_PATH: join(folder, 'memory.jsonl') } },
  };
  const config = join(folderWith({}), 'gateway.json');
  writeFileSync(config, JSON.stringify({ services, cacheTtlMs: 0 }));
  return { ...(await startGateway(['--config', config])), folder };
}

/** The official client, in a session of its own. */
export async function connectTo({ url }: GatewayProcess, service: string): Promise<Client> {
  const client = new Client({ name: 'test', version: '1' });
  await client.connect(new StreamableHTTPClientTransport(new URL(`${url}/api/v1/mcp/${service}`)));
  onTestFinished(() => client.close());
  return client;
}

export function textOf(result: { readonly content: readonly object[] }): string {
  const [block] = result.content;
  return block && 'text' in block ? String(block.text) : JSON.stringify(result);
}

/** The processes of the gateway whose command line ends with that word. */
export function processesBelow({ pid }: GatewayProcess, word = ''): readonly number[] {
  return descendants(pid)
    .map((process) => process.pid)
    .filter((found) => commandOf(found).endsWith(word));
}

export function isRunning(pid: number): boolean {
  return commandOf(pid) !== '';
}

/** Empty of what is gone, and of what is dead and not yet waited for. */
function commandOf(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0').join(' ').trim();
  } catch {
    return '';
  }
}

/** Calls that were asked for and are not answered yet. */
export async function underWay({ url }: GatewayProcess): Promise<number> {
  const answer = await (await fetch(`${url}/api/v1/admin/requests`)).json();
  return (answer as { requests: readonly object[] }).requests.length;
}
