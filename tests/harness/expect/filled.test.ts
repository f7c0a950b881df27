import { describe, expect, it } from 'vitest';
import { checkExpectations } from '../../../src/harness/expect/expect.js';
import { filledExpect } from '../../../src/harness/expect/filled.js';
import { expectSchema } from '../../../src/harness/suite/schema-expect.js';
import type { Exchange } from '../../../src/testedserver.js';
import type { JsonValue } from '../../../src/toolbox.js';
import { rpcError, structured, text } from './exchanges.js';

async function kinds(expected: unknown, exchange: Exchange, value: JsonValue): Promise<readonly string[]> {
  const written = expectSchema.parse(expected);
  const expect = filledExpect(written, { it: value });
  const findings = await checkExpectations({ expect, exchange, action: 'tool', schemaTexts: new Map() });
  return findings.map(({ kind }) => kind);
}

describe('a value of the run in the place of an expected text', () => {
  it.each([[3], [true], [null], [['abc']], [{ foo: 1 }]])('that is %j is held against the text', async (value) => {
    expect(await kinds({ text: '{{ it }}' }, text('something else'), value)).toEqual(['text']);
    expect(await kinds({ text: '{{ it }}' }, text(JSON.stringify(value)), value)).toEqual([]);
    expect(await kinds({ text: { equals: '{{ it }}' } }, text('something else'), value)).toEqual(['text']);
    expect(await kinds({ text: { equals: '{{ it }}' } }, text(JSON.stringify(value)), value)).toEqual([]);
  });

  it('is a part, a pattern, or the message of an error as it is written', async () => {
    expect(await kinds({ text: { contains: '{{ it }}', pattern: '{{ it }}' } }, text('a 3'), 3)).toEqual([]);
    expect(await kinds({ text: { contains: ['{{ it }}'] } }, text('a 4'), 3)).toEqual(['text']);
    expect(await kinds({ text: { excludes: '{{ it }}' } }, text('a null'), null)).toEqual(['text']);
    expect(await kinds({ error: { message: '{{ it }}' } }, rpcError(1, '4'), 3)).toEqual(['error']);
    expect(await kinds({ data: { '$.a': { pattern: '{{ it }}' } } }, structured({ a: '4' }), 3)).toEqual(['field']);
  });

  it('that is a list is one of texts, all of which are contained', async () => {
    expect(await kinds({ text: { contains: '{{ it }}' } }, text('a b'), ['a', 'b'])).toEqual([]);
    expect(await kinds({ text: { contains: '{{ it }}' } }, text('a b'), ['a', 'c'])).toEqual(['text']);
  });
});

describe('a value of the run in the place of a field', () => {
  it.each([[{}], [{ type: 'object' }], [{ exists: false }], [{ min: 1, max: 3 }], [{ value: 3 }]])(
    'that is %j is what to compare with, and no matcher',
    async (value) => {
      expect(await kinds({ data: { '$.a': '{{ it }}' } }, structured({ a: value }), value)).toEqual([]);
      expect(await kinds({ data: { '$.a': '{{ it }}' } }, structured({ a: { other: 1 } }), value)).toEqual(['field']);
    },
  );

  it('is the value, the part or the pattern of a matcher', async () => {
    expect(await kinds({ data: { '$.a': { value: '{{ it }}' } } }, structured({ a: { b: 1 } }), { b: 1 })).toEqual([]);
    expect(await kinds({ data: { '$.a': { contains: '{{ it }}' } } }, structured({ a: [1] }), 2)).toEqual(['field']);
  });
});

describe('a matcher without any condition', () => {
  it('is the empty object to compare with', async () => {
    expect(await kinds({ data: { '$.a': {} } }, structured({ a: {} }), 0)).toEqual([]);
    expect(await kinds({ data: { '$.a': {} } }, structured({ a: 5 }), 0)).toEqual(['field']);
  });
});

describe('a value of the run in the place of a number', () => {
  const three = structured({ a: 3, list: [1, 2, 3] });

  it.each([
    [{ data: { '$.a': { min: '{{ it }}' } } }, 3, 4],
    [{ data: { '$.a': { max: '{{ it }}' } } }, 3, 2],
    [{ data: { '$.list': { length: '{{ it }}' } } }, 3, 2],
    [{ data: { '$.list': { length: { min: '{{ it }}' } } } }, 3, 4],
    [{ fields: { '$.structuredContent.list': { length: { max: '{{ it }}' } } } }, 3, 2],
    [{ progress: { max: '{{ it }}', min: 0 } }, 0, undefined],
    [{ logs: { min: '{{ it }}' } }, 0, 1],
    [{ latency: '{{ it }}' }, '1h', 0],
  ])('is it in %j', async (expected, passes, fails) => {
    expect(await kinds(expected, three, passes)).toEqual([]);
    if (fails !== undefined) expect(await kinds(expected, three, fails)).toHaveLength(1);
  });

  it('is the code of an error', async () => {
    expect(await kinds({ error: { code: '{{ it }}' } }, rpcError(-32602, 'no'), -32602)).toEqual([]);
    expect(await kinds({ error: { code: '{{ it }}' } }, rpcError(-32602, 'no'), -32000)).toEqual(['error']);
  });

  it.each([
    [{ data: { '$.a': { min: '{{ it }}' } } }, '3', 'expect.data.$.a.min: {{ it }} is a text; expected a number'],
    [
      { data: { '$.a': { length: '{{ it }}' } } },
      1.5,
      'length: {{ it }} is a number; expected a whole number of 0 or more',
    ],
    [
      { asks: [{ method: 'roots', fields: { '$.a': { max: '{{ it }}' } } }] },
      null,
      'max: {{ it }} is null; expected a number',
    ],
    [
      { notifications: [{ method: 'x', min: '{{ it }}' }] },
      [],
      'expect.notifications.0.min: {{ it }} is a list; expected a whole number',
    ],
    [{ latency: '{{ it }}' }, 'soon', 'expect.latency: {{ it }} is a text; expected milliseconds'],
    [{ memory: '{{ it }}' }, {}, 'expect.memory: {{ it }} is an object; expected bytes'],
  ])('is told of where it is none: %j with %j', async (expected, value, words) => {
    await expect(kinds(expected, three, value)).rejects.toThrow(words);
  });
});
