import { describe, expect, it } from 'vitest';
import { lintTools } from '../../../src/harness/checks/lint/lint.js';
import { ruleNames } from '../../../src/harness/checks/lint/rule-names.js';
import type { JsonObject, JsonValue, Tool } from '../../../src/toolbox.js';
import { fakeOpen, fakeTool, result, rpcError } from '../fakes.js';
import { reportsOf, verdictOf } from './reports.js';

const good = {
  name: 'add',
  description: 'Adds two numbers.',
  inputSchema: { type: 'object', properties: { a: { type: 'number', description: 'One.' } }, required: ['a'] },
  outputSchema: { type: 'object', properties: { sum: { type: 'number' } } },
  annotations: { title: 'Add', readOnlyHint: true },
};

async function rulesBrokenBy(change: JsonObject): Promise<readonly string[]> {
  return (await lintTools([{ ...good, ...change }])).map(({ rule }) => rule);
}

const input = (schema: JsonObject) => ({ inputSchema: { type: 'object', ...schema } });
const nested = (depth: number): JsonValue => (depth === 0 ? {} : { type: 'array', items: nested(depth - 1) });

const breaks: readonly (readonly [string, JsonObject, string])[] = [
  ['a name with spaces', { name: 'add two' }, 'name'],
  ['an empty name', { name: '' }, 'name'],
  ['a name of 129 letters', { name: 'a'.repeat(129) }, 'name'],
  ['a name with dots, which some clients refuse', { name: 'math.add' }, 'portable_name'],
  ['an empty description', { description: '  ' }, 'description'],
  ['a description that is no text', { description: 5 }, 'description'],
  ['a description longer than some clients take', { description: 'a'.repeat(1025) }, 'long_description'],
  ['an inputSchema that is a list', { inputSchema: [] }, 'input_schema'],
  ['an inputSchema without type', { inputSchema: {} }, 'input_schema'],
  [
    'a type that JSON Schema does not have',
    input({ properties: { a: { type: 'int', description: 'A.' } } }),
    'input_schema',
  ],
  [
    'a pattern that cannot be compiled',
    input({ properties: { a: { pattern: '(', description: 'A.' } } }),
    'input_schema',
  ],
  ['a reference to a definition that is not there', input({ $ref: '#/$defs/none' }), 'input_schema'],
  ['a reference to another place', input({ $ref: 'https://example.com/schema.json' }), 'references'],
  ['a required name that is no property', input({ required: ['b'] }), 'required'],
  ['a schema that is nested deeply', input({ $defs: { deep: nested(70) } }), 'size'],
  ['a schema that is large', input({ description: 'a'.repeat(300_000) }), 'size'],
  ['a property without description', input({ properties: { a: { type: 'number' } } }), 'property_descriptions'],
  [
    'a default of another type',
    input({ properties: { a: { type: 'number', description: 'A.', default: 'one' } } }),
    'defaults',
  ],
  ['a union at the root', input({ oneOf: [{ required: [] }] }), 'root_union'],
  ['an outputSchema that is no schema', { outputSchema: { type: 'objekt' } }, 'output_schema'],
  ['an outputSchema that is a text', { outputSchema: 'number' }, 'output_schema'],
  ['annotations that are a list', { annotations: [] }, 'annotations'],
  ['a hint that is a text', { annotations: { readOnlyHint: 'yes' } }, 'annotations'],
  ['hints that contradict each other', { annotations: { readOnlyHint: true, destructiveHint: true } }, 'contradiction'],
];

describe('lint of tools', () => {
  it('finds nothing in a good tool', async () => {
    expect(await rulesBrokenBy({})).toEqual([]);
  });

  it.each(breaks)('finds %s, and nothing else', async (_what, change, rule) => {
    expect(await rulesBrokenBy(change)).toEqual([rule]);
  });

  it('finds a missing description, a name that is there twice, and what is no tool', async () => {
    const { description: _, ...silent } = good;
    const remarks = await lintTools([silent, good, 'no tool', { description: 'nameless' }]);
    expect(remarks.map(({ message }) => message)).toEqual([
      'Tool 3 of the list is no object with a name (rule form).',
      'Tool 4 of the list is no object with a name (rule form).',
      'add is listed 2 times (rule unique).',
      'add has no description (rule description).',
    ]);
  });

  it('tells an inputSchema that is missing from one that is no object, or has no type', async () => {
    const { inputSchema: _, ...without } = good;
    const said = async (tool: JsonObject) => (await lintTools([tool])).map(({ message }) => message);
    expect(await said(without)).toEqual(['add has no inputSchema (rule input_schema).']);
    expect(await said({ ...good, inputSchema: null })).toEqual([
      'add has an inputSchema that is no object (rule input_schema).',
    ]);
    expect(await said({ ...good, inputSchema: {} })).toEqual([
      'add has an inputSchema without a type; it has to be "object" (rule input_schema).',
    ]);
  });

  it('knows no rule that is not tested here', () => {
    const tested = new Set([...breaks.map(([, , rule]) => rule), 'form', 'unique']);
    expect([...tested].sort()).toEqual([...ruleNames].sort());
  });

  it.each([
    ['draft-07', 'http://json-schema.org/draft-07/schema#', { definitions: { n: { type: 'number' } } }],
    ['2019-09', 'https://json-schema.org/draft/2019-09/schema', { $defs: { n: { type: 'number' } } }],
    ['2020-12', 'https://json-schema.org/draft/2020-12/schema', { $defs: { n: { $anchor: 'n' } } }],
  ])('takes schemas of %s', async (_draft, $schema, more) => {
    expect(await rulesBrokenBy(input({ $schema, ...more }))).toEqual([]);
  });

  it('takes references to what the schema names itself, and no data for references', async () => {
    const $defs = { n: { $id: 'https://example.com/n', type: 'number' } };
    const a = { $ref: 'https://example.com/n' };
    const b = { description: 'B.', default: { $ref: 'https://example.com/no-reference' } };
    expect(await rulesBrokenBy(input({ $defs, properties: { a, b } }))).toEqual([]);
  });
});

describe('check: schemas', () => {
  const bad: Tool = { ...fakeTool('bad'), description: '', inputSchema: { type: 'text' } };
  const given = (tools: readonly Tool[]) => ({ open: fakeOpen({ tools }), tools });

  it('fails with what breaks clients, and only advises on the rest', async () => {
    const undescribed = fakeTool('undescribed', { a: { type: 'string' } });
    expect(await verdictOf({ schemas: true }, given([bad, undescribed]))).toEqual([
      {
        id: 'check: schemas',
        status: 'failed',
        reason: 'Advice: undescribed does not describe a (rule property_descriptions).',
        says: [
          'bad has an empty description (rule description).',
          'bad has an inputSchema whose type is "text"; it has to be "object" (rule input_schema).',
        ],
      },
    ]);
  });

  it('fails with advice, too, where it is strict', async () => {
    const [verdict] = await verdictOf({ schemas: { strict: true } }, given([fakeTool('a.b')]));
    expect(verdict).toMatchObject({ status: 'failed', says: [expect.stringContaining('some clients refuse')] });
  });

  it('leaves out rules and tools that the suite names', async () => {
    const checks = { schemas: { ignore: ['description', 'input_schema'] } };
    expect(await verdictOf(checks, given([bad]))).toEqual([{ id: 'check: schemas', status: 'passed' }]);
    expect(await verdictOf({ schemas: { except: ['bad'] } }, given([bad]))).toMatchObject([{ status: 'passed' }]);
    expect(await verdictOf({ schemas: { tools: ['good'] } }, given([bad, fakeTool('good')]))).toMatchObject([
      { status: 'passed' },
    ]);
  });

  it('tells of a tool that the suite names and the server does not have', async () => {
    const [, missing] = await verdictOf({ schemas: { tools: ['god'] } }, given([fakeTool('good')]));
    expect(missing).toEqual({
      id: 'check: schemas of god',
      status: 'failed',
      says: ['The server has no tool god. Did you mean good?'],
    });
  });

  it('refuses a rule that there is not', async () => {
    await expect(reportsOf({ schemas: { ignore: ['descriptions'] } }, given([]))).rejects.toThrow();
  });

  it('looks at all pages of the list', async () => {
    const open = fakeOpen({
      request: (_method, { cursor }) =>
        cursor === 'second' ? result({ tools: [{ name: 'b' }] }) : result({ tools: [good], nextCursor: 'second' }),
    });
    const [verdict] = await verdictOf({ schemas: true }, { open, tools: [fakeTool('add')] });
    expect(verdict?.says).toContain('b has no description (rule description).');
  });

  it('is skipped where the server lists no tools, and fails where it cannot', async () => {
    expect(await verdictOf({ schemas: true }, given([]))).toMatchObject([
      { status: 'skipped', reason: 'The server lists no tools.' },
    ]);
    const open = fakeOpen({ request: () => rpcError(-32603, 'no database') });
    expect(await verdictOf({ schemas: true }, { open, tools: [bad] })).toMatchObject([
      { status: 'failed', says: ['tools/list was answered with the error -32603: no database'] },
    ]);
  });

  it('fails where a server that declares tools cannot list them, and is skipped where it declares none', async () => {
    const request = () => result({ tools: [], nextCursor: 'again' });
    expect(await verdictOf({ schemas: true }, { open: fakeOpen({ request }), tools: [] })).toMatchObject([
      { status: 'failed', says: [expect.stringContaining('nextCursor')] },
    ]);
    const silent = fakeOpen({ request, introduction: { capabilities: {} } });
    expect(await verdictOf({ schemas: true }, { open: silent, tools: [] })).toMatchObject([{ status: 'skipped' }]);
  });
});
