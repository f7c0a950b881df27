import { describe, expect, it } from 'vitest';
import { readToml } from '../../src/configfile/toml.js';
import { sectionsOf } from '../../src/configfile/toml-sections.js';

const text = [
  'model = "x"',
  '',
  '[servers.one]',
  'command = "a"',
  '[servers.one.env]',
  '  KEY = "v"',
  '[servers."two.three"]',
  '"command" = 5',
  'inner.part = 1',
].join('\n');

describe('TOML of a config file', () => {
  it.each([
    [['servers', 'one', 'command'], 4, 1],
    [['servers', 'one', 'env', 'KEY'], 6, 3],
    [['servers', 'one', 'args'], 3, 1],
    [['servers', 'two.three', 'command'], 8, 1],
    [['servers', 'two.three', 'inner', 'part'], 9, 1],
    [['servers', 'two.three'], 7, 1],
    [['model'], 1, 1],
    [['nothing'], 1, 1],
  ])('has %j in its place', (path, line, column) => {
    expect(readToml(text, 'c.toml').wrong(path, 'not so').details).toMatchObject({ file: 'c.toml', line, column });
  });

  it('that is broken is refused with the place, and without what stands there', () => {
    const read = () => readToml('a = 1\nkey = "hidden-value\n', 'c.toml');
    expect(read).toThrow(/^c\.toml, line 2, column \d+: \S/);
    expect(read).not.toThrow(/hidden/);
  });
});

describe('the sections of TOML', () => {
  it('begin with headers outside of strings, arrays and comments alone', () => {
    const lines = [
      'a = """',
      '[not.this]',
      '"""',
      "b = '''",
      '[nor.this]',
      "'''",
      'c = [',
      '  ["x"]',
      ']',
      '# [nor.that]',
      'd = "[x] # \\" ["',
      '[yes.this]',
      '[[yes.that]]',
    ];
    expect(sectionsOf(lines.join('\n')).map(({ path }) => path.join('.'))).toEqual(['yes.this', 'yes.that']);
  });
});
