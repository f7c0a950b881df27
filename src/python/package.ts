import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import * as z from 'zod';
import { pythonPart } from './part.js';

const packageSchema = z.object({ version: z.string() });

/** The folder of this package, as it is installed. */
function packageFolder(): string {
  return dirname(pythonPart());
}

export function packageVersion(): string {
  return packageSchema.parse(JSON.parse(readFileSync(join(packageFolder(), 'package.json'), 'utf8'))).version;
}

/** The command mcp-exec of this package. */
export function mcpExecPath(): string {
  return join(packageFolder(), 'dist', 'bin', 'mcp-exec.js');
}
