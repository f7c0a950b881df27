import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { CallerError } from '../../errors.js';
import { clientIds } from './clients.js';

/** Where a project's servers are looked for, the first of them first. */
export const configNames = [
  '.mcp.json',
  'mcp_config.json',
  join('.cursor', 'mcp.json'),
  join('.vscode', 'mcp.json'),
] as const;

const smallest =
  '{ "mcpServers": { "files": { "command": "npx", "args": ["-y", "@modelcontextprotocol/server-filesystem", "."] } } }';

/** The config of a folder, where none is named. */
export function findConfig(cwd: string): readonly string[] {
  const found = configNames.map((name) => join(cwd, name)).find((file) => existsSync(file));
  if (found !== undefined) return [found];
  const message =
    `There is no MCP config in ${cwd}: looked for ${configNames.join(', ')}. ` +
    `Name a file with --config, or a client whose file is meant (${clientIds.join(', ')}), or write .mcp.json: ${smallest}`;
  throw new CallerError('INVALID_CONFIG', message, { argument: '--config', tried: configNames });
}
