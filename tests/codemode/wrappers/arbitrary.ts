import fc from 'fast-check';
import type { KnownServer, KnownTool } from '../../../src/codemode/known-tools.js';
import { isJsonObject, type JsonSchema, type JsonValue } from '../../../src/toolbox.js';

/** What would leave a mark if any of it were ever executed: a folder of that name. */
export const mark = 'executed';

const code = `__import__("os").mkdir("${mark}")`;
const sharpText = fc.constantFrom(
  code,
  `"""\n${code}\n"""`,
  `\\"""\n${code}\n"""`,
  `"\n${code}\n"`,
  `'\n${code}\n'`,
  `"); ${code}; ("`,
  `'); ${code}; ('`,
  `\n${code}\n`,
  `\r${code}\r`,
  `\u2028${code}`,
  `\f${code}`,
  `]: ${code} #`,
  `= ${code}`,
  `*/ ${code}`,
  `{${code}}`,
  `\\`,
  `\\"`,
  '"',
  "'",
);
const anyText = fc.oneof(
  sharpText,
  fc.string({ unit: 'binary', maxLength: 20 }),
  fc.string({ maxLength: 20 }),
  fc.string({
    unit: fc.constantFrom('\ud800', '\udc00', 'a', '\0', '\u202e', '"', '\\', '\n', '_', '-', '1'),
    maxLength: 8,
  }),
  fc.constantFrom('class', 'None', 'list', 'str', 'print', '__init__', '_call', 'Any', 'UNSET', 'self', 'x', 'y', 'X'),
);

const { schema } = fc.letrec<{ schema: JsonValue; inner: JsonValue }>((tie) => ({
  inner: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    fc.constantFrom<JsonValue>(true, false, {}, 5, null),
    tie('schema'),
  ),
  schema: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    fc.record({ type: fc.constantFrom('string', 'integer', 'number', 'boolean', 'null', 'array', 'object', 'odd') }),
    fc.record({ enum: fc.array(fc.jsonValue({ maxDepth: 1 }) as fc.Arbitrary<JsonValue>, { maxLength: 4 }) }),
    fc.record({ enum: fc.array(anyText, { minLength: 1, maxLength: 4 }) }),
    fc.record({ const: anyText }),
    fc.record({ $ref: fc.constantFrom('#', '#/$defs/a', '#/$defs/b', '#/$defs/none', 'http://x') }),
    fc.record(
      {
        type: fc.constant('object'),
        description: anyText,
        properties: fc.dictionary(anyText, tie('inner'), { maxKeys: 4 }),
        required: fc.array(anyText, { maxLength: 2 }),
        additionalProperties: tie('inner'),
      },
      { requiredKeys: ['properties'] },
    ),
    fc.record({ type: fc.constant('array'), items: tie('inner') }),
    fc.record({ prefixItems: fc.array(tie('inner'), { maxLength: 3 }), items: tie('inner') }),
    fc.record({ anyOf: fc.array(tie('inner'), { maxLength: 3 }) }),
    fc.record({ oneOf: fc.array(tie('inner'), { maxLength: 3 }), properties: fc.dictionary(anyText, tie('inner')) }),
    fc.record({ allOf: fc.array(tie('inner'), { maxLength: 3 }), $ref: fc.constantFrom('#/$defs/a', '#') }),
    fc.record({
      type: fc.constantFrom('string', 'integer'),
      default: fc.oneof(anyText, fc.integer()),
      description: anyText,
    }),
  ) as fc.Arbitrary<JsonValue>,
}));

const rootSchema: fc.Arbitrary<JsonSchema> = fc
  .record({
    properties: fc.dictionary(anyText, schema, { maxKeys: 6 }),
    required: fc.array(anyText, { maxLength: 3 }),
    $defs: fc.record({ a: schema, b: schema }),
    more: schema,
  })
  .map(({ properties, required, $defs, more }) => ({
    ...(isJsonObject(more) ? more : {}),
    type: 'object',
    properties,
    required: [...required, ...Object.keys(properties).slice(0, 2)],
    $defs,
  }));

const knownTool: fc.Arbitrary<KnownTool> = fc
  .record({
    name: anyText,
    description: fc.option(anyText, { nil: undefined }),
    inputSchema: rootSchema,
    result: fc.option(rootSchema, { nil: undefined }),
    isJsonText: fc.boolean(),
  })
  .map(({ name, description, inputSchema, result, isJsonText }) => ({
    tool: { name, description, inputSchema },
    result: result && { schema: result, origin: 'inferred', samples: 2, isJsonText },
  }));

/** A server as no decent one is. */
export const anyServer: fc.Arbitrary<KnownServer> = fc.record({
  name: anyText,
  description: fc.option(anyText, { nil: undefined }),
  tools: fc.array(knownTool, { maxLength: 5 }),
});

export { anyText };
