import { randomUUID } from 'node:crypto';
import { readFile, readlink, stat, utimes } from 'node:fs/promises';
import { hostname } from 'node:os';
import { setTimeout as pause } from 'node:timers/promises';
import * as z from 'zod';
import { CallerError } from '../../errors.js';
import { createLockFile, readLockFile, removeOwnLockFile, takeAwayLockFile } from '../../lockfile.js';

export interface FolderLock {
  /** Aborts when somebody else took the lock away, because this process was silent for too long. */
  readonly lost: AbortSignal;
  release(): Promise<void>;
}

export interface FolderLockOptions {
  /** How long a holder on another machine is watched for a sign of life. */
  readonly silentMs?: number;
}

/** A lock file says who holds it; of a holder on another machine only its heartbeat can be seen. */
const holderSchema = z.object({
  pid: z.int().positive(),
  startedAt: z.string(),
  place: z.string(),
  token: z.string(),
});
type Holder = z.output<typeof holderSchema>;

const usualSilentMs = 10_000;
const beatsPerSilence = 5;

/** Throws CONFLICT where a living process holds the lock; that of a dead one is taken over. */
export async function takeFolderLock(file: string, options: FolderLockOptions = {}): Promise<FolderLock> {
  const { silentMs = usualSilentMs } = options;
  const me: Holder = {
    pid: process.pid,
    startedAt: await startOf(process.pid),
    place: await placeOf(),
    token: randomUUID(),
  };
  const text = `${JSON.stringify(me)}\n`;
  while (!(await createLockFile(file, text))) {
    const held = await readHeld(file);
    if (held === undefined) continue;
    if (await isAlive(file, held, me.place, silentMs)) throw heldBy(file, held);
    await takeAwayLockFile(file, held);
  }
  const lost = new AbortController();
  let misses = 0;
  const beat = setInterval(() => void showLife(), silentMs / beatsPerSilence);
  beat.unref();
  return {
    lost: lost.signal,
    async release() {
      clearInterval(beat);
      await removeOwnLockFile(file, text);
    },
  };

  async function showLife(): Promise<void> {
    misses = (await readLockFile(file)) === text ? 0 : misses + 1;
    // Once may be somebody who looked at it too closely, and puts it back.
    if (misses > 1) {
      clearInterval(beat);
      lost.abort();
    }
    if (misses > 0) return;
    const now = new Date();
    await utimes(file, now, now).catch(() => undefined);
  }
}

async function isAlive(file: string, text: string, place: string, silentMs: number): Promise<boolean> {
  const holder = holderOf(text);
  if (holder !== undefined && holder.place === place) return isRunning(holder);
  return await showsLife(file, text, silentMs);
}

async function isRunning({ pid, startedAt }: Holder): Promise<boolean> {
  try {
    process.kill(pid, 0);
  } catch (error) {
    if (codeOf(error) === 'ESRCH') return false;
  }
  // Nobody may have waited for it yet: in containers that can take for ever.
  if (/^[ZX]/.test((await statOf(pid))[0] ?? '')) return false;
  // The number of a dead process is given to another one some day, and in containers at once.
  const foundStart = await startOf(pid);
  return foundStart === '' || startedAt === '' || foundStart === startedAt;
}

/** The times themselves are not compared: the clocks of two machines differ. */
async function showsLife(file: string, text: string, silentMs: number): Promise<boolean> {
  const before = await lastTouchOf(file);
  for (let look = 0; look < beatsPerSilence * 2; look++) {
    await pause(silentMs / (beatsPerSilence * 2));
    if ((await lastTouchOf(file)) !== before) return (await readLockFile(file)) === text;
  }
  return false;
}

function heldBy(file: string, text: string): CallerError {
  const holder = holderOf(text);
  const who = holder === undefined ? 'another gateway' : `the gateway with process id ${holder.pid}`;
  const where = holder === undefined ? '' : ` on ${holder.place.split(' ', 1)[0]}`;
  const message = `The data folder is in use by ${who}${where}; end that one, or give this one another folder with --data (the lock is ${file})`;
  return new CallerError('CONFLICT', message);
}

function holderOf(text: string): Holder | undefined {
  try {
    return holderSchema.safeParse(JSON.parse(text)).data;
  } catch {
    return undefined;
  }
}

/** Where process ids mean the same: this machine, since it was started, and in this container. */
async function placeOf(): Promise<string> {
  const boot = await readLockFile('/proc/sys/kernel/random/boot_id');
  const namespace = await readlink('/proc/self/ns/pid').catch(() => undefined);
  return [hostname(), boot?.trim(), namespace].filter((part) => part !== undefined).join(' ');
}

/** Empty where the system does not tell. */
async function startOf(pid: number): Promise<string> {
  return (await statOf(pid))[19] ?? '';
}

/** What the system tells of a process after its name; the first is its state. */
async function statOf(pid: number): Promise<readonly string[]> {
  const line = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '');
  return line === '' ? [] : line.slice(line.lastIndexOf(')') + 2).split(' ');
}

async function lastTouchOf(file: string): Promise<number | undefined> {
  return stat(file).then(
    ({ mtimeMs }) => mtimeMs,
    () => undefined,
  );
}

/** A lock that is there and cannot be read would be tried for ever. */
async function readHeld(file: string): Promise<string | undefined> {
  try {
    return await readFile(file, 'utf8');
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return undefined;
    throw error;
  }
}

function codeOf(error: unknown): unknown {
  return error instanceof Error && 'code' in error ? error.code : undefined;
}
