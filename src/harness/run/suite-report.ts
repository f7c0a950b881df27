import type { SuiteParts } from '../harness.js';
import { toolCoverageOf } from '../measure/tool-coverage.js';
import type { CaseReport, SuiteReport } from '../report.js';
import type { Suite } from '../suite.js';
import { redactedSuite } from './redacted.js';
import type { ServerKeeper } from './server-keeper.js';
import { totalsOf } from './totals.js';

export interface Ran extends Pick<SuiteReport, 'durationMs' | 'measures' | 'snapshots' | 'notes'> {
  readonly suite: Suite;
  readonly parts: SuiteParts;
  readonly keeper: ServerKeeper;
  readonly cases: readonly CaseReport[];
  /** Nothing of the suite was left out by those who ran it. */
  readonly isWhole: boolean;
}

export function suiteReportOf({ suite, parts, keeper, cases, isWhole, ...measured }: Ran): SuiteReport {
  const totals = totalsOf(cases);
  const toolCoverage = isWhole ? toolCoverageOf(keeper.listedTools, cases, measured.measures) : undefined;
  const { name, version, protocolVersion, ms } = keeper.first?.introduction ?? {};
  const whole: SuiteReport = {
    name: suite.name,
    file: suite.file,
    outcome: totals.failed > 0 ? 'failed' : 'passed',
    totals,
    server: {
      kind: parts.kind,
      shown: parts.shown,
      ...(name !== undefined && { name }),
      ...(version !== undefined && { version }),
      ...(protocolVersion !== undefined && { protocolVersion }),
      starts: keeper.starts,
      ...(ms !== undefined && { startMs: ms }),
      crashes: keeper.crashes,
      noise: keeper.noise,
    },
    cases,
    ...measured,
    ...(toolCoverage && { toolCoverage }),
  };
  return redactedSuite(whole, parts.redact);
}
