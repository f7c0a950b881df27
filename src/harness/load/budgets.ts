import type { Finding, LoadReport } from '../report.js';
import type { LoadSpec } from '../suite/schema.js';

const percentileNames = { p50: 'median', p95: '95th percentile', p99: '99th percentile' } as const;
const percentileKeys = { p50: 'p50Ms', p95: 'p95Ms', p99: 'p99Ms' } as const;

/** What a load does not keep of what the suite asks for. */
export function budgetFindings(spec: LoadSpec, report: LoadReport): readonly Finding[] {
  return [...errorFindings(spec, report), ...latencyFindings(spec, report), ...rateFindings(spec, report)];
}

function errorFindings({ errors }: LoadSpec, report: LoadReport): readonly Finding[] {
  if (report.errors <= errors) return [];
  const frequent = report.failures.map(({ message, count }) => `${count} times: ${message}`).join('\n');
  const most = errors === 0 ? 'none may' : `at most ${errors} may`;
  return [
    {
      kind: 'load',
      message: `${report.errors} of ${report.calls} calls failed; ${most}.`,
      expected: errors,
      actual: report.errors,
      ...(frequent === '' ? {} : { detail: frequent }),
    },
  ];
}

function latencyFindings(spec: LoadSpec, { latency }: LoadReport): readonly Finding[] {
  if (latency.count === 0) return [];
  return (['p50', 'p95', 'p99'] as const).flatMap((name) => {
    const most = spec[name];
    const actual = latency[percentileKeys[name]];
    if (most === undefined || actual <= most) return [];
    const message = `The ${percentileNames[name]} is ${rounded(actual)} ms; at most ${rounded(most)} ms passes.`;
    return [{ kind: 'load', message, expected: most, actual }];
  });
}

function rateFindings({ rate }: LoadSpec, { ratePerSecond }: LoadReport): readonly Finding[] {
  if (rate === undefined || ratePerSecond >= rate) return [];
  const message = `${rounded(ratePerSecond)} calls per second were answered; at least ${rounded(rate)} pass.`;
  return [{ kind: 'load', message, expected: rate, actual: ratePerSecond }];
}

function rounded(value: number): number {
  return value >= 100 ? Math.round(value) : Number(value.toPrecision(3));
}
