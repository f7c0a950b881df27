import type { RunOptions } from '../../src/harness/harness.js';
import type { CaseReport, Report } from '../../src/harness/report.js';
import type { Suite } from '../../src/harness/suite.js';
import type { Log } from '../../src/log.js';
import type { HarnessOptions } from '../../src/services/harness.js';
import { type Said, type Scene, say } from './fake.js';

export interface AskedRun {
  readonly suites: readonly Suite[];
  readonly options: RunOptions;
  readonly log: Log;
}

export interface SaidWithHarness extends Said {
  readonly runs: readonly AskedRun[];
  readonly made: HarnessOptions | undefined;
  readonly harnessClosed: boolean;
}

type Run = (asked: AskedRun) => Promise<Report> | Report;

/** Runs a command line against a harness that exists only in memory. */
export async function sayWithHarness(
  words: readonly string[],
  run: Run = () => reportOf([caseOf('adds')]),
  scene: Scene = {},
): Promise<SaidWithHarness> {
  const runs: AskedRun[] = [];
  let made: HarnessOptions | undefined;
  let harnessClosed = false;
  const said = await say(words, {
    createHarness(options) {
      made = options;
      return {
        run: async (suites, given = {}) => {
          const asked = { suites, options: given, log: options.log };
          runs.push(asked);
          return await run(asked);
        },
        close: async () => {
          harnessClosed = true;
        },
      };
    },
    ...scene,
  });
  return { ...said, runs, made, harnessClosed };
}

export function caseOf(id: string, more: Partial<CaseReport> = {}): CaseReport {
  return {
    id,
    name: id,
    kind: 'tool',
    target: 'add',
    tags: [],
    line: 5,
    status: 'passed',
    findings: [],
    durationMs: 2,
    runs: 1,
    failedRuns: 0,
    attempts: 1,
    isFlaky: false,
    validators: [],
    ...more,
  };
}

export const failedCase = caseOf('subtracts', {
  status: 'failed',
  failedRuns: 1,
  findings: [{ kind: 'text', message: 'The text is not as expected.', expected: '1', actual: '2' }],
});

export function reportOf(cases: readonly CaseReport[], more: Partial<Report> = {}): Report {
  const count = (status: CaseReport['status']) => cases.filter((each) => each.status === status).length;
  const failed = count('failed');
  const totals = { cases: cases.length, passed: count('passed'), failed, skipped: count('skipped'), flaky: 0 };
  const outcome = failed > 0 ? 'failed' : 'passed';
  return {
    version: 1,
    startedAt: '2026-11-01T00:00:00.000Z',
    durationMs: 12,
    outcome,
    totals,
    suites: [
      {
        name: 'suite',
        file: 'suite.yaml',
        outcome,
        durationMs: 12,
        totals,
        server: { kind: 'command', shown: 'node server.mjs', starts: 1, crashes: [], noise: [] },
        cases,
        measures: { tools: [] },
        snapshots: { written: 0, updated: 0, unused: [] },
        notes: [],
      },
    ],
    environment: { mcpExecution: '0.0.0', node: 'v20.0.0', platform: 'linux' },
    ...more,
  };
}
