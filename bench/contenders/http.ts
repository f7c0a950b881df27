import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { type Contender, pause, type Sizes } from './contender.js';
import type { McpCall } from './mcp.js';

export interface HttpServer {
  readonly name: string;
  readonly file: string;
  /** Given the port to listen on. */
  readonly args: (port: number) => readonly string[];
  readonly path: string;
}

const clients = 8;
const settleMs = 20;
const refillMs = 10;
const startWithinMs = 30_000;

/** A server over HTTP, called by eight official clients, each with its own connection. */
export async function createHttpContender(
  server: HttpServer,
  sizes: Sizes,
  nextCall: () => McpCall,
): Promise<Contender> {
  const port = await freePort();
  const child = spawn(server.file, server.args(port), { stdio: 'ignore', detached: true });
  const url = new URL(`http://127.0.0.1:${port}${server.path}`);
  try {
    await untilItListens(port, child);
    const connected = await Promise.all(Array.from({ length: clients }, () => connect(url)));
    return {
      name: server.name,
      sizes,
      async call(slot) {
        const { tool, args, check } = nextCall();
        const result = await connected[slot % clients]?.callTool({ name: tool, arguments: { ...args } });
        check(JSON.parse(JSON.stringify(result)));
      },
      ready: () => pause(refillMs),
      rest: () => pause(settleMs),
      async close() {
        await Promise.all(connected.map((client) => client.close().catch(() => {})));
        await end(child);
      },
    };
  } catch (error) {
    await end(child);
    throw new Error(`${server.name} cannot be measured`, { cause: error });
  }
}

async function connect(url: URL): Promise<Client> {
  const client = new Client({ name: 'bench', version: '1' });
  await client.connect(new StreamableHTTPClientTransport(url));
  return client;
}

async function untilItListens(port: number, child: ChildProcess): Promise<void> {
  const deadline = performance.now() + startWithinMs;
  while (performance.now() < deadline && child.exitCode === null) {
    const answered = await fetch(`http://127.0.0.1:${port}/`).then(
      () => true,
      () => false,
    );
    if (answered) return;
    await pause(50);
  }
  throw new Error(`nothing listens on the port (exit code ${child.exitCode})`);
}

async function freePort(): Promise<number> {
  const probe = createServer().listen(0, '127.0.0.1');
  await once(probe, 'listening');
  const address = probe.address();
  probe.close();
  await once(probe, 'close');
  if (typeof address !== 'object' || address === null) throw new Error('no port is free');
  return address.port;
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.pid === undefined) return;
  const gone = once(child, 'exit');
  signal(child.pid, 'SIGTERM');
  const timer = setTimeout(signal, 5000, child.pid, 'SIGKILL');
  await gone;
  clearTimeout(timer);
  signal(child.pid, 'SIGKILL');
}

/** The whole group: bridges leave their servers behind. */
function signal(group: number, name: NodeJS.Signals): void {
  try {
    process.kill(-group, name);
  } catch {
    // It is gone.
  }
}
