import type { Exchange } from '../../testedserver.js';
import type { JsonValue } from '../../toolbox.js';
import { bounded } from '../expect/shown.js';
import type { CaseReport } from '../report.js';
import type { SuiteCase } from '../suite.js';
import { type Attempt, attemptCase, type CaseParts } from './attempt.js';
import { actionOf, targetOf } from './request.js';
import { responseOf } from './step.js';

export interface CaseOptions {
  /** In place of what the case says. */
  readonly repeat?: number;
}

const mostEvents = 200;
const mostCharactersOfEvents = 256 * 1024;

/** Runs a case as often as it is to be run, each run tried again where it fails and may be. */
export async function runCase(item: SuiteCase, parts: CaseParts, options: CaseOptions): Promise<CaseReport> {
  const { spec } = item;
  const began = performance.now();
  const wanted = options.repeat ?? spec.repeat ?? 1;
  const tries = 1 + (spec.retry ?? parts.suite.document.retry);
  let runs = 0;
  let failedRuns = 0;
  let hadToRetry = false;
  let attempts = 0;
  let last: Attempt = { findings: [] };
  let lastFailed: Attempt | undefined;
  let lastOvercome: Attempt | undefined;
  while (runs < wanted && !parts.signal?.aborted) {
    for (attempts = 1; ; attempts++) {
      last = await attemptCase(item, attempts, parts);
      if (last.findings.length === 0 || attempts >= tries || parts.signal?.aborted) break;
      lastOvercome = last;
    }
    // What was given up says nothing of the server.
    if (parts.signal?.aborted && last.findings.length > 0) break;
    runs += 1;
    if (last.findings.length === 0) hadToRetry ||= attempts > 1;
    else {
      failedRuns += 1;
      lastFailed = last;
    }
  }
  const shown = lastFailed ?? last;
  const hasOvercome = failedRuns === 0 && runs > 0 && lastOvercome !== undefined;
  return {
    ...describeCase(item),
    status: failedRuns > 0 ? 'failed' : runs === 0 ? 'skipped' : 'passed',
    ...(runs === 0 && { reason: 'the run was interrupted' }),
    findings: shown.findings,
    ...(hasOvercome && { earlierFindings: lastOvercome?.findings }),
    durationMs: performance.now() - began,
    runs,
    failedRuns,
    attempts,
    isFlaky: hadToRetry || (failedRuns > 0 && failedRuns < runs),
    ...shownOf(item, shown),
  };
}

/** Of one that could not be brought to its end, which is nobody's doing but this side's. */
export function brokenCase(item: SuiteCase, error: unknown): CaseReport {
  const message = `The case could not be run to its end: ${error instanceof Error ? error.message : String(error)}`;
  const findings = [{ kind: 'internal', message }];
  return { ...describeCase(item), ...notRun, status: 'failed', findings, runs: 1, failedRuns: 1, attempts: 1 };
}

export function skippedCase(item: SuiteCase, reason: string): CaseReport {
  return { ...describeCase(item), ...notRun, status: 'skipped', reason };
}

export const notRun = {
  findings: [],
  durationMs: 0,
  runs: 0,
  failedRuns: 0,
  attempts: 0,
  isFlaky: false,
  validators: [],
} as const satisfies Partial<CaseReport>;

function describeCase({ id, spec, place }: SuiteCase) {
  const { name, tags } = spec;
  return { id, name, kind: actionOf(spec), target: targetOf(spec), tags, ...place };
}

function shownOf(
  { spec }: SuiteCase,
  { step, load, stderr }: Attempt,
): Partial<CaseReport> & Pick<CaseReport, 'validators'> {
  const exchange = step?.exchange;
  const hasValues = step !== undefined && Object.keys(step.values).length > 0;
  return {
    ...(exchange && { response: bounded(responseOf(exchange)) }),
    ...(exchange && exchange.outcome.kind !== 'none' && { latencyMs: exchange.ms }),
    ...(exchange &&
      exchange.events.length > 0 && {
        events: boundedEvents(exchange.events),
      }),
    ...(step && {
      target: targetOf(spec, step.request),
      request: { method: step.request.method, params: bounded(step.request.params) },
    }),
    ...(hasValues && { values: boundedValues(step.values) }),
    validators: step?.validators ?? [],
    ...(stderr && { stderr }),
    ...(load && { load }),
  };
}

/** The first ones, as far as there is room for all of them together. */
function boundedEvents(events: Exchange['events']): JsonValue[] {
  const kept: JsonValue[] = [];
  let left = mostCharactersOfEvents;
  for (const event of events.slice(0, mostEvents)) {
    if (left <= 0) break;
    const shown = bounded({ ...event });
    left -= JSON.stringify(shown).length;
    kept.push(shown);
  }
  return kept;
}

function boundedValues(values: Readonly<Record<string, JsonValue>>): Record<string, JsonValue> {
  return Object.fromEntries(Object.entries(values).map(([name, value]) => [name, bounded(value)]));
}
