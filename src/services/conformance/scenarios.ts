import type { CaseReport } from '../../harness/report.js';
import type { ConformanceSpec } from '../../harness/suite/schema-checks.js';
import { nearest } from '../../nearest.js';
import { type Baseline, judge, scenariosIn } from './baseline.js';
import { type BegunScenario, createSuiteOutput, type SuiteOutput } from './output.js';
import type { ConformanceProgram } from './program.js';
import { notRunReport, problemReport, type Redact, reportOf } from './reports.js';
import { type Check, readChecks } from './results.js';
import { runSuiteProcess } from './suite-process.js';

export interface ScenariosInput {
  readonly url: string;
  readonly baseline: Baseline;
  readonly program: ConformanceProgram;
  /** Empty, and removed by whoever made it. */
  readonly folder: string;
  readonly redact: Redact;
  readonly note: (message: string) => void;
  readonly signal?: AbortSignal;
}

/** What is run of the suite where no scenarios are named: what it takes for settled, and what a revision requires. */
const allOf: Readonly<Record<ConformanceSpec['revision'], readonly string[]>> = {
  '2025-11-25': ['--suite', 'active'],
  '2026-07-28': ['--requirements', '2026-07-28'],
};

/** A process of the suite for all scenarios, or one for each that is named, within the time of them all. */
export async function runScenarios(spec: ConformanceSpec, input: ScenariosInput): Promise<readonly CaseReport[]> {
  const late = AbortSignal.timeout(spec.timeout);
  const signal = input.signal ? AbortSignal.any([late, input.signal]) : late;
  const runs = spec.scenarios?.map((name) => ({ name, args: argsFor(name, spec) })) ?? [
    { name: undefined, args: allOf[spec.revision] },
  ];
  const reports: CaseReport[] = [];
  let underWay: string | undefined;
  for (const { name, args } of runs) {
    if (signal.aborted) break;
    const output = createSuiteOutput();
    const { url, folder, program } = input;
    const all = ['server', '--url', url, '--output-dir', folder, ...args];
    await runSuiteProcess(program, { args: all, folder, output, signal });
    reports.push(...(await reportsOf(output, { ...input, spec, name, signal })));
    underWay = output.begun.at(-1)?.name;
  }
  if (input.signal?.aborted) return [...reports, notRunReport(undefined, 'the run was interrupted')];
  const cutOff = reports.some(({ target }) => target === underWay) ? undefined : underWay;
  if (late.aborted) return [...reports, lateReport(spec, reports.length, cutOff)];
  if (spec.scenarios === undefined) noteUnused(input, reports);
  if (spec.expected_failures === undefined) noteFailures(input, reports);
  return reports;
}

function argsFor(name: string, { revision }: ConformanceSpec): readonly string[] {
  return ['--scenario', name, ...(revision === '2026-07-28' ? ['--spec-version', revision] : [])];
}

interface RunInput extends ScenariosInput {
  readonly spec: ConformanceSpec;
  /** The only scenario that was asked for, where one was. */
  readonly name: string | undefined;
  readonly signal: AbortSignal;
}

async function reportsOf(output: SuiteOutput, input: RunInput): Promise<readonly CaseReport[]> {
  const { name, signal } = input;
  const endMs = performance.now();
  const reports: CaseReport[] = [];
  for (const [index, scenario] of output.begun.entries()) {
    const report = await reportOfScenario(
      scenario,
      output,
      input,
      (output.begun[index + 1]?.atMs ?? endMs) - scenario.atMs,
    );
    if (report) reports.push(report);
  }
  for (const [skipped, why] of output.inapplicable) reports.push(notRunReport(skipped, why));
  if (signal.aborted) return reports;
  const expected = name === undefined ? output.total : 1;
  if (expected !== undefined && reports.length >= expected && reports.length > 0) return reports;
  return [...reports, name === undefined ? endedEarly(output, reports.length) : notKnown(name, output, input)];
}

async function reportOfScenario(
  { name, problem }: BegunScenario,
  output: SuiteOutput,
  { folder, baseline, redact, signal }: RunInput,
  durationMs: number,
): Promise<CaseReport | undefined> {
  const checks = await readChecks(folder, name);
  // One that was cut off is told of with the rest.
  if (!checks && signal.aborted) return undefined;
  const found = checks ?? [notRun(name, problem)];
  const judgement = judge(name, found, baseline);
  const unscored = output.unscored.get(name);
  return reportOf({ scenario: name, checks: found, judgement, durationMs, ...(unscored && { unscored }) }, redact);
}

/** As the suite itself counts a scenario that threw. */
function notRun(scenario: string, problem: string | undefined): Check {
  const errorMessage = problem ?? 'the suite wrote no result';
  return {
    id: scenario,
    name: scenario,
    description: 'The scenario could not be run',
    status: 'FAILURE',
    errorMessage,
  };
}

function lateReport({ timeout, scenarios }: ConformanceSpec, done: number, cutOff: string | undefined): CaseReport {
  const of = scenarios ? ` of ${scenarios.length}` : '';
  const so = `${done}${of} ${done === 1 && !scenarios ? 'scenario' : 'scenarios'} done`;
  const at = cutOff === undefined ? '' : ` and in the midst of ${cutOff}`;
  const message = `The official conformance suite was ended after ${timeout} ms, with ${so}${at}; give it more time with timeout`;
  return problemReport(undefined, { message, code: 'TIMEOUT' }, timeout);
}

function endedEarly({ total, last }: SuiteOutput, done: number): CaseReport {
  const message = `The official conformance suite ended by itself after ${done}${total === undefined ? '' : ` of ${total}`} scenarios`;
  return problemReport(undefined, { message, detail: last.join('\n') });
}

function notKnown(name: string, { available, last }: SuiteOutput, { program }: RunInput): CaseReport {
  if (available.length === 0) {
    return problemReport(name, { message: 'The official conformance suite did not run it', detail: last.join('\n') });
  }
  const meant = nearest(name, available);
  const advice = meant === undefined ? `It has: ${available.join(', ')}` : `Did you mean ${meant}?`;
  return problemReport(name, {
    message: `The official conformance suite ${program.version} has no scenario ${JSON.stringify(name)}. ${advice}`,
  });
}

/** Ready to be put into the suite. */
function noteFailures({ note }: ScenariosInput, reports: readonly CaseReport[]): void {
  const failed = reports.flatMap(({ status, target }) => (status === 'failed' && target !== undefined ? [target] : []));
  if (failed.length > 0) note(`Where these failures are known: expected_failures: [${failed.join(', ')}]`);
}

function noteUnused({ baseline, note }: ScenariosInput, reports: readonly CaseReport[]): void {
  const run = new Set(reports.map(({ target }) => target));
  for (const name of scenariosIn(baseline)) {
    if (!run.has(name)) note(`expected_failures names ${name}, which the conformance suite did not run`);
  }
}
