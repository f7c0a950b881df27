import { type ChildProcess, type SpawnOptions, spawn } from 'node:child_process';
import { PassThrough } from 'node:stream';
import type { ProcessEnd, ServerProcess } from './process.js';

/** A child in a group of its own, or the system's word for why there is none. */
export type Spawned =
  | { readonly isRunning: true; readonly child: ChildProcess }
  | { readonly isRunning: false; readonly problem: string };

export function spawnInGroup(file: string, args: readonly string[], options: SpawnOptions): Spawned {
  let child: ChildProcess;
  try {
    child = spawn(file, args, { ...options, shell: false, windowsHide: true, detached: hasGroups });
  } catch (error) {
    return { isRunning: false, problem: codeOf(error) };
  }
  if (hasStreams(child)) return { isRunning: true, child };
  child.once('error', () => {});
  return { isRunning: false, problem: 'EMFILE' };
}

export const hasGroups = process.platform !== 'win32';

/** Sends a signal to a process and what stayed in its group. */
export function signalGroup(pid: number | undefined, signal: NodeJS.Signals): void {
  if (pid === undefined) return;
  try {
    process.kill(hasGroups ? -pid : pid, signal);
  } catch {
    // All of them are gone.
  }
}

/** In place of a process that the system refused. */
export function neverStarted(problem: string): ServerProcess {
  const end: ProcessEnd = { exitCode: null, signal: null, problem };
  const stdin = new PassThrough();
  const stdout = new PassThrough();
  const stderr = new PassThrough();
  stdout.end();
  stderr.end();
  return { stdin, stdout, stderr, pid: undefined, gone: Promise.resolve(end), terminate() {}, kill() {} };
}

export function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : 'EUNKNOWN';
}

/** Node gives a child without streams where it has no descriptors left, against its own types. */
function hasStreams({ stdio }: { readonly stdio?: unknown }): boolean {
  return stdio !== undefined;
}
