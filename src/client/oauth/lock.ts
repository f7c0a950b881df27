import { randomUUID } from 'node:crypto';
import { link, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import { setTimeout as pause } from 'node:timers/promises';

const lookAgainMs = 25;
/** Whoever holds a lock gives up its work before this. */
export const staleMs = 60_000;

/** One process at a time. The lock of one that died is taken over. */
export async function withLock<T>(file: string, patienceMs: number, work: () => Promise<T>): Promise<T> {
  const me = `${hostname()} ${process.pid} ${randomUUID()}\n`;
  for (const until = Date.now() + patienceMs; !(await create(file, me)); ) {
    if (await isLeftBehind(file)) await removeLeftBehind(file, me);
    if (Date.now() > until) throw new Error(`another process holds ${file}`);
    await pause(lookAgainMs);
  }
  try {
    return await work();
  } finally {
    if ((await read(file)) === me) await rm(file, { force: true });
  }
}

/** With its whole content from the first moment on, so that nobody reads half a lock. */
async function create(file: string, text: string): Promise<boolean> {
  const aside = `${file}.${randomUUID()}.tmp`;
  await writeFile(aside, text, { flag: 'wx', mode: 0o600 });
  try {
    await link(aside, file);
    return true;
  } catch (error) {
    if (isCode(error, 'EEXIST')) return false;
    return await createWithoutLinks(file, text);
  } finally {
    await rm(aside, { force: true });
  }
}

/** Some file systems have no links. */
async function createWithoutLinks(file: string, text: string): Promise<boolean> {
  try {
    await writeFile(file, text, { flag: 'wx', mode: 0o600 });
    return true;
  } catch (error) {
    if (isCode(error, 'EEXIST')) return false;
    throw error;
  }
}

async function isLeftBehind(file: string): Promise<boolean> {
  const held = await read(file);
  if (held === undefined) return false;
  if (await isStale(file)) return true;
  const [host, pid] = held.split(' ');
  return host === hostname() && !isRunning(Number(pid));
}

async function isStale(file: string): Promise<boolean> {
  const found = await stat(file).catch(() => undefined);
  return found !== undefined && Date.now() - found.mtimeMs > staleMs;
}

function isRunning(pid: number): boolean {
  if (!Number.isInteger(pid) || pid <= 0) return false;
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return !isCode(error, 'ESRCH');
  }
}

/** One at a time looks and removes: another one could remove the lock of whoever was faster. */
async function removeLeftBehind(file: string, me: string): Promise<void> {
  const removing = `${file}.removing`;
  if (!(await create(removing, me))) {
    if (await isStale(removing)) await rm(removing, { force: true });
    return;
  }
  try {
    if (await isLeftBehind(file)) await rm(file, { force: true });
  } finally {
    await rm(removing, { force: true });
  }
}

function read(file: string): Promise<string | undefined> {
  return readFile(file, 'utf8').catch(() => undefined);
}

function isCode(error: unknown, code: string): boolean {
  return error instanceof Error && 'code' in error && error.code === code;
}
