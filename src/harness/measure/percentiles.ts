import type { Percentiles } from '../report.js';

/** Of measured times; the nearest rank, so that each is one that was measured. */
export function percentilesOf(times: readonly number[]): Percentiles {
  const sorted = Float64Array.from(times).sort();
  const at = (share: number) => sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)] ?? 0;
  const sum = sorted.reduce((total, each) => total + each, 0);
  return {
    count: sorted.length,
    minMs: at(0),
    p50Ms: at(0.5),
    p95Ms: at(0.95),
    p99Ms: at(0.99),
    maxMs: at(1),
    meanMs: sorted.length === 0 ? 0 : sum / sorted.length,
  };
}
