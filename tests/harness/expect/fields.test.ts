import { describe, expect, it } from 'vitest';
import { check, messages, result, structured, text } from './exchanges.js';

const order = structured({
  id: 'A-17',
  total: 2,
  paid: true,
  note: null,
  items: [
    { name: 'tea', price: 1.5 },
    { name: 'milk', price: 0.5 },
  ],
});

const at = (path: string) => `$.structuredContent.${path}`;

describe('a field', () => {
  it.each([
    ['id', 'A-17'],
    ['total', 2],
    ['total', { value: 2, type: 'integer', min: 2, max: 2 }],
    ['paid', true],
    ['note', null],
    ['note', { type: 'null' }],
    ['items', { type: 'array', length: 2 }],
    ['items', { length: { min: 1, max: 2 }, contains: { price: 1.5, name: 'tea' } }],
    ['items[*].name', { type: 'string', pattern: '^[a-z]+$' }],
    ['items[?@.price > 1].name', 'tea'],
    ['items[0]', { value: { price: 1.5, name: 'tea' } }],
    ['items[0]', { length: 2 }],
    ['id', { length: 4, contains: '-1' }],
    ['missing', { exists: false }],
    ['id', { exists: true }],
  ])('%s is %j', async (path, expected) => {
    expect(await check({ fields: { [at(path)]: expected } }, order)).toEqual([]);
  });

  it.each([
    ['total', 3, '$.structuredContent.total is 2; expected 3.'],
    ['total', '2', '$.structuredContent.total is 2; expected "2".'],
    ['total', { type: 'string' }, '$.structuredContent.total is 2; expected a text.'],
    ['items[0].price', { type: 'integer' }, '$.structuredContent.items[0].price is 1.5; expected a whole number.'],
    ['total', { min: 3 }, '$.structuredContent.total is 2; expected a number of at least 3.'],
    ['total', { max: 1 }, '$.structuredContent.total is 2; expected a number of at most 1.'],
    ['id', { min: 1, max: 2 }, '$.structuredContent.id is "A-17"; expected a number of 1 to 2.'],
    ['total', { pattern: '2' }, '$.structuredContent.total is 2; expected a text that matches /2/.'],
    ['id', { contains: 'B' }, '$.structuredContent.id is "A-17"; expected a text or list that contains "B".'],
    ['id', { contains: 7 }, '$.structuredContent.id is "A-17"; expected a list with the element 7.'],
    ['id', { length: 5 }, '$.structuredContent.id has the length 4; expected 5. It is "A-17".'],
    ['total', { length: 1 }, '$.structuredContent.total is 2, which has no length; expected one of 1.'],
    ['id', { exists: false }, '$.structuredContent.id is "A-17"; expected nothing there.'],
    ['items[*]', { exists: false }, '$.structuredContent.items[*] finds 2 values; expected nothing there.'],
    ['id', { pattern: '[' }, '$.structuredContent.id cannot be looked at: /[/ is no regular expression'],
    [
      'items',
      [],
      '$.structuredContent.items is [{"name":"tea","price":1.5},{"name":"milk","price":0.5}]; expected [].',
    ],
  ])('%s is not %j', async (path, expected, message) => {
    const [said = ''] = await messages({ fields: { [at(path)]: expected } }, order);
    expect(said).toContain(message);
  });

  it('tells what was expected, what there is, and where', async () => {
    expect(await check({ fields: { '$.structuredContent["total"]': 3 } }, order)).toEqual([
      {
        kind: 'field',
        path: '$.structuredContent.total',
        message: '$.structuredContent.total is 2; expected 3.',
        expected: 3,
        actual: 2,
      },
    ]);
  });

  it('that is a large value says where it differs first', async () => {
    const expected = {
      value: [
        { name: 'tea', price: 1.5 },
        { name: 'milk', price: 0.6 },
      ],
    };
    const [message] = await messages({ fields: { [at('items')]: expected } }, order);
    expect(message).toContain('They differ first at $.structuredContent.items[1].price.');
  });

  it('that is not there says so, and what there is', async () => {
    expect(await messages({ fields: { '$.struct.total': 3 } }, order)).toEqual([
      '$.struct.total finds nothing; expected 3. There is $.content, $.structuredContent.',
    ]);
  });

  it('holds for each value that the path finds, and tells a few that do not', async () => {
    expect(await messages({ fields: { [at('items[*].price')]: { min: 1 } } }, order)).toEqual([
      '$.structuredContent.items[1].price is 0.5; expected a number of at least 1.',
    ]);
    const many = structured({ all: Array.from({ length: 1000 }, (_, index) => index) });
    const said = await messages({ fields: { '$.structuredContent.all[*]': 'x' } }, many);
    expect(said).toHaveLength(6);
    expect(said.at(-1)).toContain('995 things');
  });

  it('has a path that is one, or a finding', async () => {
    const [message] = await messages({ fields: { total: 1 } }, order);
    expect(message).toBe('total is no JSONPath: a path begins with $.');
    expect(await messages({ fields: { '$.': 1 } }, order)).toEqual(['$. is no JSONPath: it ends too early.']);
    expect(await messages({ fields: { '$.a[': 1 } }, order)).toEqual([
      '$.a[ is no JSONPath: unclosed bracketed selection.',
    ]);
  });

  it('counts characters and not their halves', async () => {
    expect(await check({ fields: { '$.content[0].text': { length: 2 } } }, text('🍵é'))).toEqual([]);
  });

  it('is own property of the answer', async () => {
    const hostile = result(JSON.parse('{"content": [], "__proto__": {"x": 1}}'));
    expect(await check({ fields: { '$.__proto__.x': 1, '$.toString': { exists: false } } }, hostile)).toEqual([]);
  });

  it('may be compared with an object that a value of the run became', async () => {
    const fields = { [at('items[0]')]: { name: 'tea', price: 1.5 } as never };
    const { expectSchema } = await import('../../../src/harness/suite/schema-expect.js');
    const { checkExpectations } = await import('../../../src/harness/expect/expect.js');
    const { filledExpect } = await import('../../../src/harness/expect/filled.js');
    const filled = { ...filledExpect(expectSchema.parse({}), {}), fields };
    const given = { expect: filled, exchange: order, action: 'tool', schemaTexts: new Map() } as const;
    expect(await checkExpectations(given)).toEqual([]);
  });

  it('of an answer that is nested without end is a finding', async () => {
    const depth = 50_000;
    const deep = result(JSON.parse(`{"content": [], "deep": ${'['.repeat(depth)}${']'.repeat(depth)}}`));
    expect(await messages({ fields: { '$..x': 1, '$.deep': 'x' } }, deep)).toEqual([
      '$..x cannot be followed: recursion limit reached.',
      expect.stringMatching(/^\$\.deep is \[{30}.*; expected "x"\.$/),
    ]);
  });
});

describe('a field of the data', () => {
  it('is one of structuredContent, or of the text as JSON', async () => {
    expect(await check({ data: { '$.total': 2 } }, order)).toEqual([]);
    expect(await check({ data: { '$[1].a': { min: 1 } } }, text('[0, {"a": 1}]'))).toEqual([]);
  });

  it('says that it is one of the data', async () => {
    expect(await messages({ data: { '$.total': 3 } }, order)).toEqual(['In the data, $.total is 2; expected 3.']);
  });

  it('cannot be had of a text that is no JSON', async () => {
    expect(await messages({ data: { '$.total': 3 } }, text('total: 3'))).toEqual([
      'The answer has no data, as its text is no JSON: "total: 3".',
    ]);
  });

  it('of a list is one of the whole answer', async () => {
    const tools = result({ tools: [{ name: 'echo' }] });
    expect(await messages({ data: { '$.tools[0].name': 'add' } }, tools, { action: 'list' })).toEqual([
      '$.tools[0].name is "echo"; expected "add".',
    ]);
  });
});
