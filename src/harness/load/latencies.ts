import { percentilesOf } from '../measure/percentiles.js';
import type { LoadReport, Percentiles } from '../report.js';

const mostExact = 50_000;
/** Neighbouring buckets differ by one part in a hundred: so far may a percentile of many times be off. */
const ratio = Math.log(1.01);
const leastMs = 0.001;
const buckets = 2400;

/** Times of any number of calls in bounded memory: the first ones as they are, all of them by their size. */
export class Latencies {
  readonly #exact: number[] = [];
  readonly #counts = new Float64Array(buckets);
  #count = 0;
  #sum = 0;
  #min = Number.POSITIVE_INFINITY;
  #max = 0;

  add(ms: number): void {
    if (this.#exact.length < mostExact) this.#exact.push(ms);
    const bucket = bucketOf(ms);
    this.#counts[bucket] = (this.#counts[bucket] ?? 0) + 1;
    this.#count += 1;
    this.#sum += ms;
    this.#min = Math.min(this.#min, ms);
    this.#max = Math.max(this.#max, ms);
  }

  percentiles(): Percentiles {
    if (this.#count === this.#exact.length) return percentilesOf(this.#exact);
    return {
      count: this.#count,
      minMs: this.#min,
      p50Ms: this.#rank(0.5),
      p95Ms: this.#rank(0.95),
      p99Ms: this.#rank(0.99),
      maxMs: this.#max,
      meanMs: this.#sum / this.#count,
    };
  }

  #rank(share: number): number {
    const wanted = Math.ceil(share * this.#count);
    let seen = 0;
    for (const [bucket, count] of this.#counts.entries()) {
      seen += count;
      if (seen >= wanted) return Math.min(this.#max, Math.max(this.#min, upperBoundOf(bucket)));
    }
    return this.#max;
  }

  /** For charts: round bounds, and no empty ones at either end. */
  histogram(): LoadReport['histogram'] {
    if (this.#count === 0) return [];
    const bounds = roundBounds(this.#max);
    const counts = bounds.map(() => 0);
    const put = (ms: number, count: number) => {
      const at = bounds.findIndex((bound) => ms <= bound);
      counts[at] = (counts[at] ?? 0) + count;
    };
    if (this.#count === this.#exact.length) for (const ms of this.#exact) put(ms, 1);
    else for (const [bucket, count] of this.#counts.entries()) if (count > 0) put(this.#within(bucket), count);
    const first = counts.findIndex((count) => count > 0);
    return bounds.slice(first).map((upToMs, index) => ({ upToMs, count: counts[first + index] ?? 0 }));
  }

  #within(bucket: number): number {
    return Math.min(this.#max, upperBoundOf(bucket));
  }
}

function bucketOf(ms: number): number {
  if (ms <= leastMs) return 0;
  return Math.min(buckets - 1, Math.ceil(Math.log(ms / leastMs) / ratio));
}

function upperBoundOf(bucket: number): number {
  return leastMs * Math.exp(bucket * ratio);
}

const steps = [1, 1.5, 2, 3, 5, 7] as const;

function roundBounds(max: number): readonly number[] {
  const bounds: number[] = [];
  for (let exponent = -2; ; exponent += 1) {
    for (const step of steps) {
      const bound = Number(`${step}e${exponent}`);
      bounds.push(bound);
      if (bound >= max) return bounds;
    }
  }
}
