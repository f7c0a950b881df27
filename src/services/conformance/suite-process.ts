import { createInterface } from 'node:readline';
import { serverEnvironment } from '../../client/command/environment.js';
import { signalGroup, spawnInGroup } from '../../client/command/spawn.js';
import { HostError } from '../../errors.js';
import type { SuiteOutput } from './output.js';
import type { ConformanceProgram } from './program.js';

export interface SuiteProcess {
  readonly args: readonly string[];
  /** Where it runs, and where its results go. */
  readonly folder: string;
  readonly output: SuiteOutput;
  /** Ends it, with all that it started. */
  readonly signal: AbortSignal;
}

/** Runs the suite to its end, or to where it is ended. It is given none of this process's secrets. */
export async function runSuiteProcess(
  { node, program }: ConformanceProgram,
  { args, folder, output, signal }: SuiteProcess,
): Promise<void> {
  if (signal.aborted) return;
  const spawned = spawnInGroup(node, [program, ...args], {
    cwd: folder,
    env: serverEnvironment(),
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  if (!spawned.isRunning) throw cannotRun(spawned.problem);
  const { child } = spawned;
  const stop = () => signalGroup(child.pid, 'SIGKILL');
  signal.addEventListener('abort', stop, { once: true });
  for (const input of [child.stdout, child.stderr]) {
    if (input) createInterface({ input, crlfDelay: Number.POSITIVE_INFINITY }).on('line', output.take);
  }
  try {
    await new Promise<void>((resolve, reject) => {
      child.once('error', (error) => reject(cannotRun(error.message)));
      child.once('exit', stop);
      child.once('close', () => resolve());
    });
  } finally {
    signal.removeEventListener('abort', stop);
  }
}

function cannotRun(reason: string): HostError {
  return new HostError('DEPENDENCIES_FAILED', `The official conformance suite could not be started: ${reason}`);
}
