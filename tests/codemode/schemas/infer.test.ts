import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { inferSchema, widenSchema } from '../../../src/codemode/schemas/infer.js';
import type { JsonObject, JsonSchema, JsonValue } from '../../../src/toolbox.js';
import { samples, verdictOf } from './values.js';

describe('an inferred schema', () => {
  it('says what is in every sample, and what is in some', () => {
    expect(
      inferSchema([
        { id: 1, name: 'a' },
        { id: 2.5, name: null, tags: ['x'] },
      ]),
    ).toEqual({
      type: 'object',
      properties: {
        id: { type: 'number' },
        name: { type: ['null', 'string'] },
        tags: { type: 'array', items: { type: 'string' } },
      },
      required: ['id', 'name'],
    });
  });

  it('tells integers from numbers', () => {
    expect(inferSchema([1, 2])).toEqual({ type: 'integer' });
    expect(inferSchema([1, 2.5])).toEqual({ type: 'number' });
  });

  it('merges the items of all arrays', () => {
    expect(inferSchema([[{ a: 1 }, { a: 1, b: true }], []])).toEqual({
      type: 'array',
      items: { type: 'object', properties: { a: { type: 'integer' }, b: { type: 'boolean' } }, required: ['a'] },
    });
  });

  it('knows an array that was always empty as an array, and nothing of its items', () => {
    expect(inferSchema([[], []])).toEqual({ type: 'array' });
    expect(widenSchema({ type: 'array' }, [['a']])).toEqual({ type: 'array', items: { type: 'string' } });
  });

  it('is a union where samples are of different kinds', () => {
    expect(inferSchema([null, 'a', [1], { a: 1 }])).toEqual({
      anyOf: [
        { type: ['null', 'string'] },
        { type: 'array', items: { type: 'integer' } },
        { type: 'object', properties: { a: { type: 'integer' } }, required: ['a'] },
      ],
    });
  });

  it('guesses no enum from few values', () => {
    expect(inferSchema(['open', 'closed', 'open'])).toEqual({ type: 'string' });
  });

  it.each([
    ['UUIDs', ['6f1c0e1e-6d0b-4a6b-9d1d-0a3b5b0c9a11']],
    ['numbers', ['17', '18']],
    ['dates', ['2026-11-01', '2026-11-02']],
    ['mail addresses', ['ann@example.org', 'bob@example.org']],
    ['hashes', ['9e107d9d372bb6826bd81d3542a419d6']],
    ['URLs', ['https://example.org/a']],
    ['paths', ['/etc/a', './b']],
    ['many names with numbers', Array.from({ length: 9 }, (_, index) => `user_${index}`)],
    [
      'more than a type has fields',
      Array.from({ length: 200 }, (_, index) => `key ${String.fromCodePoint(0x4e00 + index)}`),
    ],
  ])('takes keys that are %s for data', (_name, keys) => {
    const values: readonly JsonObject[] = [{ n: 1 }, { n: 1, m: 'a' }];
    const sample = Object.fromEntries(keys.map((key, index): [string, JsonValue] => [key, values[index % 2] ?? null]));
    expect(inferSchema([sample])).toMatchObject({
      type: 'object',
      additionalProperties: { type: 'object', required: ['n'] },
    });
    expect(JSON.stringify(inferSchema([sample]))).not.toContain(keys[0]);
  });

  it('keeps the names of an object in which one key looks odd', () => {
    const schema = inferSchema([{ name: 'a', size: 1, '404': true }]);
    expect(schema).toMatchObject({ properties: { '404': { type: 'boolean' } }, required: ['404', 'name', 'size'] });
  });

  it('has no word for a key that is a trap', () => {
    const trap: JsonValue = JSON.parse('{"__proto__": {"a": 1}, "b": 3}');
    expect(JSON.stringify(inferSchema([trap]))).not.toContain('__proto__');
    expect(accepts(inferSchema([trap]), trap)).toBe(true);
    const inherited: JsonValue = { constructor: 2, toString: 3 };
    expect(Object.keys(inferSchema([inherited]).properties ?? {})).toEqual(['constructor', 'toString']);
  });

  it('is bounded in depth', () => {
    const deep: JsonValue = JSON.parse('['.repeat(5000) + ']'.repeat(5000));
    const schema = inferSchema([deep]);
    expect(JSON.stringify(schema).length).toBeLessThan(1000);
    expect(widenSchema(schema, [deep])).toEqual(schema);
  });

  it('is bounded in size', () => {
    const wide = (depth: number): JsonValue =>
      depth === 0 ? 1 : Object.fromEntries([...'abcdefghij'].map((key) => [key, wide(depth - 1)]));
    const sample = wide(5);
    const schema = inferSchema([sample]);
    expect(JSON.stringify(schema).length).toBeLessThan(100_000);
    expect(schema).toMatchObject({ properties: { a: { properties: { a: { required: [...'abcdefghij'] } } } } });
    expect(accepts(schema, sample)).toBe(true);
    expect(widenSchema(schema, [sample])).toEqual(schema);
  });

  it('that was not inferred here becomes open when it is widened', () => {
    const foreignSchemas: readonly JsonSchema[] = [
      { type: 'string', pattern: '^a' },
      { $ref: '#/$defs/a' },
      { type: 'array', items: { type: 'integer', minimum: 3 } },
      { type: 'never heard of' },
      { anyOf: 3 },
      { anyOf: [{ anyOf: [{ type: 'string' }] }] },
    ];
    for (const foreign of foreignSchemas) {
      const schema = widenSchema(foreign, ['b', [1], 3]);
      expect(['b', [1], 3, 'a', [7]].every((sample) => accepts(schema, sample))).toBe(true);
    }
  });
});

describe('laws of inference', () => {
  it('every sample fits', () => {
    fc.assert(
      fc.property(samples, (given) => {
        const schema = inferSchema(given);
        const validate = verdictOf(schema);
        for (const sample of given) expect(validate(sample), JSON.stringify(schema)).toBe(true);
      }),
      { numRuns: 50 },
    );
  });

  it('the order of samples does not matter', () => {
    fc.assert(
      fc.property(samples, (given) => {
        expect(textOf(inferSchema([...given].reverse()))).toBe(textOf(inferSchema(given)));
      }),
    );
  });

  it('a schema that was widened takes the earlier samples and the new ones', () => {
    fc.assert(
      fc.property(samples, samples, (earlier, later) => {
        const validate = verdictOf(widenSchema(inferSchema(earlier), later));
        for (const sample of [...earlier, ...later]) expect(validate(sample)).toBe(true);
      }),
      { numRuns: 50 },
    );
  });

  it('to widen a schema by what it was inferred from changes nothing', () => {
    fc.assert(
      fc.property(samples, (given) => {
        const schema = inferSchema(given);
        expect(textOf(widenSchema(schema, given))).toBe(textOf(schema));
        const stored: JsonSchema = JSON.parse(textOf(schema));
        expect(textOf(widenSchema(stored, given))).toBe(textOf(schema));
      }),
    );
  });

  it('to widen twice by the same is to widen once', () => {
    fc.assert(
      fc.property(samples, samples, (earlier, later) => {
        const once = widenSchema(inferSchema(earlier), later);
        expect(textOf(widenSchema(once, later))).toBe(textOf(once));
      }),
    );
  });
});

function accepts(schema: JsonSchema, sample: JsonValue): boolean {
  return verdictOf(schema)(sample) === true;
}

function textOf(schema: JsonSchema): string {
  return JSON.stringify(schema);
}
