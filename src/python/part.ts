import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

let found: string | undefined;

/** The folder of what runs inside the Python processes; it holds the package `mcp_execution`. */
export function pythonPart(): string {
  found ??= searchUpwards(dirname(fileURLToPath(import.meta.url)));
  return found;
}

function searchUpwards(folder: string): string {
  const part = join(folder, 'python');
  if (existsSync(join(part, 'mcp_execution'))) return part;
  const parent = dirname(folder);
  if (parent === folder) throw new Error('The installation is incomplete: its folder python/mcp_execution is missing.');
  return searchUpwards(parent);
}
