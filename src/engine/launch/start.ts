import { type ChildProcess, type StdioOptions, spawn } from 'node:child_process';
import { join } from 'node:path';
import type { Interpreter } from '../../python/interpreter.js';
import { pythonPart } from '../../python/part.js';
import { spawnFailed } from './launcher.js';

/** Starts our Python part in a group of its own. What the system refuses at once is thrown, and harms nobody else. */
export function startPart(
  interpreter: Interpreter,
  role: 'template' | 'sandboxed-template' | 'guarded' | 'warm',
  environment: Record<string, string>,
  stdio: StdioOptions,
  before: readonly string[] = [],
): ChildProcess {
  const [file = interpreter.executable, ...args] = [
    ...before,
    interpreter.executable,
    '-X',
    'utf8',
    join(pythonPart(), 'start.py'),
    role,
  ];
  const options = { env: environment, stdio, detached: process.platform !== 'win32', windowsHide: true };
  const child = startOrThrow(file, args, options);
  if (hasStreams(child)) return child;
  child.once('error', () => {});
  throw spawnFailed('no more files can be opened');
}

function startOrThrow(...command: Parameters<typeof spawn>): ChildProcess {
  try {
    return spawn(...command);
  } catch (error) {
    throw spawnFailed((error as NodeJS.ErrnoException).code ?? 'the system refused');
  }
}

/** Node gives a child without streams where it has no descriptors left, against its own types. */
function hasStreams({ stdio }: { stdio?: unknown }): boolean {
  return stdio !== undefined;
}
