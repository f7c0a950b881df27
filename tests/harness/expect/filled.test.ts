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
