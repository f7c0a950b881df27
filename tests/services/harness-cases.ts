import { afterAll, beforeAll, expect } from 'vitest';
import type { CaseReport, SuiteReport } from '../../src/harness/report.js';
import type { SuiteInput } from '../../src/harness/suite/schema.js';
import { runSuite } from '../../src/services/run-suite.js';
import { folderWith, processesLeft } from '../engine/harness.js';

export type CaseInput = NonNullable<SuiteInput['cases']>[number];
export type CaseSpec = Omit<CaseInput, 'name'>;

/** For the server of a suite: by it, processes that are left are found. */
export const markOfThisTest = { MCP_EXECUTION_TEST_MARK: process.env.MCP_EXECUTION_TEST_MARK ?? '' };

export interface OneSuite {
  /** To be called while tests are collected. */
  add(name: string, spec: CaseSpec): void;
  /** To be called in tests. */
  readonly report: SuiteReport;
  reportOf(id: string): CaseReport;
}

/** One run for all tests of a file, whose cases stand where they are judged. */
export function oneSuite(suite: Omit<SuiteInput, 'version' | 'cases'>, folder = folderWith({})): OneSuite {
  const cases: CaseInput[] = [];
  let report: SuiteReport | undefined;
  beforeAll(async () => {
    report = await runOnce({ version: 1, ...suite, cases }, folder);
  });
  afterAll(() => {
    expect(processesLeft()).toEqual([]);
  });
  return {
    add: (name, spec) => cases.push({ name, ...spec }),
    get report() {
      return report ?? expect.fail('the suite was not run');
    },
    reportOf(id) {
      return caseOf(this.report, id);
    },
  };
}

export async function runOnce(suite: SuiteInput, folder = folderWith({})): Promise<SuiteReport> {
  const engine = { cacheDir: folderWith({}), idleChildren: 2, logLevel: 'silent' } as const;
  const { suites } = await runSuite(suite, { folder, engine });
  return suites[0] ?? expect.fail('there is no report');
}

export function caseOf({ cases }: SuiteReport, id: string): CaseReport {
  return cases.find((each) => each.id === id) ?? expect.fail(`there is no report of ${id}`);
}
