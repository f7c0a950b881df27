import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { differenceOf, isEqual } from '../../../src/harness/expect/equal.js';
import type { JsonValue } from '../../../src/toolbox.js';

const json = fc.jsonValue() as fc.Arbitrary<JsonValue>;

/** The same value with the keys of every object in another order. */
function shuffled(value: JsonValue): JsonValue {
  if (Array.isArray(value)) return value.map(shuffled);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .reverse()
      .map(([key, each]) => [key, shuffled(each)]),
  );
}

describe('equality', () => {
  it('holds for a value and itself with its keys in another order', () => {
    fc.assert(fc.property(json, (value) => isEqual(value, shuffled(value)) && isEqual(shuffled(value), value)));
  });

  it('is symmetric, and says the same as equality of JSON with sorted keys', () => {
    const sortedText = (value: JsonValue): string =>
      JSON.stringify(value, (_, each) =>
        typeof each === 'object' && each !== null && !Array.isArray(each)
          ? Object.fromEntries(Object.entries(each).sort(([one], [other]) => (one < other ? -1 : 1)))
          : each,
      );
    fc.assert(
      fc.property(json, json, (one, other) => {
        const equal = isEqual(one, other);
        return equal === isEqual(other, one) && equal === (sortedText(one) === sortedText(other));
      }),
    );
  });

  it('takes 1, 1.0 and 1e0 for the same, and 0 and -0', () => {
    expect(isEqual(JSON.parse('[1, 0]'), JSON.parse('[1.0, -0]'))).toBe(true);
    expect(isEqual(JSON.parse('1e0'), 1)).toBe(true);
  });

  it('takes NaN for itself', () => {
    expect(isEqual([Number.NaN], [Number.NaN])).toBe(true);
    expect(isEqual([Number.NaN], [0])).toBe(false);
  });

  it('sees keys named __proto__, and takes nothing from prototypes', () => {
    const own = JSON.parse('{"__proto__": {"a": 1}}');
    expect(isEqual(own, JSON.parse('{"__proto__": {"a": 1}}'))).toBe(true);
    expect(isEqual(own, JSON.parse('{"__proto__": {"a": 2}}'))).toBe(false);
    expect(isEqual(own, {})).toBe(false);
    expect(isEqual({}, own)).toBe(false);
    expect(isEqual({ toString: 1 }, {})).toBe(false);
  });

  it('tells lists from objects, and null from nothing', () => {
    expect(isEqual([], {})).toBe(false);
    expect(isEqual({ a: null }, {})).toBe(false);
    expect(isEqual([null], [])).toBe(false);
  });
});

describe('the first difference', () => {
  it.each([
    [{ a: [1, { b: 2 }] }, { a: [1, { b: 3 }] }, ['a', 1, 'b']],
    [[1], [1, 2], [1]],
    [[1, 2], [1], [1]],
    [{ a: 1 }, { a: 1, c: 2 }, ['c']],
    [1, '1', []],
  ])('of %j and %j is at %j', (one, other, steps) => {
    expect(differenceOf(one, other)).toEqual(steps);
  });
});
