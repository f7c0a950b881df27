import { spawnGuard } from './guarded.js';
import type { Spawned } from './spawn.js';

/** A guard that waits for its command. */
export interface GuardAhead {
  /** Once, and only while it lives. */
  take(): Spawned | undefined;
  /** Ends it where nobody took it. */
  close(): void;
}

/** Started before it is known what to guard, because Python takes a while to come up. */
export function startGuardAhead(python: string): GuardAhead {
  let waiting: Spawned | undefined = spawnGuard(python);
  if (waiting.isRunning) waiting.child.once('error', () => {});
  return {
    take() {
      const taken = waiting;
      waiting = undefined;
      return taken?.isRunning && taken.child.exitCode === null && taken.child.signalCode === null ? taken : undefined;
    },
    close() {
      // It ends by itself when nobody is left to give it a command.
      if (waiting?.isRunning) for (const stream of waiting.child.stdio) stream?.destroy();
      waiting = undefined;
    },
  };
}
