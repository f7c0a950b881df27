import { describe, expect, it } from 'vitest';
import { signatureOf, typeOf } from '../../src/cli/signature.js';
import type { JsonObject, JsonValue } from '../../src/toolbox.js';
import { functionTool } from '../manifest/tools.js';

describe('a type in few words', () => {
  it.each<[JsonValue, string]>([
    [{}, 'any'],
    [true, 'any'],
    [{ type: 'integer' }, 'integer'],
    [{ type: ['integer', 'string'] }, 'integer | string'],
    [{ type: ['integer', 'string'], pattern: '^-?[0-9]{16,}$' }, 'integer'],
    [{ type: 'string', format: 'date' }, 'date'],
    [{ type: 'string', contentEncoding: 'base64' }, 'base64'],
    [{ const: 'x' }, '"x"'],
    [{ enum: [1, 2] }, '1 | 2'],
    [{ enum: [1, 2, 3, 4, 5, 6] }, '1 | 2 | 3 | 4 | 5 | …'],
    [{ $ref: '#/$defs/Order' }, 'Order'],
    [{ anyOf: [{ type: 'string' }, { type: 'null' }] }, 'string | null'],
    [{ type: 'array', items: { type: 'string' } }, 'string[]'],
    [{ type: 'array', items: { anyOf: [{ type: 'string' }, { type: 'null' }] } }, '(string | null)[]'],
    [{ type: 'array', prefixItems: [{ type: 'string' }, {}], items: false }, '[string, any]'],
    [{ type: 'array' }, 'any[]'],
    [{ type: 'object' }, 'object'],
    [{ type: 'object', title: 'Order' }, 'Order'],
    [{ type: 'object', additionalProperties: { type: 'number' } }, '{string: number}'],
  ])('of %j is %s', (schema, words) => {
    expect(typeOf(schema)).toBe(words);
  });
});

describe('a signature', () => {
  it('marks what may be left out and shows short defaults', () => {
    const properties = {
      a: { type: 'integer' },
      b: { type: 'string', default: 'x' },
      c: { default: 'long'.repeat(10) },
    };
    expect(signature({ type: 'object', properties, required: ['a'] })).toBe(
      'f(a: integer, b?: string = "x", c?: any = …)',
    );
  });

  it('shows further arguments', () => {
    expect(signature({ type: 'object', additionalProperties: { type: 'integer' } })).toBe('f(**integer)');
    expect(signature({ type: 'object', additionalProperties: true })).toBe('f(**any)');
    expect(signature({ type: 'object', additionalProperties: false })).toBe('f()');
  });

  it('shows what is returned, wrapped or not', () => {
    const outputSchema = { type: 'object', properties: { result: { type: 'number' } } };
    expect(signatureOf(functionTool('a.py', 'f', { outputSchema, resultKey: 'result' }))).toBe('f() -> number');
    expect(signatureOf(functionTool('a.py', 'f', { outputSchema }))).toBe('f() -> object');
  });
});

function signature(inputSchema: JsonObject): string {
  return signatureOf(functionTool('a.py', 'f', { inputSchema }));
}
