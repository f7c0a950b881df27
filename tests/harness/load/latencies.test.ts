import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Latencies } from '../../../src/harness/load/latencies.js';
import { percentilesOf } from '../../../src/harness/measure/percentiles.js';

const time = fc.double({ min: 0, max: 1e6, noNaN: true });

function latenciesOf(times: Iterable<number>): Latencies {
  const latencies = new Latencies();
  for (const ms of times) latencies.add(ms);
  return latencies;
}

describe('latencies of a load', () => {
  it('are exact where they are few', () => {
    fc.assert(
      fc.property(fc.array(time, { maxLength: 200 }), (times) => {
        expect(latenciesOf(times).percentiles()).toEqual(percentilesOf(times));
      }),
    );
  });

  it('are off by no more than a hundredth where they are many', () => {
    const seed = Array.from({ length: 997 }, (_, index) => ((index * 7919) % 997) ** 1.7 / 50 + 0.01);
    const times = Array.from({ length: 60_000 }, (_, index) => seed[index % seed.length] ?? 0);
    const [approximate, exact] = [latenciesOf(times).percentiles(), percentilesOf(times)];
    expect(approximate).toMatchObject({ count: 60_000, minMs: exact.minMs, maxMs: exact.maxMs });
    for (const key of ['p50Ms', 'p95Ms', 'p99Ms', 'meanMs'] as const) {
      expect(Math.abs(approximate[key] / exact[key] - 1)).toBeLessThanOrEqual(0.0101);
    }
  });

  it('are all in the histogram, once, below their bound', () => {
    fc.assert(
      fc.property(fc.array(time, { minLength: 1, maxLength: 100 }), (times) => {
        const histogram = latenciesOf(times).histogram();
        const bounds = histogram.map(({ upToMs }) => upToMs);
        expect(bounds).toEqual([...bounds].sort((one, other) => one - other));
        let least = Number.NEGATIVE_INFINITY;
        for (const [index, { upToMs, count }] of histogram.entries()) {
          const from = index === 0 ? Number.NEGATIVE_INFINITY : least;
          expect(count).toBe(times.filter((ms) => ms > from && ms <= upToMs).length);
          least = upToMs;
        }
        expect(histogram.at(0)?.count).toBeGreaterThan(0);
        expect(histogram.at(-1)?.count).toBeGreaterThan(0);
        expect(histogram.length).toBeLessThan(60);
      }),
    );
  });

  it('are all in the histogram of many, too', () => {
    const histogram = latenciesOf(Array.from({ length: 60_000 }, (_, index) => (index % 100) + 0.5)).histogram();
    expect(histogram.reduce((sum, { count }) => sum + count, 0)).toBe(60_000);
    expect(histogram.at(-1)).toMatchObject({ upToMs: 100 });
  });

  it('of no calls are nothing', () => {
    expect(new Latencies().percentiles()).toMatchObject({ count: 0, p99Ms: 0, meanMs: 0 });
    expect(new Latencies().histogram()).toEqual([]);
  });
});
