import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, expect } from 'vitest';
import {
  type CommandTarget,
  createServerToolbox,
  type ServerToolbox,
  type ServerToolboxOptions,
} from '../../src/client/client.js';
import { ExecutionError } from '../../src/errors.js';
import { createLog, type Log } from '../../src/log.js';
import { findPython } from '../../src/python/interpreter.js';
import type { ToolResult } from '../../src/toolbox.js';

const servers = join(import.meta.dirname, 'servers');
const opened: ServerToolbox[] = [];

/** Everything that a test opened is closed after it. */
afterEach(async () => {
  await Promise.all(opened.splice(0).map((toolbox) => toolbox.close()));
});

export function commandOf(server: string, target: Partial<CommandTarget> = {}): CommandTarget {
  return { kind: 'command', command: process.execPath, args: [join(servers, server)], ...target };
}

export function open(
  server: string,
  target: Partial<CommandTarget> = {},
  options: ServerToolboxOptions = {},
): ServerToolbox {
  return keep(createServerToolbox(commandOf(server, target), options));
}

export function keep(toolbox: ServerToolbox): ServerToolbox {
  opened.push(toolbox);
  return toolbox;
}

export interface Recorded {
  readonly log: Log;
  readonly entries: readonly Readonly<Record<string, unknown>>[];
  text(): string;
}

export function recordLog(): Recorded {
  const entries: Record<string, unknown>[] = [];
  const log = createLog({ level: 'debug', write: (line) => entries.push(JSON.parse(line)) });
  return { log, entries, text: () => entries.map((entry) => JSON.stringify(entry)).join('\n') };
}

export function textOf({ content }: ToolResult): string {
  const [block] = content;
  return block?.type === 'text' ? block.text : JSON.stringify(content);
}

export async function failure(work: Promise<unknown>): Promise<ExecutionError> {
  const outcome = await work.then(
    (value) => value,
    (error: unknown) => error,
  );
  expect(outcome).toBeInstanceOf(ExecutionError);
  if (!(outcome instanceof ExecutionError)) throw new Error('The work did not fail');
  return outcome;
}

/** Whether a process runs; one that is dead and not yet waited for does not. */
export function isAlive(pid: number): boolean {
  if (!existsSync('/proc/self')) return canBeSignalled(pid);
  try {
    return !/\) [ZX] /.test(readFileSync(`/proc/${pid}/stat`, 'utf8'));
  } catch {
    return false;
  }
}

function canBeSignalled(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

/** For what the system brings about and nobody tells of. */
export async function until(condition: () => boolean): Promise<void> {
  await expect.poll(condition, { interval: 10, timeout: 10_000 }).toBe(true);
}

export const hasGuard = process.platform === 'linux';

/** With a guard and without, where there is one. */
export async function guards(): Promise<readonly { readonly name: string; readonly python: string | undefined }[]> {
  const plain = { name: 'without a guard', python: undefined };
  if (!hasGuard) return [plain];
  const { executable } = await findPython();
  return [{ name: 'under a guard', python: executable }, plain];
}
