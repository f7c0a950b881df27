import { resolve } from 'node:path';
import type { RunOptions } from '../harness/harness.js';
import type { Report } from '../harness/report.js';
import type { Suite } from '../harness/suite.js';
import type { Harness } from '../services/harness.js';
import { createCodeLog } from './code-log.js';
import type { Terminal } from './terminal.js';
import { reportTestFailure } from './test-failure.js';
import type { TestFlags, TestSettings } from './test-flags.js';
import { tellGithub } from './test-github.js';
import { planReports, type ReportPlan } from './test-reports.js';
import { nothingMatches, suitesWithCases } from './test-selection.js';
import { type OpenHarness, withHarness } from './test-session.js';
import { createShown, isCi, isGithub, type Shown } from './test-shown.js';
import { findSuites, foldersOf, readSuites, tellMistakes } from './test-suites.js';
import { type Follow, filesOf, runOnChanges } from './test-watch.js';

export interface TestRequest {
  /** Suite files, or folders of them. */
  readonly words: readonly string[];
  readonly bail?: number;
  readonly flags: TestFlags;
}

const failedExitCode = 1;
const interruptedExitCode = 130;

/** Runs suites, once or at each change, and gives the exit code. Nothing runs where one of them is wrong. */
export async function runTests(request: TestRequest, settings: TestSettings, terminal: Terminal): Promise<number> {
  const { words, flags } = request;
  // Reports in files and the exit code are for others than who reads stdout.
  if (!flags.watch) terminal.outlastReader?.();
  try {
    const plan = await planReports(flags, terminal);
    const files = await findSuites(words);
    const shown = createShown(flags, plan.claimsStdout, terminal);
    const log = createCodeLog(settings, { end: () => {} }, { ...terminal, note: shown.note });
    return await withHarness(settings.engine, log, terminal, async (open) => {
      const work = { ...request, plan, shown, open, terminal };
      if (!flags.watch) return await readAndRun(files, work, terminal.interrupt);
      return await runOnChanges(terminal, (signal, follow) => runAgain(work, signal, follow));
    });
  } catch (error) {
    return reportTestFailure(error, terminal);
  }
}

interface Work extends TestRequest {
  readonly plan: ReportPlan;
  readonly shown: Shown;
  readonly open: OpenHarness;
  readonly terminal: Terminal;
}

async function readAndRun(files: readonly string[], work: Work, signal: AbortSignal, follow?: Follow): Promise<number> {
  const { terminal, shown, open } = work;
  // First, because what it starts comes up while suites are read.
  const harness = await open();
  const { suites, mistakes } = await readSuites(files, terminal.environment, signal);
  await follow?.files(suites.flatMap(filesOf));
  if (signal.aborted && mistakes.length > 0) return interruptedExitCode;
  if (mistakes.length > 0) return tellMistakes(mistakes, terminal);
  try {
    return await run(suites, harness, work, signal);
  } finally {
    shown.end();
  }
}

/** What fails while a person edits is told, and the next run may do better. */
async function runAgain(work: Work, signal: AbortSignal, follow: Follow): Promise<void> {
  try {
    // First, so that none that comes meanwhile is missed.
    follow.folders(await foldersOf(work.words));
    const files = await findSuites(work.words);
    await follow.files(files.map((file) => resolve(file)));
    await readAndRun(files, work, signal, follow);
  } catch (error) {
    if (!signal.aborted) reportTestFailure(error, work.terminal);
  }
}

async function run(suites: readonly Suite[], harness: Harness, work: Work, signal: AbortSignal): Promise<number> {
  const { flags, plan, shown, terminal } = work;
  shown.begin();
  const report = await harness.run(suitesWithCases(suites, flags), optionsOf(work, signal));
  if (isOvertaken(signal, terminal)) return 0;
  if (report.totals.cases === 0 && report.outcome !== 'interrupted') throw nothingMatches(suites, flags);
  shown.finish(report);
  if (isGithub(flags, terminal)) await tellGithub(report, shown.write, terminal);
  const areWritten = await plan.write(report);
  return exitCodeOf(report) || (areWritten ? 0 : failedExitCode);
}

function optionsOf({ flags, bail, shown, terminal }: Work, signal: AbortSignal): RunOptions {
  const { filter, tag: tags, parallel, repeat, updateSnapshots } = flags;
  return {
    filter,
    tags,
    bail,
    parallel,
    repeat,
    updateSnapshots,
    refuseNewSnapshots: isCi(flags, terminal) && updateSnapshots !== true,
    signal,
    onEvent: shown.onEvent,
  };
}

/** A run that a change overtook is of no interest any more. */
function isOvertaken(signal: AbortSignal, { interrupt }: Terminal): boolean {
  return signal.aborted && !interrupt.aborted;
}

function exitCodeOf({ outcome }: Report): number {
  if (outcome === 'interrupted') return interruptedExitCode;
  return outcome === 'failed' ? failedExitCode : 0;
}
