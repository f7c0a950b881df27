import { Ajv2020 } from 'ajv/dist/2020.js';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { exampleArguments } from '../../../src/harness/init/examples.js';
import { patternExample } from '../../../src/harness/init/pattern-example.js';
import { reasonNotToCall } from '../../../src/harness/init/safety.js';
import type { JsonObject, JsonValue, Tool } from '../../../src/toolbox.js';

function toolOf(properties: JsonObject, more: JsonObject = {}): Tool {
  return { name: 'tool', inputSchema: { type: 'object', properties, required: Object.keys(properties), ...more } };
}

function valueFor(schema: JsonValue, more: JsonObject = {}): unknown {
  const made = exampleArguments(toolOf({ given: schema }, more));
  return 'problem' in made ? made : made.arguments.given;
}

describe('example arguments', () => {
  it.each<[string, JsonObject, unknown]>([
    ['examples first', { type: 'string', examples: ['a'], default: 'b', enum: ['c'] }, 'a'],
    ['then the default', { type: 'string', default: 'b', enum: ['c'] }, 'b'],
    ['then the constant', { const: 4 }, 4],
    ['then the first choice', { enum: ['c', 'd'] }, 'c'],
    ['a text', { type: 'string' }, 'example'],
    ['a text of a length', { type: 'string', minLength: 10, maxLength: 12 }, 'example---'],
    ['a short text', { type: 'string', maxLength: 3 }, 'exa'],
    ['a text of a format', { type: 'string', format: 'email' }, 'someone@example.com'],
    ['a text of a pattern', { type: 'string', pattern: '^[A-Z]{2}-\\d{3}$' }, 'AA-111'],
    ['a number', { type: 'number' }, 1],
    ['a number above', { type: 'number', minimum: 7.5 }, 7.5],
    ['a number below', { type: 'integer', maximum: -3 }, -3],
    ['a number between', { type: 'number', exclusiveMinimum: 5, exclusiveMaximum: 6 }, 5.5],
    ['a multiple', { type: 'integer', minimum: 11, multipleOf: 5 }, 15],
    ['the first of several types', { type: ['null', 'integer'] }, 1],
    ['an element', { type: 'array', items: { type: 'boolean' } }, [false]],
    ['as many elements as it wants', { type: 'array', minItems: 2 }, ['example', 'example']],
    ['none where none may be', { type: 'array', maxItems: 0 }, []],
    ['one of each kind', { prefixItems: [{ type: 'null' }, { const: 2 }] }, [null, 2]],
    ['what an object needs', { properties: { a: { const: 1 }, b: {} }, required: ['a'] }, { a: 1 }],
    ['a choice that is not null', { anyOf: [{ type: 'null' }, { type: 'boolean' }] }, false],
    ['all of several', { allOf: [{ type: 'string' }, { minLength: 8 }] }, 'example-'],
  ])('give %s', (_what, schema, value) => {
    expect(valueFor(schema)).toEqual(value);
  });

  it('hold only what is required, and what the schema gives as a whole', () => {
    expect(exampleArguments({ name: 'a', inputSchema: { type: 'object', properties: { a: {} } } })).toEqual({
      arguments: {},
    });
    const whole = { type: 'object', examples: [{ q: 'x' }], required: ['q'] };
    expect(exampleArguments({ name: 'a', inputSchema: whole })).toEqual({ arguments: { q: 'x' } });
  });

  it('follow references within the schema', () => {
    const defs = { $defs: { 'a/b': { type: 'integer', minimum: 3 }, c: { $ref: '#/$defs/a~1b' } } };
    expect(valueFor({ $ref: '#/$defs/c' }, defs)).toBe(3);
  });

  it.each<[string, JsonObject, string]>([
    [
      'references elsewhere',
      { $ref: 'https://a.example/x' },
      'the schema of the argument given refers to "https://a.example/x"',
    ],
    ['references to nothing', { $ref: '#/$defs/no' }, 'the schema of the argument given refers to "#/$defs/no"'],
    [
      'endless references',
      { $ref: '#/properties/given' },
      'the schema of the argument given refers to "#/properties/given"',
    ],
    [
      'patterns that are not simple',
      { type: 'string', pattern: '(?=a)b' },
      'the argument given: it wants a text of a pattern that is not simple',
    ],
    ['long lists', { type: 'array', minItems: 1000 }, 'the argument given want a list of 1000'],
  ])('say why there are none with %s', (_what, schema, problem) => {
    expect(valueFor(schema)).toEqual({ problem });
  });

  it('end with schemas that hold themselves', () => {
    const schema = { type: 'object', properties: { again: { $ref: '#' } }, required: ['again'] };
    expect(exampleArguments({ name: 'a', inputSchema: schema })).toMatchObject({ problem: expect.any(String) });
  });

  it('fit the schemas that they were made from', () => {
    const bounds = { minimum: fc.integer({ min: -50, max: 50 }), maximum: fc.integer({ min: 51, max: 200 }) };
    const number = fc.record({ type: fc.constantFrom('number', 'integer'), ...bounds }, { requiredKeys: ['type'] });
    const text = fc.record(
      { type: fc.constant('string'), minLength: fc.nat(20), maxLength: fc.integer({ min: 20, max: 30 }) },
      { requiredKeys: ['type'] },
    );
    const { schema } = fc.letrec<{ schema: JsonObject }>((tie) => ({
      schema: fc.oneof(
        { depthSize: 'small' },
        number as fc.Arbitrary<JsonObject>,
        text as fc.Arbitrary<JsonObject>,
        fc.constant({ type: 'boolean' }),
        fc.record({ type: fc.constant('array'), items: tie('schema'), minItems: fc.nat(3) }),
        fc
          .dictionary(fc.stringMatching(/^[a-z]{1,5}$/), tie('schema'), { maxKeys: 3 })
          .map((properties) => ({ type: 'object', properties, required: Object.keys(properties) })),
        fc.array(tie('schema'), { minLength: 1, maxLength: 3 }).map((anyOf) => ({ anyOf })),
      ),
    }));
    const ajv = new Ajv2020({ strict: false });
    fc.assert(
      fc.property(schema, (each) => {
        const tool = toolOf({ given: each });
        const made = exampleArguments(tool);
        if ('arguments' in made) expect(ajv.validate({ ...tool.inputSchema }, made.arguments)).toBe(true);
        else expect(made.problem).toContain('too deep');
      }),
      { numRuns: 60 },
    );
  });
});

describe('an example of a pattern', () => {
  it.each([
    ['^abc$', 0],
    ['^[a-z]+$', 5],
    ['^\\d{4}-\\d{2}$', 0],
    ['^(?:red|green)[^a]?$', 0],
    ['^#?[0-9a-fA-F]{6}$', 0],
    ['^(foo|bar)+\\.txt$', 0],
    ['^[^\\s@]+@[^\\s@]+$', 12],
    ['^v\\d+(\\.\\d+){2,}$', 0],
    ['^[-a]$', 0],
    ['^\\/[\\w\\-.]*$', 4],
    ['^a{2,5}$', 0],
  ])('%s matches it', (pattern, minLength) => {
    const text = patternExample(pattern, minLength);
    expect(text).toMatch(new RegExp(pattern, 'u'));
    expect(text?.length).toBeGreaterThanOrEqual(minLength);
  });

  it.each([
    '(?=a)',
    '\\1',
    '\\bword',
    '(',
    '[',
    'a**',
    `${'('.repeat(50)}a${')'.repeat(50)}`,
    'a{100000}',
    '(a{900}){900}',
    '[]',
    '[^\\s\\S]',
    'x'.repeat(501),
  ])('is not made of %s', (pattern) => {
    expect(patternExample(pattern, 0)).toBeUndefined();
  });

  it('is made, or not made, of whatever is given', () => {
    const odd = fc.string({ unit: fc.constantFrom(...'a1\\[]^$-(|)*+?{},:<>='), maxLength: 40 });
    fc.assert(
      fc.property(odd, fc.nat(20), (pattern, minLength) => {
        const text = patternExample(pattern, minLength);
        expect(text === undefined || text.length >= minLength).toBe(true);
      }),
    );
  });
});

describe('a tool is called unasked', () => {
  it.each<[string, JsonObject | undefined, boolean]>([
    ['where it only reads', { readOnlyHint: true }, true],
    ['where it only adds', { destructiveHint: false }, true],
    ['not where it says nothing', undefined, false],
    ['not where it says that it writes', { readOnlyHint: false }, false],
    ['not where it destroys', { destructiveHint: true }, false],
    ['not where it contradicts itself', { readOnlyHint: true, destructiveHint: true }, false],
    ['not where it adds to the world', { destructiveHint: false, openWorldHint: true }, false],
    ['not where its hints are no hints', { readOnlyHint: 'true' }, false],
  ])('%s', (_when, annotations, isCalled) => {
    const reason = reasonNotToCall({ ...toolOf({}), ...(annotations && { annotations }) });
    expect(reason === undefined).toBe(isCalled);
  });

  it('not where it needs a task', () => {
    const tool = { ...toolOf({}), annotations: { readOnlyHint: true }, execution: { taskSupport: 'required' } };
    expect(reasonNotToCall(tool)).toBe('it runs only as a task');
  });
});
