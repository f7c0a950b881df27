import type { CaseReport } from '../report.js';

/** The same report with every text as `redact` gives it back. Names of keys stay. */
export function redactedReport(report: CaseReport, redact: (text: string) => string): CaseReport {
  return redacted(report) as CaseReport;

  function redacted(value: unknown): unknown {
    if (typeof value === 'string') return redact(value);
    if (typeof value !== 'object' || value === null) return value;
    if (Array.isArray(value)) return value.map(redacted);
    return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, redacted(each)]));
  }
}
