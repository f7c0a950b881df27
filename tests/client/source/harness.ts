import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach } from 'vitest';
import type { CommandTarget } from '../../../src/client/client.js';
import type { ServerEntry } from '../../../src/client/config/config.js';
import { createServers, type Servers, type ServersOptions } from '../../../src/client/servers/servers.js';
import { commandOf } from '../harness.js';

const opened: Servers[] = [];
const folders: string[] = [];

/** Everything that a test opened is closed after it. */
afterEach(async () => {
  await Promise.all(opened.splice(0).map((servers) => servers.close()));
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
});

export function entry(
  name: string,
  server: string,
  target: Partial<CommandTarget> = {},
  more: Partial<ServerEntry> = {},
): ServerEntry {
  return {
    name,
    origin: '/home/somebody/.mcp.json',
    disabled: false,
    target: commandOf(server, target),
    secrets: Object.values(target.env ?? {}),
    ...more,
  };
}

export function openServers(entries: readonly ServerEntry[], options: Partial<ServersOptions> = {}): Servers {
  const servers = createServers(entries, { callTimeoutMs: 20_000, startTimeoutMs: 10_000, ...options });
  opened.push(servers);
  return servers;
}

export function folder(): string {
  const made = mkdtempSync(join(tmpdir(), 'mcp-execution-test-'));
  folders.push(made);
  return made;
}

/** The lists that are remembered there. */
export function filesIn(cacheDir: string): readonly string[] {
  const lists = join(cacheDir, 'tool-lists');
  return existsSync(lists) ? readdirSync(lists) : [];
}

/** A server whose tools stand in a file, and what it was asked. */
export interface FileServer {
  readonly entry: ServerEntry;
  offer(tools: readonly string[], more?: { readonly ttlMs?: number }): void;
  /** What it was asked since this was looked at last. */
  asked(): readonly string[];
}

export function fileServer(tools: readonly string[], name = 'files', env: Record<string, string> = {}): FileServer {
  const file = join(folder(), 'tools.json');
  const notes = `${file}.asked`;
  const { args } = commandOf('offers_what_a_file_says.mjs');
  const server: FileServer = {
    entry: entry(name, 'offers_what_a_file_says.mjs', { args: [...args, file], env }),
    offer: (offered, more = {}) => writeFileSync(file, JSON.stringify({ tools: offered, ...more })),
    asked() {
      const lines = existsSync(notes) ? readFileSync(notes, 'utf8').split('\n').slice(0, -1) : [];
      rmSync(notes, { force: true });
      return lines;
    },
  };
  server.offer(tools);
  return server;
}
