import type { RunOptions, SuiteParts } from '../harness.js';
import type { Report, SuiteReport } from '../report.js';
import type { Suite } from '../suite.js';
import { type Patience, runSuite } from './suite-run.js';
import { sumOf } from './totals.js';

export interface RunParts {
  /** Called with the parts of a suite, which are closed when it is over. */
  withParts<T>(suite: Suite, use: (parts: SuiteParts) => Promise<T>): Promise<T>;
  readonly version: string;
}

/** Runs suites one after another, so that what one measures is not another's doing. */
export async function runSuites(
  suites: readonly Suite[],
  options: RunOptions,
  { withParts, version }: RunParts,
): Promise<Report> {
  const startedAt = new Date().toISOString();
  const began = performance.now();
  const patience = createPatience(options.bail ?? 0);
  const reports: SuiteReport[] = [];
  for (const suite of suites) {
    if (options.signal?.aborted || patience.isOver) break;
    reports.push(await withParts(suite, (parts) => runSuite(suite, parts, options, patience)));
  }
  const hasFailed = reports.some(({ outcome }) => outcome === 'failed');
  return {
    version: 1,
    startedAt,
    durationMs: performance.now() - began,
    outcome: options.signal?.aborted ? 'interrupted' : hasFailed ? 'failed' : 'passed',
    totals: sumOf(reports.map(({ totals }) => totals)),
    suites: reports,
    environment: { mcpExecution: version, node: process.versions.node, platform: process.platform },
  };
}

function createPatience(bail: number): Patience {
  let failures = 0;
  return {
    noteFailure() {
      failures += 1;
    },
    get isOver() {
      return bail > 0 && failures >= bail;
    },
  };
}
