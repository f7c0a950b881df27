import type { Report, Totals } from '../report.js';
import { showMs } from './figures.js';

/** `12 passed, 1 failed, 2 skipped in 3.2 s` */
export function summaryLine({ totals, durationMs, outcome }: Report): string {
  const end = outcome === 'interrupted' ? ', interrupted' : '';
  return `${totalsInWords(totals)} in ${showMs(durationMs)}${end}`;
}

function totalsInWords({ cases, passed, failed, skipped, flaky }: Totals): string {
  if (cases === 0) return 'no cases';
  const words = [`${passed} passed`, failed > 0 && `${failed} failed`, skipped > 0 && `${skipped} skipped`];
  return [...words, flaky > 0 && `${flaky} flaky`].filter((word) => word !== false).join(', ');
}
