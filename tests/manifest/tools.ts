import { join, resolve } from 'node:path';
import type { ManifestTool } from '../../src/manifest/manifest.js';

/** A function of a script as a tool. */
export function functionTool(path: string, name: string, more: Partial<ManifestTool> = {}): ManifestTool {
  const script = resolve(join('/', path));
  return {
    name,
    inputSchema: { type: 'object' },
    run: { kind: 'function', script, function: name },
    enabled: true,
    why: 'public function',
    ...more,
  };
}

/** A whole script, or one of its subcommands, as a tool. */
export function commandTool(path: string, name: string, ...words: string[]): ManifestTool {
  const script = resolve(join('/', path));
  const command = { words, before: [], parameters: [] };
  return { ...functionTool(path, name), run: { kind: 'command', script, command } };
}
