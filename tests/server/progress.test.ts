import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createProgressCounter } from '../../src/server/progress.js';

describe('progress numbers', () => {
  it('are what the script reports where that increases', () => {
    const counter = createProgressCounter();
    expect(counter.report(0, 10)).toEqual({ progress: 0, total: 10, isTold: true });
    expect(counter.report(1, 10)).toEqual({ progress: 1, total: 10, isTold: true });
    expect(counter.report(10, 10)).toEqual({ progress: 10, total: 10, isTold: true });
  });

  it('of lines stand between the reports and take nothing from them', () => {
    const counter = createProgressCounter();
    for (let line = 0; line < 1000; line++) counter.between();
    expect(counter.report(1, 10)).toMatchObject({ progress: 1, isTold: true });
    const { progress, total } = counter.between();
    expect(progress).toBeGreaterThan(1);
    expect(progress).toBeLessThan(1.00001);
    expect(total).toBe(10);
    expect(counter.report(1.5, 10)).toMatchObject({ progress: 1.5, isTold: true });
  });

  it('leave a total out that was passed', () => {
    const counter = createProgressCounter();
    counter.report(10, 10);
    expect(counter.between().total).toBeUndefined();
    expect(counter.report(3, 10)).toMatchObject({ isTold: false });
  });

  it('increase strictly, whatever is reported', () => {
    const step = fc.option(fc.record({ done: fc.double(), total: fc.option(fc.double(), { nil: undefined }) }));
    fc.assert(
      fc.property(fc.array(step, { maxLength: 50 }), (steps) => {
        const counter = createProgressCounter();
        const reached = steps.map((one) => (one ? counter.report(one.done, one.total) : counter.between()));
        for (const [index, { progress, total }] of reached.entries()) {
          expect(Number.isFinite(progress)).toBe(true);
          if (total !== undefined) expect(progress).toBeLessThanOrEqual(total);
          const before = reached[index - 1];
          if (before) expect(progress).toBeGreaterThan(before.progress);
        }
      }),
    );
  });
});
