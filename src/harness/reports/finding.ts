import type { CaseReport, Finding, SuiteReport } from '../report.js';
import { type DiffLine, diffOf } from './diff.js';
import { cutText, exactLine, visible, visibleLine } from './foreign.js';
import { withoutFigures } from './without-figures.js';

/** A line of what is said about a finding: a sentence, a place, a line of a diff, or something quoted. */
export interface FindingLine {
  readonly kind: 'message' | 'place' | 'quote' | 'out' | 'in' | 'same' | 'note';
  readonly text: string;
}

const maxDetailLines = 40;
const maxLineLength = 1000;

/** All that is known of a finding, in lines that may be shown anywhere. */
export function linesOfFinding(finding: Finding): readonly FindingLine[] {
  const { message, path, detail } = finding;
  const place = placeOfFinding(finding);
  return [
    { kind: 'message', text: cutText(visibleLine(message), maxLineLength) },
    ...(path === undefined ? [] : [{ kind: 'place', text: `at ${visibleLine(path)}` } as const]),
    ...(place === undefined ? [] : [{ kind: 'place', text: `in ${place}` } as const]),
    ...(isCompared(finding) ? comparedLines(finding) : []),
    ...(detail === undefined ? [] : detailLines(detail)),
  ];
}

/** Whether what was expected and what came are shown; of figures the sentence says both, rounded and with their units. */
export function isCompared({ kind, expected, actual }: Finding): boolean {
  return !figures.has(kind) && (expected !== undefined || actual !== undefined);
}

/** As `-` and `+` lines. */
export function asText({ kind, text }: FindingLine): string {
  return `${signs[kind]}${text}`;
}

/** `suite.yaml:12`, as terminals and editors make a link of. */
export function placeOfCase({ file }: SuiteReport, { line }: CaseReport): string {
  return visibleLine(line === undefined ? file : `${file}:${line}`);
}

/** Things that went wrong before anything could be judged: no answer, no server, a validator that broke. */
export function isBreakage({ kind, code }: Finding): boolean {
  return breakages.has(kind) || (kind === 'validator' && code !== undefined);
}

/** `3 of 10 runs failed`, where it was run more than once. */
export function triesOf({ status, runs, failedRuns, attempts, isFlaky }: CaseReport): string | undefined {
  if (runs > 1 && failedRuns > 0) return `${failedRuns} of ${runs} runs failed`;
  if (status === 'failed') return attempts > 1 ? `all ${attempts} tries failed` : undefined;
  if (isFlaky) return attempts > 1 ? `passed at try ${attempts}` : 'failed in one try and passed in another';
  return undefined;
}

/** Whether a failed case tells of such a thing, so that nobody else has to. */
export function tellsOf(kind: 'crash' | 'stdout', { cases }: SuiteReport): boolean {
  return cases.some(({ status, findings }) => status === 'failed' && findings.some((finding) => finding.kind === kind));
}

/** In a sentence what failed of it, in the end or on the way. */
export function firstFailure({ findings, earlierFindings = [] }: CaseReport): string {
  return [...findings, ...earlierFindings][0]?.message ?? '';
}

const breakages: ReadonlySet<string> = new Set(['no_answer', 'server', 'setup', 'teardown']);
const figures: ReadonlySet<string> = new Set(['latency', 'memory', 'load']);
const signs = { message: '', place: '', quote: '  ', out: '- ', in: '+ ', same: '  ', note: '@ ' } as const;
const kinds = { '-': 'out', '+': 'in', ' ': 'same', '@': 'note' } as const;

function comparedLines({ expected, actual }: Finding): readonly FindingLine[] {
  const came = actual === undefined ? undefined : withoutFigures(actual);
  return diffOfFinding({ expected, actual: came }).map(({ sign, text }) => ({
    kind: kinds[sign],
    text: sign === '@' ? visibleLine(text) : exactLine(text),
  }));
}

function diffOfFinding({ expected, actual }: Pick<Finding, 'expected' | 'actual'>): readonly DiffLine[] {
  if (expected !== undefined && actual !== undefined) return diffOf(expected, actual);
  const [sign, value] = actual === undefined ? (['-', expected] as const) : (['+', actual] as const);
  return diffOf('', value ?? null).flatMap((line) => (line.sign === '+' ? [{ sign, text: line.text }] : []));
}

function placeOfFinding({ file, line }: Finding): string | undefined {
  if (file === undefined) return line === undefined ? undefined : `line ${line}`;
  return visibleLine(line === undefined ? file : `${file}:${line}`);
}

function detailLines(detail: string): readonly FindingLine[] {
  const lines = detail.trimEnd().split(/\r?\n/);
  const shown = lines
    .slice(-maxDetailLines)
    .map((text) => ({ kind: 'quote' as const, text: visible(cutText(text, maxLineLength)) }));
  const left = lines.length - shown.length;
  return left > 0 ? [{ kind: 'note', text: `… ${left} lines before` }, ...shown] : shown;
}
