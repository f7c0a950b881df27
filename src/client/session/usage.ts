import type { TreeUsage } from '../../testedserver.js';
import type { LinkedProcess } from '../link.js';
import { readFromProc } from './usage-proc.js';
import { readFromPs } from './usage-ps.js';

/** Where it is seen what processes take. */
export type UsageSource = 'proc' | 'ps' | 'none';

/** What a server takes with all that it started; undefined where that cannot be seen, or nothing of it is left. */
export async function readUsage(
  process: LinkedProcess,
  source: UsageSource = sourceHere(),
): Promise<TreeUsage | undefined> {
  if (process.pid === undefined) return undefined;
  if (source === 'proc') return readFromProc(process.pid, process.reaper);
  return source === 'ps' ? readFromPs(process.pid, process.reaper) : undefined;
}

function sourceHere(): UsageSource {
  if (process.platform === 'linux') return 'proc';
  return process.platform === 'win32' ? 'none' : 'ps';
}
