import type { CaseReport, Report } from '../report.js';
import { showMs } from './figures.js';

/** `12 passed (1 flaky), 1 failed, 2 skipped in 3.2 s` */
export function summaryLine(report: Report): string {
  const end = report.outcome === 'interrupted' ? ', interrupted' : '';
  return `${totalsInWords(report)} in ${showMs(report.durationMs)}${end}`;
}

/** A flaky case passed or failed all the same, and is counted there. */
function totalsInWords({ totals: { cases, passed, failed, skipped }, suites }: Report): string {
  if (cases === 0) return 'no cases';
  const flakyOf = (status: CaseReport['status']) => {
    const count = suites
      .flatMap((suite) => suite.cases)
      .filter((each) => each.isFlaky && each.status === status).length;
    return count > 0 ? ` (${count} flaky)` : '';
  };
  const words = [
    `${passed} passed${flakyOf('passed')}`,
    failed > 0 && `${failed} failed${flakyOf('failed')}`,
    skipped > 0 && `${skipped} skipped`,
  ];
  return words.filter((word) => word !== false).join(', ');
}
