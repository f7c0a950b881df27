import { existsSync } from 'node:fs';
import type { CommandTarget } from '../target.js';
import { serverEnvironment } from './environment.js';
import type { GuardAhead } from './guard-ahead.js';
import { type ProcessLimits, type ServerProcess, startProcess } from './process.js';
import { neverStarted } from './spawn.js';

/** A process of a command that nobody speaks with yet: it may come up while what speaks with it is loaded. */
export interface StartedCommand {
  readonly process: ServerProcess;
  /** On the clock of this process. */
  readonly at: number;
}

export interface StartOptions extends ProcessLimits {
  readonly python?: string;
  /** A guard that waits already. */
  readonly ahead?: GuardAhead;
}

/** Never throws: what went wrong is how the process ended. */
export function startCommand(target: CommandTarget, options: StartOptions): StartedCommand {
  return { at: performance.now(), process: startIn(target, options) };
}

function startIn(
  { command, args, cwd, env }: CommandTarget,
  { python, memoryBytes, maxProcessesInTree, ahead }: StartOptions,
): ServerProcess {
  if (cwd !== undefined && !existsSync(cwd)) return neverStarted('no folder');
  return startProcess(
    { command, args, cwd, env: serverEnvironment(env) },
    { python, memoryBytes, maxProcessesInTree, ahead },
  );
}
