import { readFileSync } from 'node:fs';

const longestMs = 1000;
const everyMs = 20;

/** Those of the processes that are still there after a while. */
export async function stillRunning(pids: readonly number[]): Promise<readonly number[]> {
  const startedAt = performance.now();
  let left = pids.filter(isRunning);
  while (left.length > 0 && performance.now() - startedAt < longestMs) {
    await new Promise((resolve) => setTimeout(resolve, everyMs));
    left = left.filter(isRunning);
  }
  return left;
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
  return !isDefunct(pid);
}

/** Ended, and only not yet noticed by whoever started it. */
function isDefunct(pid: number): boolean {
  if (process.platform !== 'linux') return false;
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
    return /^[ZX]/.test(stat.slice(stat.lastIndexOf(')') + 2));
  } catch {
    return true;
  }
}
