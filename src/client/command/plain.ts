import type { Command, ProcessEnd, ServerProcess } from './process.js';
import { codeOf, neverStarted, signalGroup, spawnInGroup } from './spawn.js';

/** A command without a guard: what it started goes with it, as far as that stayed in its group. */
export function startPlain({ command, args, cwd, env }: Command): ServerProcess {
  const spawned = spawnInGroup(command, args, { cwd, env, stdio: ['pipe', 'pipe', 'pipe'] });
  if (!spawned.isRunning) return neverStarted(spawned.problem);
  const { child } = spawned;
  const { stdin, stdout, stderr, pid } = child;
  if (!stdin || !stdout || !stderr) return neverStarted('EMFILE');
  const gone = new Promise<ProcessEnd>((resolve) => {
    child.once('exit', (exitCode, signal) => {
      signalGroup(pid, 'SIGKILL');
      resolve({ exitCode, signal });
    });
    child.once('error', (error) => resolve({ exitCode: null, signal: null, problem: codeOf(error) }));
  });
  let isGone = false;
  gone.then(() => {
    isGone = true;
  });
  const signalUnlessGone = (signal: NodeJS.Signals) => {
    if (!isGone) signalGroup(pid, signal);
  };
  return {
    stdin,
    stdout,
    stderr,
    pid,
    gone,
    terminate: () => signalUnlessGone('SIGTERM'),
    kill: () => signalUnlessGone('SIGKILL'),
  };
}
