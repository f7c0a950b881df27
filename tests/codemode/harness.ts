import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import type { CodeExecution, ExecuteResult } from '../../src/codemode/code-execution.js';
import { type CodeExecutionInput, createCodeExecution } from '../../src/services/code-execution.js';
import { folderWith } from '../engine/harness.js';

const servers = join(import.meta.dirname, '..', 'client', 'servers');

/** A server of tests/client/servers, as a config names it. */
export function serverEntry(name: string, ...args: readonly string[]) {
  return { command: process.execPath, args: [join(servers, `${name}.mjs`), ...args] };
}

export interface OpenedCode {
  readonly code: CodeExecution;
  readonly workspace: string;
  run(script: string, options?: Omit<Parameters<CodeExecution['executeScript']>[0], 'script'>): Promise<ExecuteResult>;
}

/** Code execution with these servers, in a workspace of its own, closed with the test. */
export async function openCode(
  mcpServers: Readonly<Record<string, unknown>>,
  options: CodeExecutionInput = {},
): Promise<OpenedCode> {
  const folder = folderWith({});
  const config = join(folder, 'mcp.json');
  writeFileSync(config, JSON.stringify({ mcpServers }));
  const workspace = join(folder, 'workspace');
  const code = await createCodeExecution({
    config,
    workspace,
    ...options,
    engine: { idleChildren: 1, logLevel: 'silent', cacheDir: join(folder, 'cache'), ...options.engine },
  });
  onTestFinished(() => code.close());
  return { code, workspace, run: (script, more) => code.executeScript({ script, ...more }) };
}
