import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { stringify } from 'yaml';
import { type Path, placesOf } from '../../src/configfile/place.js';
import { readYaml } from '../../src/configfile/yaml.js';
import { readYamlDocument } from '../../src/configfile/yaml-document.js';
import { readPlainYaml } from '../../src/configfile/yaml-plain.js';

describe('YAML', () => {
  it('is read by whichever reader knows it, with the same errors', async () => {
    const plain = await readYaml('a:\n  b: 1', 's.yaml', { code: 'INVALID_SUITE' });
    const other = await readYaml('a: &x\n  b: 1', 's.yaml', { code: 'INVALID_SUITE' });
    for (const { value, wrong, placeOf } of [plain, other]) {
      expect(value).toEqual({ a: { b: 1 } });
      expect(placeOf(['a', 'b'])).toEqual({ line: 2, column: 3 });
      expect(wrong(['a', 'b'], 'not so')).toMatchObject({
        code: 'INVALID_SUITE',
        message: 's.yaml, line 2, column 3: a.b: not so',
      });
    }
    await expect(readYaml('a: 1\na: 2', 's.yaml')).rejects.toThrow('s.yaml, line 2, column 1: "a" stands here twice');
  });
});

describe('plain YAML', () => {
  it('is read as the library reads it, with the same places', () => {
    const text = [
      '# a suite',
      'version: 1',
      "server: { command: node, args: [\"a b\", 'it''s', -1, 2.50], env: {} } # inline",
      '',
      'cases:',
      '- name: first case',
      '  "quoted": yes',
      '  script: |',
      '    if a:',
      '',
      '      b # no comment',
      '  list:',
      '    - - 1',
      '      - two: 3',
      '    - {',
      '        over: [lines],',
      '      }',
      '  nothing:',
      '- name: $.a[0]',
      "  text: 'x: y'",
      '  last: |-',
      '    end',
    ].join('\n');
    expect(readPlainYaml(text)?.value).toEqual({
      version: 1,
      server: { command: 'node', args: ['a b', "it's", -1, 2.5], env: {} },
      cases: [
        {
          name: 'first case',
          quoted: 'yes',
          script: 'if a:\n\n  b # no comment\n',
          list: [[1, { two: 3 }], { over: ['lines'] }],
          nothing: null,
        },
        { name: '$.a[0]', text: 'x: y', last: 'end' },
      ],
    });
    expectSame(text);
    expectSame(`---\n${text}\n`);
    expect(readPlainYaml(`---\n${text}`)).toBeDefined();
  });

  it.each([
    '',
    '# nothing',
    '- a',
    'a',
    'a: b: c',
    'a: &x 1',
    'a: *x',
    'a: !t 1',
    '? a\n: b',
    'a: 1\n---\nb: 2',
    '%YAML 1.2\n---\na: 1',
    'a: >\n  folded',
    'a: "two\n  lines"',
    'a: two\n  lines',
    'a: 1\na: 2',
    '<<: {}',
    'a:\n\tb: 1',
    'a: 1\r\nb: 2',
    'a: {{ b }}',
    'a: [1, 2',
    'a: 0x10',
    'a: .nan',
    'a: 12345678901234567890',
    'a: True',
    'a: "\\x41"',
    'a: [b: c]',
    'a: { b }',
    'a:\n  b: 1\n c: 2',
    '~: 1',
    'a: |+\n  x\n',
    'a: |2\n  x\n',
    'a: @x',
    'a: b #c\n  d',
    'a: [1, # x\n  2]',
    'a: [1,\n2]',
    'a: "x" y',
    'a: -',
  ])('%j is left to the library', (text) => {
    expect(readPlainYaml(text)).toBeUndefined();
  });

  it('is what the library makes of whatever was written by it', () => {
    const keys = fc.oneof(fc.string(), fc.constantFrom('name', 'tool', '$.a', 'a b', '1', 'true'));
    const values = fc.letrec<{ value: unknown }>((tie) => ({
      value: fc.oneof(
        { maxDepth: 4 },
        fc.string({ unit: 'grapheme' }),
        fc.constantFrom(
          'plain',
          'a: b',
          '# x',
          'it\'s "so"',
          'two\nlines\n',
          ' lead',
          '- dash',
          '{{ x }}',
          'null',
          '2020-01-01',
          '1.2.3',
        ),
        fc.double({ noNaN: true, noDefaultInfinity: true }),
        fc.integer(),
        fc.boolean(),
        fc.constant(null),
        fc.array(tie('value'), { maxLength: 4 }),
        fc.dictionary(keys, tie('value'), { maxKeys: 4 }),
      ),
    })).value;
    const layouts = fc.record({
      indent: fc.constantFrom(2, 4),
      indentSeq: fc.boolean(),
      collectionStyle: fc.constantFrom('any', 'block', 'flow'),
      defaultStringType: fc.constantFrom('PLAIN', 'QUOTE_DOUBLE', 'QUOTE_SINGLE', 'BLOCK_LITERAL'),
      lineWidth: fc.constantFrom(0, 80),
    } as const);
    fc.assert(
      fc.property(fc.dictionary(keys, values, { minKeys: 1, maxKeys: 4 }), layouts, (value, layout) => {
        expectSame(stringify(JSON.parse(JSON.stringify(value)), layout));
      }),
      { numRuns: 200 },
    );
  });

  it('is what the library makes of any lines', () => {
    const part = fc.constantFrom(
      'a: b',
      'b: 1',
      'c:',
      '- x',
      '- ',
      '-',
      '- a: 1',
      '- - y',
      'k: |',
      'k: |-',
      '- |',
      'text',
      '"q": 1',
      "'s': 'it''s'",
      'f: { a: 1, b: [x, "y"] }',
      'g: [',
      ']',
      'h: {',
      '}',
      'x: 1,',
      'a',
      ',',
      '# c',
      'a: b # c',
      'a: b#c',
      'a: "x" # c',
      'a: "x"# c',
      'a:b',
      'a: b: c',
      'a : b',
      'a: -',
      'a: - b',
      '-1: x',
      'u: http://x.y/z',
      'e: "\\n\\u0041"',
      'e: "\\q"',
      'n: ~',
      'z: null',
      'd: 1e3',
      'd: -0',
      'd: 007',
      'd: +1',
      'd: 1.',
      'w: a  ',
      'w: \u00a0x\u00a0',
      'l: [a, b',
      'l: [a,, b]',
      'l: [a,]',
      'l: [ ]',
      '{ a: b }',
      '{"a":1}',
      'j: {"a":1,"b":[2]}',
      'j: {a:1}',
      'j: {a: b:c}',
      'j: [a:b]',
      'j: [-1, - 1]',
      'j: [a #b]',
      'y: {a: {b: }}',
      '',
    );
    const line = fc
      .tuple(fc.constantFrom(0, 0, 2, 2, 4, 6, 1, 3), part)
      .map(([indent, words]) => ' '.repeat(indent) + words);
    fc.assert(
      fc.property(fc.array(line, { minLength: 1, maxLength: 8 }), fc.boolean(), (lines, endsLine) => {
        expectSame((endsLine ? '' : '---\n') + lines.join('\n') + (endsLine ? '\n' : ''));
      }),
      { numRuns: 1000 },
    );
  });
});

/** Where it is plain, the library agrees in every value and place. */
function expectSame(text: string): void {
  const plain = readPlainYaml(text);
  if (plain === undefined) return;
  const whole = readYamlDocument(text, 's.yaml');
  expect(plain.value, text).toEqual(whole.value);
  expect(JSON.stringify(plain.value)).toBe(JSON.stringify(whole.value));
  const placeAt = placesOf(text);
  for (const path of pathsIn(plain.value, [])) {
    expect(placeAt(plain.offsetOf(path)), `${path.join('.')} in\n${text}`).toEqual(whole.placeOf(path));
  }
}

function pathsIn(value: unknown, path: Path): readonly Path[] {
  if (typeof value !== 'object' || value === null) return [path];
  const below = Array.isArray(value)
    ? value.flatMap((item, index) => pathsIn(item, [...path, index]))
    : Object.entries(value).flatMap(([name, item]) => pathsIn(item, [...path, name]));
  return [path, ...below];
}
