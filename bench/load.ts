import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { table } from './table.js';

/** What tests/load saw when it last ran with KEEP_LOAD=1: load and faults are tests, and no contest. */
export function loadSection(): string {
  const figures = readFigures();
  const rows = Object.entries(figures).map(([what, { wanted, seen }]) => [what, wanted, seen]);
  if (rows.length === 0) return '';
  return `## Load and faults of the gateway (tests/load)\n\n${table(['', 'wanted', 'seen'], rows)}`;
}

function readFigures(): Readonly<Record<string, { readonly wanted: string; readonly seen: string }>> {
  try {
    return JSON.parse(readFileSync(resolve('bench', 'load.json'), 'utf8'));
  } catch {
    return {};
  }
}
