import type { CaseReport, LoadReport, ValidatorReport } from '../report.js';
import { counted, showBytes, showMs } from './figures.js';
import { visibleLine } from './foreign.js';
import { jsonOf } from './jsontext.js';

/** What a case gave beside its outcome: values, what its validators said, figures. Empty where there is nothing. */
export function outputOfCase({ values = {}, validators, load, latencyMs }: CaseReport): string {
  return [
    ...(latencyMs === undefined ? [] : [`answered in ${showMs(latencyMs)}`]),
    ...Object.entries(values).map(([name, value]) => `${name} = ${jsonOf(value)}`),
    ...validators.flatMap(validatorLines),
    ...(load === undefined ? [] : loadLines(load)),
  ].join('\n');
}

/** A load in a few lines. */
export function loadLines({ clients, calls, errors, durationMs, ratePerSecond, latency, failures }: LoadReport) {
  const { p50Ms, p95Ms, p99Ms, maxMs } = latency;
  const rate = ratePerSecond < 10 ? ratePerSecond.toFixed(1) : Math.round(ratePerSecond);
  return [
    `${counted(calls, 'call')} by ${counted(clients, 'client')} in ${showMs(durationMs)}: ${rate} per second, ${errors} failed`,
    `p50 ${showMs(p50Ms)}, p95 ${showMs(p95Ms)}, p99 ${showMs(p99Ms)}, most ${showMs(maxMs)}`,
    ...failures.map(({ message, count }) => `${count} × ${visibleLine(message)}`),
  ];
}

const phases = { before: 'before the request', after: 'after the answer' } as const;

/** A validator, and what it logged. */
export function validatorLines({ name, phase, passed, message, logs, ...figures }: ValidatorReport): readonly string[] {
  const costs = [
    ...(figures.wallMs === undefined ? [] : [showMs(figures.wallMs)]),
    ...(figures.peakMemoryBytes === undefined ? [] : [showBytes(figures.peakMemoryBytes)]),
  ];
  const said = message === undefined ? '' : `: ${visibleLine(message)}`;
  const cost = costs.length > 0 ? ` (${costs.join(', ')})` : '';
  return [
    `${visibleLine(name)}, ${phases[phase]}, ${passed ? 'passed' : 'failed'}${cost}${said}`,
    ...logs.map((line) => `[${visibleLine(line.level)}] ${visibleLine(line.message)}`),
  ];
}
