import { readdirSync, readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import type { TreeUsage } from '../../testedserver.js';

const mostProcesses = 1000;
/** The kernel counts time for /proc in hundredths of a second, on every machine that Node runs on. */
const tickMs = 10;

/** Small files of /proc are read faster than a promise is made; only memory is walked through by the kernel, and waited for. */
export async function readFromProc(pid: number, reaper: number | undefined): Promise<TreeUsage | undefined> {
  const pids = reaper === undefined ? below([pid]) : below(childrenOf(reaper));
  const seen = pids.flatMap((each) => ticksOf(each) ?? []);
  if (seen.length === 0) return undefined;
  const sizes = await Promise.all(pids.map(memoryOf));
  // What ended was waited for by somebody of the tree, or by the reaper, whose own time is not the server's.
  const ticks = sum(seen.map(({ own, waitedFor }) => own + waitedFor));
  const orphans = reaper === undefined ? 0 : (ticksOf(reaper)?.waitedFor ?? 0);
  return { memoryBytes: memoryOfAll(sizes), cpuMs: (ticks + orphans) * tickMs, processes: seen.length, pids };
}

function below(roots: readonly number[]): readonly number[] {
  const found = new Set(roots);
  for (const pid of found) {
    if (found.size >= mostProcesses) break;
    for (const child of childrenOf(pid)) found.add(child);
  }
  return [...found];
}

/** Each thread knows the children that it started. */
function childrenOf(pid: number): readonly number[] {
  const threads = attempt(() => readdirSync(`/proc/${pid}/task`)) ?? [];
  return threads.flatMap((thread) => numbersIn(read(`/proc/${pid}/task/${thread}/children`) ?? ''));
}

interface Ticks {
  readonly own: number;
  /** Of children that ended, and were waited for. */
  readonly waitedFor: number;
}

function ticksOf(pid: number): Ticks | undefined {
  const stat = read(`/proc/${pid}/stat`);
  if (stat === undefined) return undefined;
  // The name before it stands in parentheses, and may hold anything.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  const [user = 0, system = 0, childUser = 0, childSystem = 0] = fields.slice(11, 15).map(Number);
  return { own: user + system, waitedFor: childUser + childSystem };
}

interface Memory {
  /** Its own, and its part of what it shares with others. */
  readonly own: number;
  /** Its part of the files that it and others have in memory, such as the program. */
  readonly partOfFiles: number;
  readonly files: number;
}

/** Pages that several share are divided among them, where the kernel tells. */
async function memoryOf(pid: number): Promise<Memory> {
  const shared = await readFile(`/proc/${pid}/smaps_rollup`, 'latin1').catch(() => '');
  const status = read(`/proc/${pid}/status`) ?? '';
  const [anonymous, file, memory = 0] = ['Pss_Anon', 'Pss_File', 'Pss_Shmem'].map((name) => bytesIn(shared, name));
  const files = bytesIn(status, 'RssFile');
  if (anonymous === undefined || file === undefined || files === undefined) {
    return { own: bytesIn(shared, 'Pss') ?? bytesIn(status, 'VmRSS') ?? 0, partOfFiles: 0, files: 0 };
  }
  return { own: anonymous + memory, partOfFiles: file, files };
}

/** The part of a file is smaller the more processes of others have it in memory too: that is nothing of the server's. */
function memoryOfAll(sizes: readonly Memory[]): number {
  const files = Math.max(sum(sizes.map(({ partOfFiles }) => partOfFiles)), ...sizes.map((size) => size.files));
  return sum(sizes.map(({ own }) => own)) + files;
}

function bytesIn(text: string, name: string): number | undefined {
  const found = new RegExp(`^${name}:\\s+(\\d+)`, 'm').exec(text);
  return found ? Number(found[1]) * 1024 : undefined;
}

function numbersIn(text: string): readonly number[] {
  return text.trim() === '' ? [] : text.trim().split(' ').map(Number);
}

function read(path: string): string | undefined {
  return attempt(() => readFileSync(path, 'latin1'));
}

/** A process may be gone at any moment. */
function attempt<T>(work: () => T): T | undefined {
  try {
    return work();
  } catch {
    return undefined;
  }
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, each) => total + each, 0);
}
