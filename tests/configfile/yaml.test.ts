import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { stringify } from 'yaml';
import { readYamlDocument as readYaml } from '../../src/configfile/yaml-document.js';
import { CallerError } from '../../src/errors.js';

const text = [
  'one:',
  '  two: 1',
  '  "three four": [a, { b: c }]',
  'list:',
  '  - name: x',
  '    deep:',
  '      - 1',
  '  - second',
  'common: &common { shared: 1, other: 2 }',
  'uses:',
  '  <<: *common',
  '  other: 3',
  'again: *common',
].join('\n');

describe('YAML of a file', () => {
  it.each([
    [['one'], 1, 1],
    [['one', 'two'], 2, 3],
    [['one', 'three four'], 3, 3],
    [['one', 'three four', 1, 'b'], 3, 23],
    [['list', 0], 5, 5],
    [['list', 0, 'deep', 0], 7, 9],
    [['list', 1], 8, 5],
    [['list', 0, 'missing', 'more'], 5, 5],
    [['list', 7], 4, 1],
    [['uses', 'shared'], 9, 19],
    [['uses', 'other'], 12, 3],
    [['again', 'other'], 9, 30],
    [['nothing'], 1, 1],
    [[], 1, 1],
  ])('has %j in its place', (path, line, column) => {
    const { wrong, placeOf } = readYaml(text, 's.yaml', { code: 'INVALID_SUITE' });
    expect(placeOf(path)).toEqual({ line, column });
    expect(wrong(path, 'not so')).toMatchObject({
      code: 'INVALID_SUITE',
      details: { file: 's.yaml', line, column },
    });
  });

  it('gives what JSON would say, with aliases and merge keys put in', () => {
    expect(readYaml(text, 's.yaml').value).toEqual({
      one: { two: 1, 'three four': ['a', { b: 'c' }] },
      list: [{ name: 'x', deep: [1] }, 'second'],
      common: { shared: 1, other: 2 },
      uses: { other: 3, shared: 1 },
      again: { shared: 1, other: 2 },
    });
  });

  it('is YAML 1.2: only true and false are switches, and dates are texts', () => {
    const { value } = readYaml('a: yes\nb: 2020-01-01\nc: ~\nd: 0x10\ne: true\n7: on\nf: 1_000\n', 's.yaml');
    expect(value).toEqual({ a: 'yes', b: '2020-01-01', c: null, d: 16, e: true, 7: 'on', f: '1_000' });
    expect(readYaml('%YAML 1.1\n---\na: yes', 's.yaml').value).toEqual({ a: 'yes' });
  });

  it('may begin with a byte order mark, and its lines may end as on Windows', () => {
    const { value, placeOf } = readYaml('\uFEFFa: 1\r\nb:\r\n  c: |\r\n    x\r\n    y\r\n', 's.yaml');
    expect(value).toEqual({ a: 1, b: { c: 'x\ny\n' } });
    expect(placeOf(['a'])).toEqual({ line: 1, column: 1 });
    expect(placeOf(['b', 'c'])).toEqual({ line: 3, column: 3 });
  });

  it('keeps names of a prototype as names', () => {
    const { value } = readYaml('__proto__: { polluted: true }', 's.yaml');
    expect(JSON.stringify(value)).toBe('{"__proto__":{"polluted":true}}');
    expect(Object.getPrototypeOf(value)).toBe(Object.prototype);
  });

  it.each([
    ['', '1, column 1: it is empty'],
    ['# nothing\n', '1, column 1: it is empty'],
    ['---\n', '1, column 4: it is empty'],
    ['- a', '1, column 1: expected keys with values'],
    ['text', '1, column 1: expected keys with values'],
    ['a: 1\na: 2', '2, column 1: "a" stands here twice'],
    ['1: a\n"1": b', '2, column 1: "1" stands here twice'],
    ['a:\n\tb: 1', '2, column 1: a tab as indentation, which YAML does not take; use spaces'],
    ['a: 1\n---\nb: 2', '2, column 1: a second document begins here; expected one alone'],
    ['a: [1, 2\nb: 3', '2, column 1: a bracket or brace above is not closed, or what is within it is not indented'],
    ['a: "x', '1, column 6: something is missing here: a closing quote, bracket or brace, or the colon after a key'],
    [
      'a: b: c',
      '1, column 4: a second key in one line, or lines that are indented too far; a text with ": " in it has to stand in quotes',
    ],
    ['a: @b', '1, column 4: a text that begins with this character has to stand in quotes'],
    [
      'a: "\\q"',
      '1, column 5: a backslash in double quotes begins an escape, and this is none; use single quotes, or write \\\\',
    ],
    [
      'a: !run x',
      '1, column 4: this tag (!) is not known, and not needed here; leave it out, or put the text in quotes',
    ],
    [
      'a: !!binary aGk=',
      '1, column 4: this tag (!) is not known, and not needed here; leave it out, or put the text in quotes',
    ],
    ['a: *b', '1, column 4: nothing above is named &b'],
    ['a: &a\n  b: *a', '2, column 6: *a stands within itself'],
    ['a: .nan', '1, column 4: found something that JSON has no form for; put it in quotes if it is a text'],
    [
      'a: 12345678901234567890',
      '1, column 4: the number has too many digits to be kept exactly; put it in quotes if it is a text',
    ],
    ['? [a]\n: b', '1, column 3: a key is a text; found something else in its place'],
    ['a: {{ b }}', '1, column 4: {{ … }} has to stand in quotes: braces begin an object in YAML'],
    ['a: {{ b }} c', '1, column 12: {{ … }} has to stand in quotes: braces begin an object in YAML'],
    ['<<: 5', '1, column 1: << takes an object, or a list of objects, to add'],
  ])('%j is refused with its place', (broken, message) => {
    expect(() => readYaml(broken, 's.yaml')).toThrow(new RegExp(`^s\\.yaml, line ${escaped(message)}$`));
  });

  it('tells of names that stand in it twice, to whoever wants to go on', () => {
    const told: string[] = [];
    const { value } = readYaml('a: { b: 1, b: 2 }\nc:\n  - d: 1\n    d: 2', 's.yaml', {
      onRepeated: (path, { message }) => told.push(`${path.join('.')} ${message}`),
    });
    expect(told).toEqual([
      'a.b s.yaml, line 1, column 12: "b" stands here twice',
      'c.0.d s.yaml, line 4, column 5: "d" stands here twice',
    ]);
    expect(value).toEqual({ a: { b: 2 }, c: [{ d: 2 }] });
  });

  it('of which aliases make too much is refused soon', () => {
    const letters = [...'abcdefghi'];
    const laughs = letters.map((letter, index) => {
      const before = letters[index - 1];
      return `${letter}: &${letter} [${Array(10)
        .fill(before ? `*${before}` : 'lol')
        .join(', ')}]`;
    });
    expect(() => readYaml(laughs.join('\n'), 's.yaml')).toThrow(
      /line \d, column \d+: the aliases stand for more than 100000 values/,
    );
  });

  it.each(['[', '{a: ', '- '])('that is nested too deeply with %j is refused', (opening) => {
    const deep = `a:\n  ${opening.repeat(5000)}1${{ '[': ']', '{a: ': '}' }[opening]?.repeat(5000) ?? ''}`;
    expect(() => readYaml(deep, 's.yaml')).toThrow(CallerError);
  });

  it('is the value that was written as YAML, whatever it is', () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string(), fc.jsonValue({ maxDepth: 4 })), (value) => {
        const json: unknown = JSON.parse(JSON.stringify(value));
        expect(readYaml(stringify(json), 's.yaml').value).toEqual(json);
        expect(readYaml(JSON.stringify(json), 's.yaml').value).toEqual(json);
      }),
      { numRuns: 60 },
    );
  });
});

function escaped(words: string): string {
  return words.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
}
