import { ExecutionError } from '../../errors.js';
import type { CaseReport, Finding } from '../../harness/report.js';
import type { Judgement } from './baseline.js';
import type { Check } from './results.js';

export interface ScenarioResult {
  readonly scenario: string;
  readonly checks: readonly Check[];
  readonly judgement: Judgement;
  readonly durationMs: number;
  /** Why it does not count, where it does not. */
  readonly unscored?: string;
}

export type Redact = (text: string) => string;

const longestMessage = 500;
const longestDetail = 4000;

export function reportOf(result: ScenarioResult, redact: Redact): CaseReport {
  const { scenario, checks, judgement, durationMs, unscored } = result;
  const { failed, known, stale } = judgement;
  const common = { ...caseOf(scenario), durationMs, values: figuresOf(checks, redact) };
  const findings = [...failed.map((check) => findingOf(check, redact)), ...stale.map(staleFinding)];
  const [first] = findings;
  if (first && unscored !== undefined) {
    return skippedReport(common, `fails, and is not scored (${unscored}): ${first.message}`);
  }
  if (first) return { ...common, status: 'failed', findings, failedRuns: 1 };
  const [expected] = known;
  if (expected) return skippedReport(common, `known to fail: ${sentenceOf(expected, redact)}`);
  const wasChecked = checks.some(({ status }) => ['SUCCESS', 'WARNING'].includes(status));
  return wasChecked ? common : skippedReport(common, `the official suite looked at nothing${reasonIn(checks, redact)}`);
}

/** One that was not run, for a reason that is nobody's fault. */
export function notRunReport(scenario: string | undefined, reason: string): CaseReport {
  return skippedReport({ ...caseOf(scenario), runs: 0, attempts: 0 }, reason);
}

/** Of a scenario, or of the check as a whole, that came to nothing. */
export function problemReport(
  scenario: string | undefined,
  finding: Omit<Finding, 'kind'>,
  durationMs = 0,
): CaseReport {
  return {
    ...caseOf(scenario),
    durationMs,
    status: 'failed',
    findings: [{ kind: 'conformance', ...finding }],
    failedRuns: 1,
  };
}

export function findingOfError(error: unknown, redact: Redact): Omit<Finding, 'kind'> {
  const message = redact(error instanceof Error ? error.message : String(error));
  const [first = '', ...rest] = message.split('\n');
  return {
    message: cut(`The official conformance suite could not be run: ${first}`, longestMessage),
    ...(rest.length > 0 && { detail: cut(rest.join('\n'), longestDetail) }),
    ...(error instanceof ExecutionError && { code: error.code }),
  };
}

function caseOf(scenario: string | undefined): CaseReport {
  const id = scenario === undefined ? 'conformance' : `conformance: ${scenario}`;
  return {
    id,
    name: id,
    kind: 'conformance',
    ...(scenario !== undefined && { target: scenario }),
    tags: ['conformance'],
    status: 'passed',
    findings: [],
    durationMs: 0,
    runs: 1,
    failedRuns: 0,
    attempts: 1,
    isFlaky: false,
    validators: [],
  };
}

function skippedReport(report: CaseReport, reason: string): CaseReport {
  return { ...report, status: 'skipped', reason: cut(reason, longestMessage) };
}

function findingOf(check: Check, redact: Redact): Finding {
  const references = (check.specReferences ?? []).flatMap(({ url }) => url ?? []);
  const message = sentenceOf(check, redact);
  const more = message.length > longestMessage ? [message] : [];
  const detail = [`Check ${check.id} (${check.name})`, ...references.map((url) => `See ${url}`), ...more].join('\n');
  return { kind: 'conformance', message: cut(message, longestMessage), detail: cut(detail, longestDetail) };
}

function staleFinding(entry: string): Finding {
  return { kind: 'conformance', message: `${entry} passes now; take it out of expected_failures` };
}

function sentenceOf({ name, description, errorMessage }: Check, redact: Redact): string {
  const expected = description === '' ? name : description;
  return redact(`${expected}: ${errorMessage ?? 'this does not hold'}`);
}

function reasonIn(checks: readonly Check[], redact: Redact): string {
  const told = checks.find(({ errorMessage }) => errorMessage !== undefined);
  return told ? `: ${sentenceOf(told, redact)}` : '';
}

/** Warnings fail nothing; they are there for whoever looks. */
function figuresOf(checks: readonly Check[], redact: Redact): NonNullable<CaseReport['values']> {
  const warnings = checks
    .filter(({ status }) => status === 'WARNING')
    .map((check) => cut(sentenceOf(check, redact), longestMessage));
  const counted = checks.filter(({ status }) => status === 'SUCCESS' || status === 'FAILURE');
  return { checks: counted.length, ...(warnings.length > 0 && { warnings }) };
}

function cut(text: string, longest: number): string {
  return text.length > longest ? `${text.slice(0, longest)}…` : text;
}
