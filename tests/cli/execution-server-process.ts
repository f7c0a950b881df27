import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { Client, type ClientOptions } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { onTestFinished } from 'vitest';
import { folderWith } from '../engine/harness.js';
import { type Era, optionsOfEra } from '../server/sdk-client.js';

export const serverBin = join(import.meta.dirname, '../../dist/bin/mcp-execution-server.js');
const program = join(import.meta.dirname, 'servers/notes_its_starts.mjs');

export interface Scene {
  readonly folder: string;
  readonly workspace: string;
  readonly config: string;
  /** The words that start mcp-execution-server here. */
  readonly words: readonly string[];
  /** What the MCP server of the config has noted. */
  notes(): string;
  /** The lines of the run log. */
  runs(): readonly { readonly op: string; readonly outcome: string; readonly code?: string }[];
}

export const secret = 'sesame-opens-the-door';

/** A config with one MCP server, `numbers`, and a workspace, in a folder of their own. */
export function setScene(mcpServers: Readonly<Record<string, unknown>> = {}): Scene {
  const folder = folderWith({});
  const [config, workspace, notes] = [join(folder, 'mcp.json'), join(folder, 'workspace'), join(folder, 'notes')];
  const numbers = { command: process.execPath, args: [program], env: { NOTES: notes, API_TOKEN: secret } };
  mkdirSync(workspace);
  writeFileSync(config, JSON.stringify({ mcpServers: { numbers, ...mcpServers } }));
  return {
    folder,
    workspace,
    config,
    words: ['--config', config, '--workspace', workspace, '--cache-dir', join(folder, 'cache')],
    notes: () => textOf(notes),
    runs: () =>
      textOf(join(workspace, 'runs', 'log.jsonl'))
        .split('\n')
        .filter((line) => line !== '')
        .map((line) => JSON.parse(line)),
  };
}

function textOf(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return '';
  }
}

export interface Connected {
  readonly client: Client;
  readonly pid: number;
  readonly stderr: () => string;
}

/** The built server with the official client, until the test ends. */
export async function connect(
  words: readonly string[],
  era: Era = '2025-11-25',
  options: ClientOptions = {},
): Promise<Connected> {
  const env = Object.fromEntries(
    Object.entries(process.env).flatMap(([name, value]) => (value ? [[name, value]] : [])),
  );
  const args = [serverBin, ...words];
  const transport = new StdioClientTransport({ command: process.execPath, args, env, stderr: 'pipe' });
  let stderr = '';
  transport.stderr?.on('data', (chunk: Buffer) => {
    stderr += chunk.toString();
  });
  const client = new Client({ name: 'test', version: '1' }, { ...optionsOfEra(era), ...options });
  onTestFinished(() => client.close());
  await client.connect(transport);
  return { client, pid: transport.pid ?? -1, stderr: () => stderr };
}

/** The built server with nothing between it and the test. */
export function start(words: readonly string[], environment: NodeJS.ProcessEnv = {}): ChildProcess {
  const env = { ...process.env, ...environment };
  const child = spawn(process.execPath, [serverBin, ...words], { stdio: 'pipe', env });
  onTestFinished(async () => {
    if (child.exitCode !== null || child.signalCode !== null) return;
    child.kill('SIGKILL');
    await once(child, 'exit');
  });
  return child;
}

/** What it says and comes to, where it ends by itself. */
export async function outcomeOf(words: readonly string[], environment?: NodeJS.ProcessEnv) {
  const child = start(words, environment);
  child.stdin?.end();
  const [stdout, stderr, [exitCode]] = await Promise.all([
    child.stdout ? text(child.stdout) : '',
    child.stderr ? text(child.stderr) : '',
    once(child, 'exit'),
  ]);
  return { exitCode, stdout, stderr };
}
