import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { captureValues } from '../../../src/harness/expect/capture.js';
import { checkFields } from '../../../src/harness/expect/fields.js';
import { pathText } from '../../../src/harness/expect/path-text.js';
import type { JsonObject, JsonValue } from '../../../src/toolbox.js';
import { result, rpcError, structured, text, unanswered } from './exchanges.js';

const order = structured({ id: 'A-17', items: [{ id: 1 }, { id: 2 }] });

describe('a captured value', () => {
  it('comes from the result, the data, or the text', () => {
    const capture = {
      id: '$.structuredContent.id',
      first: { data: '$.items[0]' },
      number: { text: 'A-(\\d+)' },
      whole: { text: 'A-\\d+' },
    };
    expect(captureValues(capture, order)).toEqual({
      values: { id: 'A-17', first: { id: 1 }, number: '17', whole: 'A-17' },
      findings: [],
    });
  });

  it('is a list where the path finds several', () => {
    expect(captureValues({ ids: { data: '$.items[*].id' } }, order).values).toEqual({ ids: [1, 2] });
  });

  it('may be null', () => {
    expect(captureValues({ it: '$.a' }, result({ a: null }))).toEqual({ values: { it: null }, findings: [] });
  });

  it('comes from an error, too', () => {
    expect(captureValues({ code: '$.error.code' }, rpcError(-1, 'no')).values).toEqual({ code: -1 });
  });

  it('may be named as anything', () => {
    const { values } = captureValues(JSON.parse('{"__proto__": "$.a"}'), result({ a: { x: 1 } }));
    expect(Object.entries(values)).toEqual([['__proto__', { x: 1 }]]);
  });

  it.each([
    ['$.missing', 'it cannot be captured: $.missing finds nothing in the answer.'],
    [{ data: '$.x' }, 'it cannot be captured: $.x finds nothing in the data of the answer.'],
    [{ text: 'B-\\d+' }, 'it cannot be captured: /B-\\d+/ does not match the text'],
    [{ text: '(B)?A' }, 'it cannot be captured: the first group of /(B)?A/ takes no part in what it matches.'],
    ['$.[', 'it cannot be captured: $.[ is no JSONPath: '],
    [{ text: '(' }, 'it cannot be captured: /(/ is no regular expression'],
  ])('that %j does not find is a finding', (way, message) => {
    const { values, findings } = captureValues({ it: way }, order);
    expect(values).toEqual({});
    expect(findings).toMatchObject([{ kind: 'capture', message: expect.stringContaining(message) }]);
  });

  it('is none where there is no answer, or no data', () => {
    expect(captureValues({ it: '$' }, unanswered).findings[0]?.message).toBe(
      'it cannot be captured: there was no answer.',
    );
    expect(captureValues({ it: { data: '$' } }, text('hi')).findings[0]?.message).toContain('its text is no JSON');
  });

  it('is given up where its pattern never ends', () => {
    const { findings } = captureValues({ it: { text: '^(a+)+$' } }, text(`${'a'.repeat(60)}b`), 50);
    expect(findings[0]?.message).toBe('it cannot be captured: looking for it took longer than 50 ms.');
  });

  it('is what a field at the same path is', () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string(), fc.jsonValue()), (given) => {
        const root = given as JsonObject;
        for (const [key, value] of Object.entries(root)) {
          const path = pathText([key]);
          const { values } = captureValues({ it: path }, result(root));
          expect(values).toEqual({ it: value });
          expect(checkFields({ [path]: { value: values.it as never } }, root as JsonValue)).toEqual([]);
        }
      }),
      { numRuns: 50 },
    );
  });
});
