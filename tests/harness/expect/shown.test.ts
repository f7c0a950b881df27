import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { pathText, stepsOf } from '../../../src/harness/expect/path-text.js';
import { find } from '../../../src/harness/expect/query.js';
import { bounded, shown } from '../../../src/harness/expect/shown.js';
import type { JsonValue } from '../../../src/toolbox.js';

describe('a value in a sentence', () => {
  it('is JSON in one line', () => {
    expect(shown({ a: ['x\ny', 1, null] })).toBe('{"a":["x\\ny",1,null]}');
  });

  it('is cut where it is long', () => {
    expect(shown('x'.repeat(1_000_000)).length).toBeLessThan(420);
    expect(shown(Array.from({ length: 100_000 }, (_, index) => index)).length).toBeLessThan(420);
    expect(shown('x'.repeat(1000))).toContain('700 more characters');
  });

  it('commands no terminal and turns no text around', () => {
    const hostile = '\u001b[2J\u009b31m\u202e\u2066';
    expect(shown(hostile)).toBe('"\\u001b[2J\\u009b31m\\u202e\\u2066"');
    expect(shown({ [hostile]: 1 })).toMatch(/^[ -~]*$/);
  });
});

describe('a bounded value', () => {
  it('is the value itself where it is small', () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 5 }) as fc.Arbitrary<JsonValue>, (value) => {
        expect(bounded(value)).toEqual(value);
      }),
    );
  });

  it('has its bound whatever is large about it', () => {
    const wide = Object.fromEntries(Array.from({ length: 50_000 }, (_, index) => [`key${index}`, index]));
    for (const large of [
      'x'.repeat(500_000),
      Array(200_000).fill('ab'),
      wide,
      [wide, wide],
      { a: 'x'.repeat(90_000), b: 'x' },
    ]) {
      expect(JSON.stringify(bounded(large)).length).toBeLessThan(200_000);
    }
  });

  it('can be written as JSON however deep the value is', () => {
    let deep: JsonValue = 1;
    for (let level = 0; level < 100_000; level += 1) deep = [deep];
    expect(JSON.stringify(bounded(deep))).toContain('nested too deeply');
  });
});

describe('the text of a path', () => {
  it('is short where it can be', () => {
    expect(pathText(['items', 0, 'first name', 'größe', "it's", ''])).toBe(
      '$.items[0]["first name"].größe["it\'s"][""]',
    );
  });

  it('leads to the value again', () => {
    const key = fc.string({ unit: 'grapheme', maxLength: 20 });
    fc.assert(
      fc.property(fc.array(fc.oneof(key, fc.nat(3)), { maxLength: 6 }), (steps) => {
        const root = steps.reduceRight<JsonValue>(
          (value, step) =>
            typeof step === 'number' ? Array(step + 1).fill(value) : Object.fromEntries([[step, value]]),
          'here',
        );
        expect(find(pathText(steps), root)).toEqual({ value: [{ value: 'here', steps }] });
      }),
    );
  });

  it('comes from a JSON Pointer, too', () => {
    expect(pathText(stepsOf('/a~1b/0/c~0d'))).toBe('$["a/b"][0]["c~d"]');
    expect(stepsOf('')).toEqual([]);
  });
});
