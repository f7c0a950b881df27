import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { createKeep, sizeOf } from '../../../src/gateway/calls/keep.js';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const bounds = { maxBytes: () => 100, maxCount: 3, ttlMs: () => 1000 };

describe('what is kept', () => {
  it('expires, and is let go without being asked for', () => {
    const keep = createKeep<string>(bounds);
    keep.set('a', 'A', 10);
    vi.advanceTimersByTime(400);
    expect(keep.get('a')).toEqual({ value: 'A', leftMs: 600 });
    vi.advanceTimersByTime(601);
    expect(keep.get('a')).toBeUndefined();
    keep.set('b', 'B', 10);
    vi.advanceTimersByTime(20_000);
    expect([keep.size, keep.bytes, vi.getTimerCount()]).toEqual([0, 0, 0]);
  });

  it('makes room by the least recently used', () => {
    const keep = createKeep<string>(bounds);
    for (const key of ['a', 'b', 'c']) keep.set(key, key, 10);
    keep.get('a');
    keep.set('d', 'd', 10);
    expect(['a', 'b', 'c', 'd'].filter((key) => keep.get(key))).toEqual(['a', 'c', 'd']);
    keep.set('large', 'large', 75);
    expect(['a', 'b', 'c', 'd', 'large'].filter((key) => keep.get(key))).toEqual(['c', 'd', 'large']);
  });

  it('is neither too large nor kept for no time', () => {
    let ttlMs = 1000;
    const keep = createKeep<string>({ ...bounds, ttlMs: () => ttlMs });
    expect(keep.set('a', 'A', 101)).toBe(false);
    ttlMs = 0;
    expect(keep.set('a', 'A', 1)).toBe(false);
    expect(keep.get('a')).toBeUndefined();
  });

  it('leaves no timer when it is cleared', () => {
    const keep = createKeep<string>(bounds);
    keep.set('a', 'A', 1);
    keep.clear();
    expect([keep.size, keep.bytes, vi.getTimerCount()]).toEqual([0, 0, 0]);
  });

  it('never exceeds its bounds, whatever comes', () => {
    const acts = fc.array(
      fc.record({ key: fc.constantFrom('a', 'b', 'c', 'd', 'e'), bytes: fc.nat(120), isRead: fc.boolean() }),
    );
    fc.assert(
      fc.property(acts, (all) => {
        const keep = createKeep<number>(bounds);
        const last = new Map<string, number>();
        for (const { key, bytes, isRead } of all) {
          if (!isRead && keep.set(key, bytes, bytes)) last.set(key, bytes);
          else if (!isRead) last.delete(key);
          const kept = keep.get(key);
          if (kept) expect(kept.value).toBe(last.get(key));
          expect(keep.bytes).toBeLessThanOrEqual(100);
          expect(keep.size).toBeLessThanOrEqual(3);
        }
        keep.clear();
      }),
    );
  });
});

describe('the size of a value', () => {
  it('that has no text is more than any bound', () => {
    expect(sizeOf({ value: 1n })).toBe(Number.POSITIVE_INFINITY);
    expect(sizeOf({ value: 'text' })).toBeLessThan(1000);
  });
});
