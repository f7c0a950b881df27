import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createKeptEvents } from '../../../src/gateway/stream/kept-events.js';

describe('kept events', () => {
  it('are the newest ones without a hole, and the newest is always among them', () => {
    fc.assert(
      fc.property(fc.array(fc.nat(400), { minLength: 1 }), fc.nat(2000), (sizes, maxBytes) => {
        const kept = createKeptEvents(() => maxBytes);
        for (const size of sizes) kept.add({ data: 'x'.repeat(size) });
        const numbers: number[] = [];
        for (let next = kept.after(0); next; next = kept.after(next.number)) numbers.push(next.number);
        const first = numbers[0] ?? 0;
        expect(kept.last).toBe(sizes.length);
        expect(numbers).toEqual(Array.from({ length: sizes.length - first + 1 }, (_, index) => first + index));
        const newest = kept.bytesAfter(kept.last - 1);
        expect(kept.bytesAfter(0) - newest).toBeLessThanOrEqual(maxBytes);
        expect(kept.bytesAfter(kept.last)).toBe(0);
      }),
    );
  });

  it('shrink with the next event when they may take less', () => {
    let maxBytes = 1_000_000;
    const kept = createKeptEvents(() => maxBytes);
    for (let count = 0; count < 100; count++) kept.add({ data: 'x'.repeat(1000) });
    expect(kept.after(0)?.number).toBe(1);
    maxBytes = 0;
    kept.add({ data: '' });
    expect(kept.after(0)?.number).toBe(101);
  });
});
