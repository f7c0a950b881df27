import { describe, expect, it } from 'vitest';
import { lines, suiteFolder } from './texts.js';

const folder = suiteFolder();

async function ids(...rest: readonly string[]): Promise<readonly string[]> {
  const { cases } = await folder.read(lines('variables: { who: Ada }', 'cases:', ...rest));
  return cases.map(({ id }) => id);
}

describe('the ids of cases', () => {
  it.each<readonly [string, readonly string[]]>([
    ['{ name: plain, tool: t }', ['plain']],
    ['{ name: "for {{ who }}", tool: t }', ['for Ada']],
    ['{ name: "adds {{ a }}", tool: t, each: [{ a: 1 }, { a: [2] }] }', ['adds 1', 'adds [2]']],
    ['{ name: adds, tool: t, each: [{ a: 1, b: x }, { a: 2, b: x }] }', ['adds [a=1, b=x]', 'adds [a=2, b=x]']],
    ['{ name: adds, tool: t, each: [{ a: 1 }, { a: 1 }] }', ['adds [1]', 'adds [2]']],
    ['{ name: "{{ a }}", tool: t, each: [{ a: x, b: 1 }, { a: x, b: 2 }] }', ['x [a=x, b=1]', 'x [a=x, b=2]']],
    [`{ name: long, tool: t, each: [{ a: ${'x'.repeat(80)} }] }`, ['long [1]']],
    ['{ name: lines, tool: t, each: [{ a: "x\\ny" }] }', ['lines [a=x y]']],
    ['{ name: empty, tool: t, each: [{}] }', ['empty [1]']],
  ])('of %s', async (given, expected) => {
    expect(await ids(`  - ${given}`)).toEqual(expected);
  });

  it('are in the order of the file, each with its row, its name and its place', async () => {
    const { cases } = await folder.read(
      lines(
        'cases:',
        '  - { name: one, tool: t }',
        '  - name: "two {{ a }}"',
        '    tool: t',
        '    each: [{ a: 1 }, { a: 2 }]',
      ),
    );
    expect(cases).toMatchObject([
      { id: 'one', place: { line: 4, column: 5 } },
      { id: 'two 1', spec: { name: 'two 1' }, row: { a: 1 }, place: { line: 5, column: 5 } },
      { id: 'two 2', spec: { name: 'two 2' }, row: { a: 2 }, place: { line: 5, column: 5 } },
    ]);
    expect(cases[0]).not.toHaveProperty('row');
  });

  it.each<readonly [readonly string[], string]>([
    [
      ['  - { name: a, tool: t }', '  - { name: a, tool: u }'],
      '5:7 cases.1.name: the case in line 4 is called "a" already',
    ],
    [
      ['  - { name: "a [1]", tool: t }', '  - { name: a, tool: u, each: [{}] }'],
      '5:7 cases.1.name: the case in line 4 is called "a [1]" already',
    ],
    [
      ['  - { name: "a {{ b }}", tool: t }'],
      '4:7 cases.0.name: There is no value b for {{ b }}; none is known; a name is made of variables and columns of each alone',
    ],
  ])('%j are refused', async (cases, mistake) => {
    expect(await folder.mistakes(lines('cases:', ...cases))).toEqual([mistake]);
  });
});

describe('what comes before a case', () => {
  const three = ['  - { name: a, tool: t }', '  - { name: b, tool: t, each: [{ x: 1 }, { x: 2 }] }'];

  it.each<readonly [string, readonly string[]]>([
    ['depends_on: a', ['a']],
    ['depends_on: [b, a]', ['b [x=1]', 'b [x=2]', 'a']],
    ['depends_on: "b [x=2]"', ['b [x=2]']],
    ['tags: [x]', []],
  ])('with %s', async (given, after) => {
    const { cases } = await folder.read(lines('cases:', ...three, `  - { name: c, tool: t, ${given} }`));
    expect(cases.at(-1)?.after).toEqual(after);
  });

  it('are the cases that capture what it uses', async () => {
    const { cases } = await folder.read(
      lines(
        'cases:',
        '  - { name: makes, tool: t, capture: { id: $.id } }',
        '  - { name: uses, tool: t, arguments: { id: "{{ id }}" } }',
        '  - { name: makes another, tool: t, capture: { id: $.id }, depends_on: uses }',
        '  - { name: uses that, tool: t, arguments: { id: "{{ id }}" } }',
        '  - { name: says which, tool: t, arguments: { id: "{{ id }}" }, depends_on: makes }',
        '  - name: has its own',
        '    tool: t',
        '    arguments: { id: "{{ id }}" }',
        '    setup: [{ tool: t, capture: { id: $.id } }]',
      ),
    );
    expect(Object.fromEntries(cases.map(({ id, after }) => [id, after]))).toEqual({
      makes: [],
      uses: ['makes'],
      'makes another': ['uses'],
      'uses that': ['makes another'],
      'says which': ['makes'],
      'has its own': [],
    });
  });

  it.each<readonly [readonly string[], string]>([
    [
      ['{ name: first, tool: t, depends_on: frist }'],
      '4:29 cases.0.depends_on: no case is called "frist"; did you mean "first"?',
    ],
    [['{ name: a, tool: t, depends_on: [a] }'], '4:25 cases.0.depends_on: these cases wait for each other: "a" → "a"'],
    [
      [
        '{ name: apart, tool: t, depends_on: three }',
        '{ name: one, tool: t, depends_on: [two] }',
        '{ name: two, tool: t, depends_on: [three] }',
        '{ name: three, tool: t, depends_on: [one] }',
      ],
      '5:27 cases.1.depends_on: these cases wait for each other: "one" → "two" → "three" → "one"',
    ],
  ])('%j is refused', async (cases, mistake) => {
    const text = lines('cases:', ...cases.map((each) => `  - ${each}`));
    expect(await folder.mistakes(text)).toEqual([mistake]);
  });

  it('may be a very long chain', async () => {
    const chain = Array.from(
      { length: 600 },
      (_, index) => `  - { name: c${index}, tool: t, depends_on: c${(index + 1) % 600} }`,
    );
    expect(await folder.mistakes(lines('cases:', ...chain))).toEqual([
      expect.stringMatching(/^4:\d+ cases\.0\.depends_on: these cases wait for each other: "c0" → .* → … → "c0"$/),
    ]);
  });
});
