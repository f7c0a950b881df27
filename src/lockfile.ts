import { randomUUID } from 'node:crypto';
import { link, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { setTimeout as pause } from 'node:timers/promises';

const lookAgainMs = 25;
const oldMs = 60_000;

/** Whether it was made. With its whole content from the first moment on, so that nobody reads half a lock. */
export async function createLockFile(file: string, text: string): Promise<boolean> {
  const aside = `${file}.${randomUUID()}.tmp`;
  try {
    await writeFile(aside, text, { flag: 'wx', mode: 0o600 });
    return await linkTo(aside, file, text);
  } finally {
    await rm(aside, { force: true });
  }
}

async function linkTo(aside: string, file: string, text: string): Promise<boolean> {
  try {
    await link(aside, file);
    return true;
  } catch (error) {
    return codeOf(error) === 'EEXIST' ? false : await createWithoutLinks(file, text);
  }
}

/** Some file systems have no links. */
async function createWithoutLinks(file: string, text: string): Promise<boolean> {
  try {
    await writeFile(file, text, { flag: 'wx', mode: 0o600 });
    return true;
  } catch (error) {
    const code = codeOf(error);
    // Windows says EPERM of a file that is just being removed.
    if (code === 'EEXIST' || (code === 'EPERM' && process.platform === 'win32')) return false;
    throw error;
  }
}

/** Only the lock that was seen, and one at a time: another one could remove the lock of whoever was faster. */
export async function takeAwayLockFile(file: string, seen: string | undefined): Promise<void> {
  const removing = `${file}.removing`;
  if (!(await createLockFile(removing, ''))) {
    if (await isOld(removing)) await rm(removing, { force: true });
    else await pause(lookAgainMs);
    return;
  }
  try {
    if ((await readLockFile(file)) === seen) await rm(file, { force: true });
  } finally {
    await rm(removing, { force: true });
  }
}

/** Whoever made it died right then: it takes no time. */
async function isOld(removing: string): Promise<boolean> {
  const found = await stat(removing).catch(() => undefined);
  return found !== undefined && Date.now() - found.mtimeMs > oldMs;
}

export async function removeOwnLockFile(file: string, text: string): Promise<void> {
  if ((await readLockFile(file)) === text) await rm(file, { force: true });
}

export function readLockFile(file: string): Promise<string | undefined> {
  return readFile(file, 'utf8').catch(() => undefined);
}

function codeOf(error: unknown): unknown {
  return error instanceof Error && 'code' in error ? error.code : undefined;
}
