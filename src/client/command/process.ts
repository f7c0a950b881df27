import type { Readable, Writable } from 'node:stream';
import type { LinkedProcess } from '../link.js';
import type { CommandTarget, FilledOptions } from '../target.js';
import type { GuardAhead } from './guard-ahead.js';
import { startGuarded } from './guarded.js';
import { startPlain } from './plain.js';

/** How a process came to its end, everything that it had started included. */
export interface ProcessEnd {
  readonly exitCode: number | null;
  readonly signal: string | null;
  /** What it had too much of, where it was ended for that. */
  readonly limit?: 'memory' | 'processes';
  /** Why it never ran, in the system's word. */
  readonly problem?: string;
}

export interface ServerProcess extends LinkedProcess {
  readonly stdin: Writable;
  readonly stdout: Readable;
  readonly stderr: Readable;
  /** When the process and, as far as can be seen, all that it started is gone. */
  readonly gone: Promise<ProcessEnd>;
  /** Asks the whole tree to end. */
  terminate(): void;
  /** Ends the whole tree. */
  kill(): void;
}

export type ProcessLimits = Pick<FilledOptions, 'memoryBytes' | 'maxProcessesInTree'>;

export interface Command extends Pick<CommandTarget, 'command' | 'args' | 'cwd'> {
  readonly env: Readonly<Record<string, string>>;
}

/** Starts a command in a group of its own, under a guard where there is an interpreter for it. Never throws. */
export function startProcess(
  command: Command,
  { python, ...limits }: ProcessLimits & { readonly python?: string; readonly ahead?: GuardAhead },
): ServerProcess {
  return python !== undefined && process.platform === 'linux'
    ? startGuarded(command, python, limits)
    : startPlain(command);
}
