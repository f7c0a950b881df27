import { describe, expect, it } from 'vitest';
import { wantsText } from '../../src/cli/wants-text.js';
import type { JsonObject, JsonValue } from '../../src/toolbox.js';

const $defs: JsonObject = {
  Name: { type: 'string' },
  Item: { type: 'object', properties: {} },
  Loop: { $ref: '#/$defs/Loop' },
  Names: { anyOf: [{ $ref: '#/$defs/Name' }, { type: 'null' }] },
};

function takes(parameter: JsonValue, read: JsonValue): boolean {
  return wantsText({ type: 'object', properties: { a: parameter }, $defs }, 'a', read);
}

describe('a word that is JSON', () => {
  it.each<[JsonObject, JsonValue]>([
    [{ type: 'string' }, 5],
    [{ type: 'string' }, true],
    [{ type: 'string' }, [1]],
    [{ enum: ['1', '2'] }, 1],
    [{ const: 'true' }, true],
    [{ anyOf: [{ type: 'string' }, { type: 'null' }] }, 5],
    [{ $ref: '#/$defs/Name' }, 5],
    [{ $ref: '#/$defs/Names' }, 5],
    [{ type: ['string', 'number'], format: 'decimal' }, 1.1],
  ])('is text for %j, which takes no %j', (parameter, read) => {
    expect(takes(parameter, read)).toBe(true);
  });

  it.each<[JsonValue, JsonValue]>([
    [{ type: 'integer' }, 5],
    [{ type: ['string', 'number'], format: 'duration' }, 5],
    [{ anyOf: [{ type: 'string' }, { type: 'null' }] }, null],
    [{ anyOf: [{ type: 'string' }, {}] }, 5],
    [{ $ref: '#/$defs/Item' }, {}],
    [{ $ref: '#/$defs/Loop' }, 5],
    [{ $ref: '#/$defs/Nowhere' }, 5],
    [{ $ref: 'https://elsewhere.example/schema' }, 5],
    [{ enum: [1, 'a'] }, 1],
    [{}, 5],
    [true, 5],
  ])('is what it is for %j, which takes %j or is not known', (parameter, read) => {
    expect(takes(parameter, read)).toBe(false);
  });

  it('is read by what further names take', () => {
    expect(wantsText({ properties: {}, additionalProperties: { type: 'string' } }, 'a', 5)).toBe(true);
    expect(wantsText({ properties: {}, additionalProperties: false }, 'a', 5)).toBe(false);
    expect(wantsText({}, 'toString', 5)).toBe(false);
  });
});
