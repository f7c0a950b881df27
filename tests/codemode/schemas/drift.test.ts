import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { ResultSchema } from '../../../src/codemode/known-tools.js';
import { checkDrift } from '../../../src/codemode/schemas/drift.js';
import { inferSchema } from '../../../src/codemode/schemas/infer.js';
import { firstMisfit } from '../../../src/codemode/schemas/misfit.js';
import type { JsonObject, JsonSchema, JsonValue, ToolResult } from '../../../src/toolbox.js';
import { samples, schema, value, verdictOf } from './values.js';

describe('drift', () => {
  it('is none where an answer fits', () => {
    expect(checkDrift(declared({ type: 'object', required: ['a'] }), structured({ a: 1 }))).toBeUndefined();
    expect(checkDrift(inferred([{ a: 1 }]), structured({ a: 2, added: true }))).toBeUndefined();
  });

  it('names the first place that does not fit, and shows no value', () => {
    const known = inferred([{ items: [{ name: 'a' }] }, { items: [] }, { items: [] }]);
    expect(checkDrift(known, structured({ items: [{ name: 'a' }, { name: 42 }] }))).toBe(
      'The answer does not fit what was inferred from 3 samples: items[1].name is integer, expected string.',
    );
    expect(checkDrift(known, structured({ items: [{ secret: 'x' }] }))).toBe(
      'The answer does not fit what was inferred from 3 samples: items[0] has no name.',
    );
    expect(checkDrift(known, structured({}))).toBe(
      'The answer does not fit what was inferred from 3 samples: it has no items.',
    );
  });

  it('of a declared schema says so', () => {
    const known = declared({ type: 'object', properties: { state: { enum: ['open', 'closed'] } } });
    expect(checkDrift(known, structured({ state: 'merged' }))).toBe(
      'The answer does not fit the output schema that the server declares: state is none of the values that it may have.',
    );
    expect(checkDrift(known, text('open'))).toBe(
      'The answer does not fit the output schema that the server declares: it has no structured content.',
    );
  });

  it('of a union names the member that was probably meant', () => {
    const known = inferred([null, { id: 1, more: { a: 'x' } }]);
    expect(checkDrift(known, structured({ more: { a: 'x' } }))).toContain('it has no id');
    expect(checkDrift(known, structured({ id: 1, more: { a: 3 } }))).toContain('more.a is integer, expected string');
    expect(checkDrift(known, text('x'))).toContain('it is string, and fits none of the forms it may have');
  });

  it('is found in a text that is JSON', () => {
    const known: ResultSchema = { ...inferred([{ a: 1 }]), isJsonText: true };
    expect(checkDrift(known, text('{"a": 5}'))).toBeUndefined();
    expect(checkDrift(known, text('{"a": null}'))).toContain('a is null, expected integer');
    expect(checkDrift(known, text('No results.'))).toContain('it is text that is no JSON object or array');
  });

  it('is none in a text that was always plain, whatever it says', () => {
    expect(checkDrift(inferred(['a text']), text('{"a": 5}'))).toBeUndefined();
  });

  it('is found where other kinds of content come', () => {
    const image: ToolResult = { content: [{ type: 'image', data: '', mimeType: 'image/png' }] };
    expect(checkDrift(inferred(['a text']), image)).toContain('it is array, expected string');
    expect(checkDrift(inferred(['a text']), { content: [] })).toContain('it is null, expected string');
  });

  it('is none in an answer that is an error', () => {
    expect(checkDrift(inferred([{ a: 1 }]), { content: [], isError: true })).toBeUndefined();
  });

  it('is told on one line, however the keys are named', () => {
    const odd = `\u001b[31m\n\u202e${'x'.repeat(500)}`;
    const known = declared({
      additionalProperties: { type: 'array', items: { additionalProperties: { type: 'null' } } },
    });
    const told = checkDrift(known, structured({ [odd]: [{ [odd]: 1 }] })) ?? '';
    expect(told).toMatch(/^[\x20-\x7e…]+$/);
    expect(told.length).toBeLessThan(300);
  });
});

describe('a hostile schema', () => {
  it.each<[string, JsonSchema]>([
    ['with a pattern that never ends', { type: 'object', properties: { a: { pattern: '^(a+)+$' } } }],
    ['that refers to somewhere else', { $ref: 'http://127.0.0.1:1/schema.json' }],
    ['that refers to nothing', { $ref: '#/$defs/nothing' }],
    ['that refers to itself and nothing else', { $ref: '#' }],
    ['of references in a circle', { $ref: '#/$defs/a', $defs: { a: { $ref: '#/$defs/b' }, b: { $ref: '#/$defs/a' } } }],
    ['with a reference that is no text', { $ref: 7 }],
    ['with an odd escape', { $ref: '#/%E0%A4%A' }],
    [
      'of keywords with nonsense',
      { type: 3, properties: 'x', required: { a: 1 }, enum: 'a', items: 0, anyOf: {}, allOf: 1 },
    ],
    ['of a type that nobody knows', { type: ['object', 'any'] }],
  ])('%s finds no drift', (_name, hostile) => {
    expect(checkDrift(declared(hostile), structured({ a: `${'a'.repeat(50_000)}!` }))).toBeUndefined();
  });

  it('that branches into itself is given up in bounded steps', () => {
    const members = Array.from({ length: 20 }, () => ({ $ref: '#/$defs/tree' }));
    const tree = { type: 'object', properties: { next: { anyOf: [...members, { type: 'null' }] } } };
    const deep = Array.from({ length: 60 }).reduce<JsonObject>((inner) => ({ next: inner }), { next: 7 });
    expect(checkDrift(declared({ ...tree, $defs: { tree } }), structured(deep))).toBeUndefined();
  });

  it('that is nested without end is given up', () => {
    const nested: JsonSchema = JSON.parse(`${'{"allOf":['.repeat(5000)}{"type":"string"}${']}'.repeat(5000)}`);
    expect(checkDrift(declared(nested), structured({}))).toBeUndefined();
  });

  it('cannot be met by what every object inherits', () => {
    const known = declared({ required: ['constructor'], properties: { toString: { type: 'null' } } });
    expect(checkDrift(known, structured({ a: 1 }))).toContain('it has no constructor');
  });
});

describe('laws of drift', () => {
  it('what a schema was inferred from never drifts from it', () => {
    fc.assert(
      fc.property(samples, (given) => {
        const whole = inferSchema(given);
        for (const sample of given) expect(firstMisfit(whole, sample)).toBeUndefined();
      }),
    );
  });

  it('of an inferred schema, values fit exactly where the library says so', () => {
    fc.assert(
      fc.property(samples, value, (given, other) => {
        const whole = inferSchema(given);
        expect(firstMisfit(whole, other) === undefined).toBe(verdictOf(whole)(other));
      }),
      { numRuns: 50 },
    );
  });

  it('of any schema, no value is reported that the library accepts', () => {
    fc.assert(
      fc.property(schema, fc.array(value, { minLength: 1, maxLength: 8 }), (declaredSchema, values) => {
        const verdict = verdictOf(declaredSchema);
        for (const one of values) if (firstMisfit(declaredSchema, one)) expect(verdict(one)).not.toBe(true);
      }),
      { numRuns: 150 },
    );
  });
});

function declared(whole: JsonSchema): ResultSchema {
  return { schema: whole, origin: 'declared' };
}

function inferred(given: readonly JsonValue[]): ResultSchema {
  return { schema: inferSchema(given), origin: 'inferred', samples: given.length };
}

function structured(structuredContent: JsonObject): ToolResult {
  return { content: [], structuredContent };
}

function text(said: string): ToolResult {
  return { content: [{ type: 'text', text: said }] };
}
