import { join } from 'node:path';
import type { Machine } from '../../../src/client/config/clients.js';
import { type McpConfig, readMcpConfig, type ServerEntry } from '../../../src/client/config/config.js';

export const fixtures = join(import.meta.dirname, '..', '..', 'fixtures', 'configs');

export const machine: Machine = { platform: 'linux', environment: {}, home: '/home/ada', namesIn: () => [] };

interface Given {
  readonly environment?: NodeJS.ProcessEnv;
  readonly inputs?: Readonly<Record<string, string>>;
  readonly cwd?: string;
  readonly machine?: Machine;
}

export function readFixture(path: string, given: Given = {}): Promise<McpConfig> {
  return readMcpConfig([join(fixtures, path)], { environment: {}, machine, ...given });
}

/** One entry, as if it stood in a config of the folder /srv. */
export async function readEntry(entry: unknown, given: Given = {}): Promise<ServerEntry> {
  const mcpServers = { it: entry };
  const { entries } = await readMcpConfig([{ mcpServers }], { environment: {}, machine, cwd: '/srv', ...given });
  const [found] = entries;
  if (found === undefined) throw new Error('there is no entry');
  return found;
}

/** Written with # in tests, because such texts look like templates that lack their quotes. */
export function withDollars<T>(value: T): T {
  return JSON.parse(JSON.stringify(value).replaceAll('#{', '${'));
}
