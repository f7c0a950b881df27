import { statSync } from 'node:fs';
import { createRunLog, type RunLogEntry, type RunLogSummary } from '../codemode/execute/run-log.js';
import type { CodeSettings } from '../codemode/settings.js';
import { workspaceAt } from '../codemode/workspace.js';
import { CallerError } from '../errors.js';
import { reportForeignFailure } from './foreign-failure.js';
import { printableJson } from './harmless.js';
import { formatTable } from './table.js';
import { paint, type Terminal } from './terminal.js';

export interface RunsFlags {
  readonly limit?: number;
  readonly json?: boolean;
}

const usualLimit = 20;

/** Shows the run log of a workspace: how often each operation was done, and the last of them. Nothing is opened or made. */
export async function countRuns(
  { limit = usualLimit, json }: RunsFlags,
  { workspace }: CodeSettings,
  terminal: Terminal,
): Promise<number> {
  try {
    const place = workspaceAt(workspace);
    if (!statSync(place.folder, { throwIfNoEntry: false })?.isDirectory()) throw noFolder(place.folder);
    const { operations, last } = await createRunLog(place).summary();
    const summary = { operations, last: last.slice(0, limit) };
    if (json) terminal.out(`${printableJson(summary)}\n`);
    else show(summary, terminal);
    return 0;
  } catch (error) {
    return reportForeignFailure(error, terminal, json);
  }
}

function show({ operations, last }: RunLogSummary, terminal: Terminal): void {
  const counts = Object.entries(operations)
    .filter(([, { done, failed }]) => done + failed > 0)
    .map(([operation, { done, failed, calls, ms }]) => [operation, ...[done, failed, calls].map(shown), seconds(ms)]);
  if (counts.length === 0) return terminal.note('Nothing was run in this workspace yet.\n');
  const title = paint(terminal, 'bold', last.length === 1 ? 'The last one' : `The last ${last.length}, newest first`);
  terminal.out(
    `${formatTable(countColumns, counts, terminal)}\n${title}\n${formatTable(lastColumns, last.map(rowOf), terminal)}`,
  );
}

const countColumns = [
  { title: 'operation' },
  { title: 'done', isNumber: true },
  { title: 'failed', isNumber: true },
  { title: 'tool calls', isNumber: true },
  { title: 'time' },
];

const lastColumns = [
  { title: 'at' },
  { title: 'operation' },
  { title: 'run' },
  { title: 'outcome' },
  { title: 'time', isNumber: true },
  { title: 'tool calls' },
];

function rowOf({ at, op, run = '', outcome, code, ms, calls = {} }: RunLogEntry): readonly string[] {
  const called = Object.entries(calls).map(([tool, count]) => (count === 1 ? tool : `${tool} ${count}`));
  return [at.replace(/\.\d+Z$/, 'Z'), op, run, code ?? outcome, seconds(ms), called.join(', ')];
}

function shown(count: number): string {
  return count.toLocaleString('en');
}

function seconds(ms: number): string {
  return ms < 1000 ? `${Math.round(ms)} ms` : `${(ms / 1000).toFixed(1)} s`;
}

function noFolder(folder: string): CallerError {
  return new CallerError('INVALID_WORKSPACE', `There is no folder ${folder}`);
}
