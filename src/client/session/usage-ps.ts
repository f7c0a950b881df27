import { execFile } from 'node:child_process';
import type { TreeUsage } from '../../testedserver.js';

interface Row {
  readonly pid: number;
  readonly parent: number;
  readonly memoryBytes: number;
  readonly cpuMs: number;
}

const answerMs = 5000;
const mostOutput = 16 * 1024 * 1024;
const line = /^\s*(\d+)\s+(\d+)\s+(\d+)\s+(?:(\d+)-)?(?:(\d+):)?(\d+):(\d+(?:[.,]\d+)?)\s*$/;

/** Of the resident size, because no more can be asked for: memory that several share is counted for each. */
export async function readFromPs(pid: number, reaper: number | undefined): Promise<TreeUsage | undefined> {
  const rows = readRows(await listProcesses());
  const tree = reaper === undefined ? below(rows, [pid]) : below(rows, childrenOf(rows, reaper));
  if (tree.length === 0) return undefined;
  return {
    memoryBytes: tree.reduce((total, { memoryBytes }) => total + memoryBytes, 0),
    cpuMs: tree.reduce((total, { cpuMs }) => total + cpuMs, 0),
    processes: tree.length,
  };
}

/** `pid ppid rss time` a line; time is [[days-]hours:]minutes:seconds. */
export function readRows(text: string): readonly Row[] {
  return text.split('\n').flatMap((each) => {
    const found = line.exec(each);
    if (!found) return [];
    const [, pid, parent, kilobytes, days = 0, hours = 0, minutes, seconds = '0'] = found;
    const wholeSeconds = ((Number(days) * 24 + Number(hours)) * 60 + Number(minutes)) * 60;
    return {
      pid: Number(pid),
      parent: Number(parent),
      memoryBytes: Number(kilobytes) * 1024,
      cpuMs: Math.round((wholeSeconds + Number(seconds.replace(',', '.'))) * 1000),
    };
  });
}

function listProcesses(): Promise<string> {
  return new Promise((resolve) => {
    execFile(
      'ps',
      ['-A', '-o', 'pid=,ppid=,rss=,time='],
      { timeout: answerMs, maxBuffer: mostOutput },
      (error, stdout) => resolve(error ? '' : stdout),
    );
  });
}

function below(rows: readonly Row[], roots: readonly number[]): readonly Row[] {
  const found = new Set(roots);
  for (const pid of found) for (const child of childrenOf(rows, pid)) found.add(child);
  return rows.filter(({ pid }) => found.has(pid));
}

function childrenOf(rows: readonly Row[], parent: number): readonly number[] {
  return rows.filter((row) => row.parent === parent).map(({ pid }) => pid);
}
