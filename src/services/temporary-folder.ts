import { createHash } from 'node:crypto';
import { readlinkSync } from 'node:fs';
import { lstat, mkdtemp, readdir, realpath, rm } from 'node:fs/promises';
import { hostname, tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Log } from '../log.js';

const prefix = 'mcp-exec-test-';
const form = /^mcp-exec-test-([0-9a-f]{8})-(\d{1,10})-\w+$/;
const mostRemoved = 100;

/** A folder for temporary files. Its name tells whose it is, so that it can be removed where its process was killed. */
export async function makeTemporaryFolder(): Promise<string> {
  return await realpath(await mkdtemp(join(tmpdir(), `${prefix}${placeOfProcesses()}-${process.pid}-`)));
}

/** Removes folders of this user whose processes are gone. Never rejects. */
export async function removeAbandonedFolders(log: Log): Promise<void> {
  const folder = tmpdir();
  const names = (await readdir(folder).catch(() => [])).filter(isAbandoned).slice(0, mostRemoved);
  await Promise.all(names.map((name) => removeOwn(join(folder, name)).catch(tellOf(name))));

  function tellOf(name: string): (error: unknown) => void {
    return (error) => log.debug('a temporary folder of a process that is gone could not be removed', { name, error });
  }
}

function isAbandoned(name: string): boolean {
  const [, place, pid] = form.exec(name) ?? [];
  return pid !== undefined && !isRunning(Number(pid)) && place === placeOfProcesses();
}

async function removeOwn(path: string): Promise<void> {
  const found = await lstat(path);
  const isOwn = process.getuid === undefined || found.uid === process.getuid();
  if (found.isDirectory() && isOwn) await rm(path, { recursive: true, force: true });
}

/** One that belongs to somebody else may not be asked, and is there. */
function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return !(error instanceof Error && 'code' in error && error.code === 'ESRCH');
  }
}

/** Machines and containers may share a folder, and do not see each other's processes. */
function placeOfProcesses(): string {
  return createHash('sha256').update(`${hostname()}\n${namespaceOfProcesses()}`).digest('hex').slice(0, 8);
}

function namespaceOfProcesses(): string {
  try {
    return readlinkSync('/proc/self/ns/pid');
  } catch {
    return '';
  }
}
