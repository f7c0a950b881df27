import { describe, expect, it } from 'vitest';
import type { JsonSchema, Tool } from '../../../src/toolbox.js';
import { check, failed, messages, rpcError, structured, text } from './exchanges.js';

const order = structured({ id: 'A-17', total: 2 });
const orderSchema = {
  type: 'object',
  properties: { id: { type: 'string' }, total: { type: 'integer', minimum: 1 } },
  required: ['id', 'total'],
  additionalProperties: false,
} as const;

describe('a schema', () => {
  it('fits the data, whether structured or a text of JSON', async () => {
    expect(await check({ schema: orderSchema }, order)).toEqual([]);
    expect(await check({ schema: orderSchema }, text('{"id":"x","total":1}'))).toEqual([]);
  });

  it('that does not fit tells everything that does not, with its place', async () => {
    const findings = await check({ schema: orderSchema }, structured({ id: 5, total: 0, extra: true }));
    expect(findings.map(({ message, path }) => [path, message])).toEqual([
      ['$', expect.stringContaining('must not have the property "extra"')],
      ['$.id', 'In the data, $.id does not fit the schema: it must be string. It is 5.'],
      ['$.total', 'In the data, $.total does not fit the schema: it must be >= 1. It is 0.'],
    ]);
    expect(findings[1]).toMatchObject({ kind: 'schema', expected: { type: 'string' }, actual: 5 });
  });

  it('tells what an enumeration has', async () => {
    const schema = { properties: { id: { enum: ['A', 'B'] } } };
    const [message] = await messages({ schema }, order);
    expect(message).toContain('must be equal to one of the allowed values ["A","B"]');
  });

  it('may be true, false, or a file of JSON or YAML', async () => {
    const schemaTexts = new Map([
      ['order.json', JSON.stringify(orderSchema)],
      ['order.yaml', 'type: object\nrequired: [missing]\n'],
    ]);
    expect(await check({ schema: true }, order)).toEqual([]);
    expect(await messages({ schema: false }, order)).toHaveLength(1);
    expect(await check({ schema: 'order.json' }, order, { schemaTexts })).toEqual([]);
    expect((await messages({ schema: 'order.yaml' }, order, { schemaTexts })).join()).toContain("'missing'");
  });

  it('of a file that cannot be read is a finding', async () => {
    const schemaTexts = new Map([
      ['broken.json', '{'],
      ['list.json', '[]'],
    ]);
    const said = async (schema: string) => (await messages({ schema }, order, { schemaTexts })).join();
    expect(await said('broken.json')).toContain('The schema in broken.json cannot be read: ');
    expect(await said('list.json')).toContain('neither an object nor true or false');
    expect(await said('none.json')).toBe('The file none.json of the schema was not read with the suite.');
  });

  it('needs data', async () => {
    expect(await messages({ schema: orderSchema }, text('hello'))).toEqual([
      'The answer has no data, as its text is no JSON: "hello".',
    ]);
  });

  it.each([
    ['draft-07', 'http://json-schema.org/draft-07/schema#', { items: [{ type: 'string' }] }],
    ['2019-09', 'https://json-schema.org/draft/2019-09/schema', { items: [{ type: 'string' }] }],
    ['2020-12', 'https://json-schema.org/draft/2020-12/schema', { prefixItems: [{ type: 'string' }] }],
    ['none', undefined, { prefixItems: [{ type: 'string' }] }],
  ])('is read in the draft that it names: %s', async (_, $schema, words) => {
    const schema = { ...($schema && { $schema }), ...words };
    expect(await check({ schema }, text('["a", 1]'))).toEqual([]);
    expect(await messages({ schema }, text('[1]'))).toEqual([
      'In the data, $[0] does not fit the schema: it must be string. It is 1.',
    ]);
  });

  it.each([
    [{ type: 'text' }, 'The schema cannot be used: at /type it must be equal to one of the allowed values.'],
    [{ $ref: 'https://example.com/other.json' }, "The schema cannot be used: can't resolve reference"],
    [{ pattern: '(' }, 'The schema cannot be used: '],
  ])('%j is none', async (schema, message) => {
    const [said = ''] = await messages({ schema }, text('"x"'));
    expect(said).toContain(message);
  });

  it('may use patterns that were not written for the flag u', async () => {
    expect(await check({ schema: { pattern: '^[\\w-\\.]+$' } }, text('"a-b.c"'))).toEqual([]);
  });

  it('with the same $id as another is a schema of its own', async () => {
    const named = (type: string) => ({ $id: 'https://example.com/a', type });
    expect(await check({ schema: named('string') }, text('"x"'))).toEqual([]);
    expect(await messages({ schema: named('number') }, text('"x"'))).toHaveLength(1);
  });
});

describe('the outputSchema of a tool', () => {
  const tool = (outputSchema: JsonSchema): Tool => ({ name: 'order', inputSchema: { type: 'object' }, outputSchema });

  it('is held to without being asked for', async () => {
    expect(await check({}, order, { tool: tool(orderSchema) })).toEqual([]);
    expect(await check({}, structured({ id: 'A' }), { tool: tool(orderSchema) })).toMatchObject([
      { kind: 'output_schema', path: '$.structuredContent', message: expect.stringContaining("property 'total'") },
    ]);
  });

  it('wants structuredContent', async () => {
    expect(await messages({}, text('{}'), { tool: tool(orderSchema) })).toEqual([
      'The tool has an outputSchema, but its answer has no structuredContent.',
    ]);
  });

  it('is not asked of errors, nor where the case says so', async () => {
    expect(await check({ error: true }, failed('no'), { tool: tool(orderSchema) })).toEqual([]);
    expect(await check({ error: true }, rpcError(1, 'no'), { tool: tool(orderSchema) })).toEqual([]);
    expect(await check({ output_schema: false }, text('x'), { tool: tool(orderSchema) })).toEqual([]);
  });

  it('that is none is a finding', async () => {
    const [message] = await messages({}, order, { tool: tool({ type: 'dict' }) });
    expect(message).toContain('The outputSchema of the tool cannot be used: at /type it must be');
  });

  it('that would take for ever is given up', async () => {
    const endless = tool({ properties: { id: { pattern: '^(a+)+$' } } });
    const said = await messages({}, structured({ id: `${'a'.repeat(60)}b` }), { tool: endless, limitMs: 50 });
    expect(said).toEqual(['Checking the outputSchema of the tool took longer than 50 ms and was given up.']);
  });

  it('that is nested without end is a finding', async () => {
    const depth = 50_000;
    const deep = JSON.parse(`${'{"not":'.repeat(depth)}{}${'}'.repeat(depth)}`);
    expect(await messages({}, order, { tool: tool(deep) })).toEqual([
      'The outputSchema of the tool cannot be used: it is nested too deeply.',
    ]);
  });

  it('cannot make a million findings', async () => {
    const many = structured({ all: Array(50_000).fill('x') });
    const numbers = tool({ properties: { all: { items: { type: 'number' } } } });
    expect(await check({}, many, { tool: numbers })).toHaveLength(1);
    const few = structured({ all: Array(50).fill('x') });
    const said = await messages({}, few, { tool: numbers });
    expect(said).toHaveLength(6);
    expect(said.at(-1)).toBe('45 more things do not fit the outputSchema of the tool.');
  });
});

describe('an outputSchema with words of no JSON Schema', () => {
  const answer = structured({ a: null });
  const findingsFor = async (outputSchema: JsonSchema) =>
    (await check({}, answer, { tool: { name: 't', inputSchema: {}, outputSchema } as Tool })).map(
      ({ message }) => message,
    );

  it('says $async and is held to all the same', async () => {
    const outputSchema = { $async: true, type: 'object', required: ['missing'] };
    expect(await findingsFor(outputSchema)).toEqual([expect.stringContaining("must have required property 'missing'")]);
  });

  it('says nullable, which allows no null', async () => {
    const nullable = { type: 'object', properties: { a: { type: 'string', nullable: true } } };
    expect(await findingsFor(nullable)).toEqual([expect.stringContaining('it must be string')]);
    const withoutType = { type: 'object', properties: { a: { nullable: true, anyOf: [{ type: 'null' }] } } };
    expect(await findingsFor(withoutType)).toEqual([]);
  });

  it('has properties and values of these names', async () => {
    const named = {
      type: 'object',
      properties: { nullable: { type: 'string' }, $async: true, id: {} },
      required: ['id'],
    };
    expect(await findingsFor(named)).toEqual([expect.stringContaining("must have required property 'id'")]);
    const listed = { type: 'object', properties: { a: { enum: [{ nullable: true }] } } };
    expect(await findingsFor(listed)).toEqual([expect.stringContaining('[{"nullable":true}]')]);
  });

  it.each([[null], [[]], ['object'], [5]])('is %j, which is a finding and ends nothing', async (given) => {
    expect(await findingsFor(given as unknown as JsonSchema)).toEqual([
      expect.stringMatching(
        /^The outputSchema of the tool cannot be used: it is .*, and neither an object nor true or/,
      ),
    ]);
  });
});
