import { type ParseArgsConfig, parseArgs } from 'node:util';
import { workloadNames } from './workloads.js';

export const sectionNames = ['memory', 'start', 'listing', 'discovery', 'code', 'harness', ...workloadNames] as const;
export type SectionName = (typeof sectionNames)[number];

export interface BenchOptions {
  readonly quick: boolean;
  /** Write bench/RESULTS.md. */
  readonly keep: boolean;
  readonly only: readonly SectionName[];
  /** What a process of its own is to measure: a name and its arguments. */
  readonly probe: readonly string[];
}

const known = {
  quick: { type: 'boolean', default: false },
  keep: { type: 'boolean', default: false },
  only: { type: 'string', multiple: true, default: [] as string[] },
  probe: { type: 'string', multiple: true, default: [] as string[] },
} satisfies ParseArgsConfig['options'];

export function readOptions(args: readonly string[]): BenchOptions {
  const { quick, keep, only, probe } = parseArgs({ args: [...args], options: known }).values;
  const names = only.flatMap((text) => text.split(','));
  const wrong = names.find((name) => !sectionNames.some((section) => section === name));
  if (wrong !== undefined) throw new Error(`--only knows ${sectionNames.join(', ')}; got ${wrong}`);
  const chosen = sectionNames.filter((name) => names.length === 0 || names.includes(name));
  return { quick, keep, only: chosen, probe };
}
