import { Ajv2020 } from 'ajv/dist/2020.js';
import fc from 'fast-check';
import type { JsonSchema, JsonValue } from '../../../src/toolbox.js';

export const key = fc.oneof(
  fc.constantFrom('id', 'name', 'items', '1', '2', 'a1', 'b2', '__proto__', 'constructor', 'toString', ''),
  fc.string({ maxLength: 12 }),
  fc.uuid(),
);

const scalar = fc.constantFrom<JsonValue[]>(null, true, false, '', 'text', 0, 1, -7, 2.5, 1e300);

/** Any JSON, with keys that repeat and keys that are traps. */
export const { value } = fc.letrec<{ value: JsonValue }>((tie) => ({
  value: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    scalar,
    fc.array(tie('value'), { maxLength: 4 }),
    fc.array(fc.tuple(key, tie('value')), { maxLength: 12 }).map((entries) => Object.fromEntries(entries)),
  ),
}));

export const samples = fc.array(value, { minLength: 1, maxLength: 5 });

const kind = fc.constantFrom('null', 'boolean', 'integer', 'number', 'string', 'array', 'object');
const name = fc.constantFrom('id', 'name', 'items', 'a1');

/** Schemas such as servers declare, references into themselves included. */
export const schema: fc.Arbitrary<JsonSchema> = fc
  .letrec<{ schema: JsonSchema }>((tie) => ({
    schema: fc.oneof(
      { depthSize: 'small', withCrossShrink: true },
      fc.record({ type: fc.oneof(kind, fc.uniqueArray(kind, { minLength: 1, maxLength: 3 })) }),
      fc.record({ enum: fc.array(scalar, { minLength: 1, maxLength: 3 }) }),
      fc.record({ const: fc.oneof(scalar, fc.constant([1])) }),
      fc.record({ $ref: fc.constantFrom('#', '#/$defs/one', '#/$defs/t~1wo') }),
      fc.record(
        {
          type: fc.constant('object'),
          properties: fc.dictionary(name, tie('schema'), { maxKeys: 3 }),
          required: fc.uniqueArray(name, { maxLength: 2 }),
          additionalProperties: fc.oneof(fc.boolean(), tie('schema')),
          minProperties: fc.constant(1),
        },
        { requiredKeys: ['type'] },
      ),
      fc.record(
        {
          type: fc.constant('array'),
          items: fc.oneof(fc.boolean(), tie('schema')),
          prefixItems: fc.array(tie('schema'), { minLength: 1, maxLength: 2 }),
        },
        { requiredKeys: ['type'] },
      ),
      fc.record({ anyOf: fc.array(tie('schema'), { minLength: 1, maxLength: 3 }) }),
      fc.record({ oneOf: fc.array(tie('schema'), { minLength: 1, maxLength: 2 }), title: fc.constant('a') }),
      fc.record({ allOf: fc.array(tie('schema'), { minLength: 1, maxLength: 2 }) }),
      fc.record({ type: fc.constant('string'), pattern: fc.constant('^t'), minLength: fc.constant(1) }),
      fc.record({ not: tie('schema') }),
    ),
  }))
  .schema.chain((root) =>
    fc.constantFrom<JsonSchema>(
      { ...root, $defs: { one: { type: 'integer' }, 't/wo': { type: 'array', items: { $ref: '#/$defs/one' } } } },
      {
        ...root,
        $defs: { one: { anyOf: [{ type: 'null' }, { properties: { id: { $ref: '#/$defs/one' } } }] }, 't/wo': {} },
      },
    ),
  );

/** What the library says; undefined of a schema in which it goes round and round. */
export function verdictOf(schema: JsonSchema): (value: JsonValue) => boolean | undefined {
  const options = { strict: false, ownProperties: true, logger: false, meta: false, validateSchema: false } as const;
  const validate = new Ajv2020(options).compile(schema);
  return (value) => {
    try {
      return validate(value) === true;
    } catch (error) {
      if (error instanceof RangeError) return undefined;
      throw error;
    }
  };
}
