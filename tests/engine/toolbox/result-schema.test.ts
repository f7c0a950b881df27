import { describe, expect, it } from 'vitest';
import { schemaForClients } from '../../../src/engine/toolbox/result-schema.js';
import type { JsonObject } from '../../../src/toolbox.js';

describe('the schema of a result, for clients that hold results against it', () => {
  it('has no format, at any depth', () => {
    const schema: JsonObject = {
      type: 'object',
      properties: { result: { anyOf: [{ type: 'string', format: 'date-time' }, { type: 'null' }] } },
      $defs: { Span: { type: 'array', items: { type: 'string', format: 'duration' } } },
      additionalProperties: { type: 'string', format: 'time' },
    };
    expect(schemaForClients(schema)).toEqual({
      type: 'object',
      properties: { result: { anyOf: [{ type: 'string' }, { type: 'null' }] } },
      $defs: { Span: { type: 'array', items: { type: 'string' } } },
      additionalProperties: { type: 'string' },
    });
  });

  it('has the patterns that JavaScript understands, and not those that only Python does', () => {
    const schema = { properties: { a: { pattern: '^[0-9]+$' }, b: { type: 'string', pattern: '(?P<word>x)\\Z' } } };
    expect(schemaForClients(schema)).toEqual({ properties: { a: { pattern: '^[0-9]+$' }, b: { type: 'string' } } });
  });

  it('keeps members and values that are called format', () => {
    const schema: JsonObject = {
      properties: { format: { type: 'string', default: { format: 'png' } }, properties: { enum: [{ format: 'a' }] } },
      $defs: { format: { const: { format: 'b' } } },
      required: ['format'],
      additionalProperties: false,
    };
    expect(schemaForClients(schema)).toEqual(schema);
  });
});
