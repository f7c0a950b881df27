import { describe, expect, it } from 'vitest';
import { pageOf } from '../../src/server/pages.js';

describe('a list', () => {
  it('is one page where it fits into one message', () => {
    const all = Array.from({ length: 5000 }, (_, index) => ({ name: `tool_${index}` }));
    expect(pageOf(all, undefined)).toEqual({ items: all });
    expect(pageOf([], undefined)).toEqual({ items: [] });
  });

  it('is several pages where it does not, which join without loss', () => {
    const all = Array.from({ length: 1000 }, (_, index) => ({ index, description: 'é'.repeat(10_000) }));
    const read: object[] = [];
    let pages = 0;
    let cursor: string | undefined;
    do {
      const { items, nextCursor } = pageOf(all, cursor);
      expect(Buffer.byteLength(JSON.stringify(items))).toBeLessThan(5 * 1024 * 1024);
      read.push(...items);
      cursor = nextCursor;
      pages++;
    } while (cursor !== undefined);
    expect(read).toEqual(all);
    expect(pages).toBe(5);
  });

  it.each(['', '5', 'after-', 'after-0', 'after--1', 'after-1.5', 'after-300', 'after-1e1', 'next'])(
    'has no page at the cursor %j',
    (cursor) => {
      const all = Array.from({ length: 300 }, (_, index) => index);
      expect(() => pageOf(all, cursor)).toThrow('There is no such cursor');
    },
  );

  it('that was never cut has no page at any cursor', () => {
    expect(() => pageOf([1, 2, 3], 'after-1')).toThrow('There is no such cursor');
  });
});
