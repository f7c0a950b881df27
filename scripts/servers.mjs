import { join } from 'node:path';
import { installedBeside } from './npm-package.mjs';

/** MCP servers that others wrote, which speak on standard input and output. */
const version = '2026.8.31';
const names = ['everything', 'filesystem', 'memory'];

/** The programs of the servers, by name, as a variable for the tests; nothing where they cannot be had. */
export async function serversEnvironment() {
  const packages = names.map((name) => `@modelcontextprotocol/server-${name}`);
  const folder = await installedBeside(
    `servers-${version}`,
    packages.map((name) => `${name}@${version}`),
  );
  if (!folder) return {};
  const programs = names.map((name, index) => [name, join(folder, packages[index], 'dist/index.js')]);
  return { MCP_EXECUTION_SERVERS: JSON.stringify(Object.fromEntries(programs)) };
}
