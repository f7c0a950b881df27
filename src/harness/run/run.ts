import type { RunOptions, SuiteParts } from '../harness.js';
import type { Report, SuiteReport } from '../report.js';
import type { Suite } from '../suite.js';
import type { Patience } from './results.js';
import { prepareSuite } from './suite-run.js';
import { sumOf } from './totals.js';

export interface RunParts {
  /** Called with the parts of a suite, which are closed when it is over. */
  withParts<T>(suite: Suite, use: (parts: SuiteParts) => Promise<T>): Promise<T>;
  readonly version: string;
}

/**
 * Runs suites one after another, so that what one measures is not another's doing. Where one of them cannot be run,
 * none is: what was done would be lost with the error.
 */
export async function runSuites(
  suites: readonly Suite[],
  options: RunOptions,
  { withParts, version }: RunParts,
): Promise<Report> {
  const startedAt = new Date().toISOString();
  const began = performance.now();
  const patience = createPatience(options.bail ?? 0);
  const reports = await withPrepared([...suites], []);
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

  async function withPrepared([suite, ...others]: readonly Suite[], ready: readonly Ready[]): Promise<SuiteReport[]> {
    if (suite === undefined) return runAll(ready);
    return withParts(suite, async (parts) =>
      withPrepared(others, [...ready, await prepareSuite(suite, parts, options)]),
    );
  }

  async function runAll(ready: readonly Ready[]): Promise<SuiteReport[]> {
    const reports: SuiteReport[] = [];
    for (const run of ready) {
      if (options.signal?.aborted) break;
      reports.push(await run(patience));
    }
    return reports;
  }
}

type Ready = Awaited<ReturnType<typeof prepareSuite>>;

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
