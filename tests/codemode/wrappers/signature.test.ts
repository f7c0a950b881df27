import { describe, expect, it } from 'vitest';
import { summaryOf } from '../../../src/codemode/wrappers/foreign-text.js';
import { toolNames } from '../../../src/codemode/wrappers/names.js';
import { shortSignatureOf, signatureOf } from '../../../src/codemode/wrappers/signature.js';
import type { JsonSchema, JsonValue } from '../../../src/toolbox.js';

const defs: JsonSchema = {
  Node: { type: 'object', properties: { next: { $ref: '#/$defs/Node' } } },
  Json: { anyOf: [{ type: 'string' }, { type: 'array', items: { $ref: '#/$defs/Json' } }] },
  Self: { $ref: '#/$defs/Self' },
};

describe('the type of an argument', () => {
  it.each<[JsonValue, string]>([
    [{ type: 'string' }, 'str'],
    [{ type: 'integer' }, 'int'],
    [{ type: 'number' }, 'float'],
    [{ type: ['string', 'null'] }, 'str | None'],
    [{ type: 'string', nullable: true }, 'str | None'],
    [{ enum: ['open', 'closed'] }, 'Literal["open", "closed"]'],
    [{ enum: [1, 2, null] }, 'Literal[1, 2, None]'],
    [{ enum: [1.5, 2.5] }, 'float'],
    [{ enum: ['a', 1.5] }, 'Literal["a"] | float'],
    [{ enum: ["it's"] }, 'FX'],
    [{ const: true }, 'Literal[True]'],
    [{ const: { a: 1 } }, 'dict[str, Any]'],
    [{ type: 'array', items: { type: 'string' } }, 'list[str]'],
    [{ type: 'array' }, 'list[Any]'],
    [
      { type: 'array', prefixItems: [{ type: 'number' }, { type: 'string' }], items: false, minItems: 2 },
      'list[float | str]',
    ],
    [{ type: 'object', additionalProperties: { type: 'integer' } }, 'dict[str, int]'],
    [{ type: 'object' }, 'dict[str, Any]'],
    [{ type: 'object', properties: { a: { type: 'string' } } }, 'FX'],
    [{ properties: { a: { type: 'string' } } }, 'FX'],
    [{ anyOf: [{ type: 'string' }, { type: 'integer' }] }, 'str | int'],
    [{ oneOf: [{ type: 'null' }, { type: 'string' }] }, 'str | None'],
    [{ anyOf: [{ type: 'string' }, {}] }, 'Any'],
    [{ allOf: [{ type: 'string' }, { minLength: 3 }] }, 'str'],
    [{ allOf: [{ type: ['string', 'integer'] }, { type: ['integer', 'null'] }] }, 'int'],
    [{ $ref: '#/$defs/Node' }, 'Node'],
    [{ $ref: '#/$defs/Json' }, 'Json'],
    [{ $ref: '#/$defs/Self' }, 'Any'],
    [{ $ref: '#/$defs/Missing' }, 'Any'],
    [{ $ref: 'https://example.com/schema' }, 'Any'],
    [true, 'Any'],
    [{}, 'Any'],
    [{ type: 'banana' }, 'Any'],
    [5, 'Any'],
  ])('of %j is %s', (schema, type) => {
    const inputSchema = { type: 'object', properties: { x: schema }, required: ['x'], $defs: defs };
    expect(signature(inputSchema)).toBe(`f(x: ${type}) -> Any`);
  });
});

describe('what a function takes', () => {
  it.each<[string, JsonSchema, string]>([
    [
      'needed ones first',
      { properties: { a: { type: 'string' }, b: { type: 'string' } }, required: ['b'] },
      'f(b: str, a: str = ...)',
    ],
    [
      'defaults that fit',
      { properties: { a: { type: 'integer', default: 5 }, b: { type: 'integer', default: 'x' } } },
      'f(a: int = 5, b: int = ...)',
    ],
    [
      'a default in place of what is needed',
      { properties: { a: { type: 'integer', default: 5 } }, required: ['a'] },
      'f(a: int = 5)',
    ],
    ['what is needed without being described', { required: ['x'] }, 'f(x: Any)'],
    ['nothing', { properties: {} }, 'f()'],
    ['what has another name', { properties: { from: { type: 'string' } }, required: ['from'] }, 'f(from_: str)'],
    [
      'more than is described',
      { properties: { a: { type: 'string' } }, additionalProperties: true },
      'f(a: str = ..., **more)',
    ],
    ['nothing that is forbidden', { properties: { a: false, b: { type: 'string' } } }, 'f(b: str = ...)'],
    ['all at once where nothing is described', {}, 'f(arguments: dict[str, Any] = ...)'],
    [
      'what all parts of it say',
      { allOf: [{ properties: { a: { type: 'string' } } }, { required: ['a'] }] },
      'f(a: str)',
    ],
    [
      'what any of its choices says',
      {
        properties: { id: { type: 'string' } },
        required: ['id'],
        oneOf: [
          { properties: { a: { type: 'string' } }, required: ['a'] },
          { properties: { a: { type: 'integer' }, b: {} } },
        ],
      },
      'f(id: str, a: str | int = ..., b: Any = ...)',
    ],
  ])('is %s', (_, inputSchema, shown) => {
    expect(signature({ type: 'object', ...inputSchema })).toBe(`${shown} -> Any`);
  });

  it('is said in short with a ? for what may be left out, and a few names only', () => {
    const many = Object.fromEntries(Array.from({ length: 20 }, (_, index) => [`p${index}`, {}]));
    const [names] = [...toolNames(['f']).values()];
    if (!names) throw new Error('no names');
    const tool = { name: 'f', inputSchema: { type: 'object', properties: many, required: ['p3'] } };
    const shown = shortSignatureOf({ tool }, names);
    expect(shown).toMatch(/^f\(p3, p0\?, p1\?,/);
    expect(shown).toMatch(/, …\)$/);
  });
});

describe('the summary of a description', () => {
  it.each([
    ['Creates an issue. And more.', 'Creates an issue.'],
    ['Reads e.g. a file. Then more.', 'Reads e.g. a file.'],
    ['one line\nand its next\n\nanother paragraph', 'one line and its next'],
    ['version 1.5 of it', 'version 1.5 of it'],
    ['\u001b[31mred\u202e text', '\ufffd[31mred\ufffd text'],
    [undefined, ''],
  ])('of %j is %j', (description, summary) => {
    expect(summaryOf(description)).toBe(summary);
  });

  it('is never long', () => {
    expect(summaryOf('word '.repeat(100_000)).length).toBeLessThan(130);
  });
});

function signature(inputSchema: JsonSchema): string {
  const [names] = [...toolNames(['f']).values()];
  return names ? signatureOf({ tool: { name: 'f', inputSchema } }, names) : '';
}
