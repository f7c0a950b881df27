import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import type { JsonObject } from '../../src/toolbox.js';
import { type Contender, pause, type Sizes } from './contender.js';

export interface Command {
  readonly name: string;
  readonly file: string;
  readonly args: readonly string[];
  readonly environment?: NodeJS.ProcessEnv;
}

interface Connection {
  request(method: string, params: JsonObject): Promise<JsonObject>;
  notify(method: string): void;
  close(): Promise<void>;
}

const settleMs = 20;
const refillMs = 10;

/** A server that stays, called over its standard streams by the same few lines whoever it is. */
export async function createMcpContender(command: Command, sizes: Sizes, nextCall: () => McpCall): Promise<Contender> {
  const connection = connect(command);
  await shakeHands(connection);
  return {
    name: command.name,
    sizes,
    async call() {
      const { tool, args, check } = nextCall();
      check(await connection.request('tools/call', { name: tool, arguments: args }));
    },
    // From outside it cannot be seen when the next process stands ready.
    ready: () => pause(refillMs),
    rest: () => pause(settleMs),
    close: () => connection.close(),
  };
}

export interface McpCall {
  readonly tool: string;
  readonly args: JsonObject;
  check(result: JsonObject): void;
}

/** From the start of the process to the answer that lists the tools. */
export async function timeToTools(command: Command, expected: number): Promise<number> {
  const startedAt = performance.now();
  const connection = connect(command);
  await shakeHands(connection);
  const { tools } = await connection.request('tools/list', {});
  const elapsedMs = performance.now() - startedAt;
  const found = Array.isArray(tools) ? tools.length : 0;
  await connection.close();
  if (found !== expected) throw new Error(`${command.name} lists ${found} tools, not ${expected}`);
  return elapsedMs;
}

async function shakeHands(connection: Connection): Promise<void> {
  const clientInfo = { name: 'bench', version: '1' };
  await connection.request('initialize', { protocolVersion: '2025-11-25', capabilities: {}, clientInfo });
  connection.notify('notifications/initialized');
}

function connect({ file, args, environment }: Command): Connection {
  const child = spawn(file, args, {
    stdio: ['pipe', 'pipe', 'ignore'],
    env: { ...process.env, ...environment },
  });
  const waiting = new Map<number, { resolve(result: JsonObject): void; reject(error: Error): void }>();
  let ids = 0;
  createInterface({ input: child.stdout }).on('line', (line) => {
    const { id, result, error } = JSON.parse(line);
    const caller = waiting.get(id);
    waiting.delete(id);
    if (error) caller?.reject(new Error(error.message));
    else caller?.resolve(result);
  });
  child.once('close', () => {
    for (const { reject } of waiting.values()) reject(new Error(`${file} ended before it answered`));
  });
  const send = (message: JsonObject) => child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
  return {
    request: (method, params) =>
      new Promise((resolve, reject) => {
        const id = ++ids;
        waiting.set(id, { resolve, reject });
        send({ id, method, params });
      }),
    notify: (method) => void send({ method }),
    close: () => ended(child),
  };
}

async function ended(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null) return;
  const gone = once(child, 'close');
  child.stdin?.end();
  const timer = setTimeout(() => child.kill('SIGKILL'), 5000);
  await gone;
  clearTimeout(timer);
}
