import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { splitCommand } from '../../src/configfile/split-command.js';

describe('a command line', () => {
  it.each([
    ['uvx mcp-server-git', ['uvx', 'mcp-server-git']],
    ['  a   b\t', ['a', 'b']],
    ['', []],
    [`node 'a b.js' "c d"`, ['node', 'a b.js', 'c d']],
    [`a'b c'd`, ['ab cd']],
    [`a ''`, ['a', '']],
    [`a\\ b`, ['a b']],
    [`"a\\"b" 'c\\d' "e\\f"`, ['a"b', 'c\\d', 'e\\f']],
    ['$HOME `x` $(y) *', ['$HOME', '`x`', '$(y)', '*']],
  ])('%j has the words %j', (text, words) => {
    expect(splitCommand(text)).toEqual(words);
  });

  it('has the words that were quoted into it', () => {
    fc.assert(
      fc.property(fc.array(fc.string()), (words) => {
        const text = words.map((word) => `'${word.replaceAll("'", `'\\''`)}'`).join(' ');
        expect(splitCommand(text)).toEqual(words);
      }),
    );
  });

  it('with a quote that is not closed is refused', () => {
    expect(() => splitCommand(`a "b`)).toThrow(/quote " .* is not closed/);
  });
});
