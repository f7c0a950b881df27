import { appendFile, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Log } from '../../log.js';
import type { Workspace } from '../workspace.js';
import {
  addEntry,
  addTotals,
  emptyTotals,
  type LogLines,
  type Operation,
  type OperationTotals,
  type RunLogEntry,
  readLines,
} from './run-log-lines.js';

export type { Operation, OperationTotals, RunLogEntry } from './run-log-lines.js';

/** `runs/log.jsonl`: a line of JSON for each operation. Neither arguments nor results nor sources are in it. */
export interface RunLog {
  /** Resolves when the line is written, and never rejects. */
  record(entry: Omit<RunLogEntry, 'at'> & { readonly at?: string }): Promise<void>;
  summary(): Promise<RunLogSummary>;
}

export interface RunLogSummary {
  /** Since the workspace was first used. */
  readonly operations: Readonly<Record<Operation, OperationTotals>>;
  /** The last ones, the newest first. */
  readonly last: readonly RunLogEntry[];
}

export interface RunLogOptions {
  readonly log?: Log;
  /** Size at which the file is moved aside, over the one moved aside before. */
  readonly maxBytes?: number;
}

const usualMaxBytes = 10 * 1024 * 1024;
const mostShown = 100;
const staleLockMs = 60_000;

export function createRunLog(
  { runs, logFile }: Pick<Workspace, 'runs' | 'logFile'>,
  options: RunLogOptions = {},
): RunLog {
  const { log, maxBytes = usualMaxBytes } = options;
  const older = join(runs, 'log.1.jsonl');
  const lock = join(runs, 'log.lock');
  let last: Promise<void> = Promise.resolve();

  return {
    record(entry) {
      last = last
        .then(() => append({ at: new Date().toISOString(), ...entry }))
        .catch((error: unknown) =>
          log?.error('the run log cannot be written', { op: entry.op, run: entry.run, error }),
        );
      return last;
    },
    async summary() {
      await last;
      const before = readLines(await textOf(older));
      const entries = [...before.entries, ...readLines(await textOf(logFile)).entries];
      return { operations: sumOf(before.totals, entries), last: entries.slice(-mostShown).reverse() };
    },
  };

  async function append(entry: RunLogEntry): Promise<void> {
    const found = await stat(logFile).catch(() => undefined);
    if (found !== undefined && found.size > maxBytes) await moveAside();
    await appendFile(logFile, `${JSON.stringify(entry)}\n`, { mode: 0o600 });
  }

  /**
   * The counts go on: a file that is moved aside ends with those of the files before it. Several processes may write here;
   * one of them moves, and what another writes meanwhile is in one of the two files.
   */
  async function moveAside(): Promise<void> {
    if (!(await takeLock())) return;
    try {
      const { totals, entries } = readLines(await textOf(older));
      await appendFile(logFile, `${JSON.stringify({ totals: sumOf(totals, entries) })}\n`);
      await rename(logFile, older);
    } finally {
      await rm(lock, { force: true });
    }
  }

  async function takeLock(): Promise<boolean> {
    const taken = await stat(lock).catch(() => undefined);
    if (taken !== undefined && Date.now() - taken.mtimeMs > staleLockMs) await rm(lock, { force: true });
    const isTaken = await writeFile(lock, '', { flag: 'wx', mode: 0o600 }).then(
      () => true,
      () => false,
    );
    if (!isTaken) return false;
    const found = await stat(logFile).catch(() => undefined);
    if (found !== undefined && found.size > maxBytes) return true;
    await rm(lock, { force: true });
    return false;
  }
}

function sumOf(totals: LogLines['totals'], entries: LogLines['entries']): Record<Operation, OperationTotals> {
  const sum = emptyTotals();
  addTotals(sum, totals);
  for (const entry of entries) addEntry(sum, entry);
  return sum;
}

async function textOf(path: string): Promise<string> {
  return readFile(path, 'utf8').catch(() => '');
}
