import { randomUUID } from 'node:crypto';
import { stat, utimes } from 'node:fs/promises';
import { hostname } from 'node:os';
import { setTimeout as pause } from 'node:timers/promises';
import { createLockFile, readLockFile, removeOwnLockFile, takeAwayLockFile } from './lockfile.js';

export interface LockOptions {
  readonly signal?: AbortSignal;
  /** Called once when somebody else holds the lock. */
  readonly onWait?: () => void;
  /** How long a holder may be silent before it counts as dead. */
  readonly staleMs?: number;
  readonly pollMs?: number;
  /** How long another holder is waited for; without end unless said. */
  readonly patienceMs?: number;
}

export const usualStaleMs = 15_000;

/** Does the work while no other process does work under the same lock file. A holder that died is not waited for. */
export async function underLock<T>(file: string, work: () => Promise<T>, options: LockOptions = {}): Promise<T> {
  const { signal, onWait, staleMs = usualStaleMs, pollMs = 100, patienceMs = Number.POSITIVE_INFINITY } = options;
  const token = JSON.stringify({ pid: process.pid, host: hostname(), id: randomUUID() });
  const until = Date.now() + patienceMs;
  let hasWaited = false;
  while (!(await createLockFile(file, token))) {
    signal?.throwIfAborted();
    if (await isAbandoned(file, staleMs)) continue;
    if (Date.now() > until) throw new Error(`another process holds ${file}`);
    if (!hasWaited) onWait?.();
    hasWaited = true;
    await pause(pollMs, undefined, { signal });
  }
  const beat = setInterval(() => void utimes(file, new Date(), new Date()).catch(() => undefined), staleMs / 5);
  beat.unref();
  try {
    return await work();
  } finally {
    clearInterval(beat);
    await removeOwnLockFile(file, token);
  }
}

/** Where the holder is gone, its lock is taken away. */
async function isAbandoned(file: string, staleMs: number): Promise<boolean> {
  const token = await readLockFile(file);
  const lastSignAt = await stat(file).then(
    ({ mtimeMs }) => mtimeMs,
    () => undefined,
  );
  if (lastSignAt === undefined) return true;
  const isSilent = Date.now() - lastSignAt >= staleMs;
  if (!isSilent && (token === undefined || !isDead(token))) return false;
  await takeAwayLockFile(file, token);
  return true;
}

/** A process of this machine that does not exist any more; of another machine nothing is known. */
function isDead(token: string): boolean {
  try {
    const { pid, host }: { pid?: unknown; host?: unknown } = JSON.parse(token);
    if (typeof pid !== 'number' || host !== hostname()) return false;
    process.kill(pid, 0);
    return false;
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'ESRCH';
  }
}
