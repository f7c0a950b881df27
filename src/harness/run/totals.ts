import type { CaseReport, Totals } from '../report.js';

export function totalsOf(cases: readonly CaseReport[]): Totals {
  const count = (status: CaseReport['status']) => cases.filter((each) => each.status === status).length;
  return {
    cases: cases.length,
    passed: count('passed'),
    failed: count('failed'),
    skipped: count('skipped'),
    flaky: cases.filter(({ isFlaky }) => isFlaky).length,
  };
}

export function sumOf(totals: readonly Totals[]): Totals {
  return totals.reduce(
    (sum, each) => ({
      cases: sum.cases + each.cases,
      passed: sum.passed + each.passed,
      failed: sum.failed + each.failed,
      skipped: sum.skipped + each.skipped,
      flaky: sum.flaky + each.flaky,
    }),
    { cases: 0, passed: 0, failed: 0, skipped: 0, flaky: 0 },
  );
}
