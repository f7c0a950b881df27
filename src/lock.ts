import { randomUUID } from 'node:crypto';
import { link, readFile, rename, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import { setTimeout as pause } from 'node:timers/promises';

export interface LockOptions {
  readonly signal?: AbortSignal;
  /** Called once when somebody else holds the lock. */
  readonly onWait?: () => void;
  /** How long a holder may be silent before it counts as dead. */
  readonly staleMs?: number;
  readonly pollMs?: number;
}

const defaultStaleMs = 15_000;

/** Does the work while no other process does work under the same lock file. A holder that died is not waited for. */
export async function underLock<T>(file: string, work: () => Promise<T>, options: LockOptions = {}): Promise<T> {
  const { signal, onWait, staleMs = defaultStaleMs, pollMs = 100 } = options;
  const token = JSON.stringify({ pid: process.pid, host: hostname(), id: randomUUID() });
  let hasWaited = false;
  while (!(await take(file, token))) {
    signal?.throwIfAborted();
    if (await isAbandoned(file, staleMs)) continue;
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
    if ((await read(file)) === token) await rm(file, { force: true });
  }
}

async function take(file: string, token: string): Promise<boolean> {
  try {
    await writeFile(file, token, { flag: 'wx', mode: 0o600 });
    return true;
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : undefined;
    // Windows says EPERM of a file that is just being removed.
    if (code === 'EEXIST' || (code === 'EPERM' && process.platform === 'win32')) return false;
    // A full disk takes the name of a file and not its content.
    await rm(file, { force: true }).catch(() => undefined);
    throw error;
  }
}

/** Where the holder is gone, its lock is taken away, and only its: somebody faster may hold another one by now. */
async function isAbandoned(file: string, staleMs: number): Promise<boolean> {
  const token = await read(file);
  const lastSignAt = await stat(file).then(
    ({ mtimeMs }) => mtimeMs,
    () => undefined,
  );
  if (lastSignAt === undefined) return true;
  const isSilent = Date.now() - lastSignAt >= staleMs;
  if (!isSilent && (token === undefined || !isDead(token))) return false;
  const aside = `${file}.${randomUUID()}`;
  try {
    await rename(file, aside);
    if ((await read(aside)) !== token) await link(aside, file).catch(() => undefined);
  } catch {
    // Another one took it away.
  } finally {
    await rm(aside, { force: true }).catch(() => undefined);
  }
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

function read(file: string): Promise<string | undefined> {
  return readFile(file, 'utf8').catch(() => undefined);
}
