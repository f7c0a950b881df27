import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { embedSchema } from '../../../src/gateway/openapi/embedded-schema.js';
import type { JsonObject } from '../../../src/toolbox.js';
import { find } from './documents.js';

const place = '#/components/schemas/it';

describe('a schema within a document', () => {
  it('refers to its own parts at their new place', () => {
    const schema = {
      $defs: { 'a/b~c': { $anchor: 'here', type: 'string' } },
      properties: {
        pointer: { $ref: '#/$defs/a~1b~0c' },
        anchor: { $ref: '#here' },
        whole: { $ref: '#' },
        nowhere: { $ref: '#/$defs/x' },
        elsewhere: { $ref: 'https://example.com/s.json#/a' },
      },
    };
    expect(embedSchema(schema, place)).toEqual({
      $defs: { 'a/b~c': { type: 'string' } },
      properties: {
        pointer: { $ref: `${place}/$defs/a~1b~0c` },
        anchor: { $ref: `${place}/$defs/a~1b~0c` },
        whole: { $ref: place },
        nowhere: {},
        elsewhere: { $ref: 'https://example.com/s.json#/a' },
      },
    });
  });

  it('loses its own address, which two tools may share', () => {
    const schema = { $id: 'urn:x', $defs: { a: {} }, items: { $ref: 'urn:x#/$defs/a' } };
    expect(embedSchema(schema, place)).toEqual({ $defs: { a: {} }, items: { $ref: `${place}/$defs/a` } });
  });

  it('keeps what only looks like a reference: values, and parameters of that name', () => {
    const schema = {
      properties: { $ref: { type: 'string' }, default: { $ref: '#/$defs/a' } },
      default: { $ref: '#/nowhere' },
      enum: [{ $ref: '#/nowhere' }],
      $defs: { a: { const: { $ref: '#/nowhere' } } },
    };
    const embedded = embedSchema(schema, place);
    expect(embedded).toEqual({
      ...schema,
      properties: { ...schema.properties, default: { $ref: `${place}/$defs/a` } },
    });
  });

  it('ends where a schema is nested without end', () => {
    let deep: JsonObject = { type: 'string' };
    for (let level = 0; level < 5000; level++) deep = { items: deep };
    expect(JSON.stringify(embedSchema(deep, place)).length).toBeLessThan(2000);
  });

  it('has only references that lead somewhere, whatever it was', () => {
    const name = fc.constantFrom('a', 'b/c', 'd~e', '%', 'properties', 'default', '$ref');
    const reference = fc.oneof(
      fc.array(fc.oneof(fc.constantFrom('$defs', 'properties', 'items'), name)).map((names) => `#/${names.join('/')}`),
      fc.constantFrom('#', '#anchor', '#%'),
    );
    const { schema } = fc.letrec<{ schema: JsonObject }>((tie) => ({
      schema: fc.oneof(
        { depthSize: 'small', withCrossShrink: true },
        fc.record(
          { $ref: reference, $anchor: fc.constant('anchor') },
          { requiredKeys: [] },
        ) as fc.Arbitrary<JsonObject>,
        fc.record({
          items: tie('schema'),
          properties: fc.dictionary(name, tie('schema'), { maxKeys: 2 }),
          $defs: fc.dictionary(name, tie('schema'), { maxKeys: 2 }),
          anyOf: fc.array(tie('schema'), { maxLength: 2 }),
        }),
      ),
    }));
    fc.assert(
      fc.property(schema, (given) => {
        const document = { components: { schemas: { it: embedSchema(given, place) } } };
        for (const target of referencesIn(document.components.schemas.it)) {
          expect(find(document, target), target).toBeDefined();
        }
      }),
    );
  });
});

function referencesIn(part: JsonObject): string[] {
  const { $ref, items, properties = {}, $defs = {}, anyOf = [] } = part;
  const parts = [
    items,
    ...Object.values(properties as JsonObject),
    ...Object.values($defs as JsonObject),
    ...Object.values(anyOf as JsonObject),
  ];
  return [
    ...(typeof $ref === 'string' ? [$ref] : []),
    ...parts.flatMap((value) => (typeof value === 'object' && value !== null ? referencesIn(value as JsonObject) : [])),
  ];
}
