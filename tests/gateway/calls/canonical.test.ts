import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { canonicalJson, digestOf } from '../../../src/gateway/calls/canonical.js';
import type { JsonValue } from '../../../src/toolbox.js';

const json = fc.jsonValue({ maxDepth: 4 }) as fc.Arbitrary<JsonValue>;

describe('the canonical text of a value', () => {
  it('is the same whatever the order of keys', () => {
    fc.assert(
      fc.property(json, fc.infiniteStream(fc.nat()), (value, numbers) => {
        const shuffled = withOtherOrder(value, () => numbers.next().value);
        expect(canonicalJson(shuffled)).toBe(canonicalJson(value));
      }),
    );
  });

  it('is the same whatever the form of numbers, the escapes in strings and the spaces', () => {
    const texts = ['{"a":100,"b":["é",0.1]}', ' { "b" : [ "\\u00e9", 1e-1 ], "a" : 1.0E2 } '];
    expect(new Set(texts.map((text) => canonicalJson(JSON.parse(text)))).size).toBe(1);
  });

  it('differs for values that differ', () => {
    fc.assert(
      fc.property(json, json, (one, other) => {
        const isSame = canonicalJson(one) === canonicalJson(other);
        expect(isSame).toBe(JSON.stringify(withOtherOrder(one)) === JSON.stringify(withOtherOrder(other)));
      }),
      {
        examples: [
          [0, false],
          [null, 'null'],
          [[], {}],
          [[[]], []],
          [{ a: [1] }, { a: 1 }],
          [['a,b'], ['a', 'b']],
        ],
      },
    );
  });

  it('keeps apart what JSON says in the same way', () => {
    const values = [null, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY, Number.NaN, 0, -0, 'NaN'];
    expect(new Set(values.map((value) => canonicalJson(value))).size).toBe(values.length);
  });

  it('takes keys that name the prototype for keys', () => {
    const value = JSON.parse('{"__proto__":{"a":1},"constructor":2}');
    expect(canonicalJson(value)).toBe('{"__proto__":{"a":1},"constructor":2}');
  });

  it('is refused for what is nested too deep, whatever its size', () => {
    const text = `${'['.repeat(100_000)}${']'.repeat(100_000)}`;
    expect(() => canonicalJson(JSON.parse(text))).toThrow(
      expect.objectContaining({ code: 'INVALID_ARGUMENTS', message: expect.stringContaining('500 levels') }),
    );
  });
});

describe('the digest of several values', () => {
  it('knows where one ends and the next begins', () => {
    const lists: (JsonValue | undefined)[][] = [['a', 'b'], ['ab'], ['a\nb'], ['a', 'b', undefined], [['a', 'b']]];
    expect(new Set(lists.map((values) => digestOf(...values))).size).toBe(lists.length);
  });
});

/** Sorted, or in an order that the numbers decide. */
function withOtherOrder(value: JsonValue, number?: () => number): JsonValue {
  if (Array.isArray(value)) return value.map((item) => withOtherOrder(item, number));
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).map(([key, item]) => [key, withOtherOrder(item, number)] as const);
  const rank = new Map(entries.map(([key]) => [key, number?.() ?? 0]));
  entries.sort(([a], [b]) => (rank.get(a) ?? 0) - (rank.get(b) ?? 0) || (a < b ? -1 : 1));
  return Object.fromEntries(entries);
}
