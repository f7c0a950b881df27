import { stripVTControlCharacters } from 'node:util';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { harmless, harmlessLines, printableJson } from '../../src/cli/harmless.js';
import { cut, formatTable } from '../../src/cli/table.js';
import { createTerminal } from '../../src/cli/terminal.js';

const colour = new RegExp(`${String.fromCharCode(27)}\\[[\\d;:]*m`);
const commanding = /[\p{Cc}\u2028\u2029\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/u;
const hostile = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 60 }),
  fc
    .array(fc.constantFrom('\u001b[2J', '\u001b]0;x\u0007', '\u009b31m', '\u001b', '[31m', '\u202e', 'a', '天', '\r\n'))
    .map((parts) => parts.join('')),
);

function terminalOf(columns: number) {
  return { ...createTerminal(new AbortController().signal), colours: false, environment: { COLUMNS: String(columns) } };
}

describe('foreign text', () => {
  it('commands no terminal in one line, in lines and in JSON', () => {
    fc.assert(
      fc.property(hostile, (text) => {
        expect(harmless(text)).not.toMatch(commanding);
        const lines = harmlessLines(text)
          .split(colour)
          .join('')
          .replace(/[\n\t]/g, '');
        expect(lines).not.toMatch(commanding);
        expect(printableJson({ text }).replaceAll('\n', '')).not.toMatch(commanding);
        expect(JSON.parse(printableJson({ text }))).toEqual({ text });
      }),
    );
  });

  it('that commands nothing stays as it is', () => {
    fc.assert(
      fc.property(fc.string({ maxLength: 60 }), (text) => {
        expect(harmlessLines(text)).toBe(text);
        expect(harmless(text)).toBe(text);
      }),
    );
  });
});

describe('a table', () => {
  it('fits the terminal, and has a line for each row', () => {
    const rows = fc.array(fc.tuple(fc.stringMatching(/^[a-z_]{1,10}$/), hostile), { maxLength: 8 });
    fc.assert(
      fc.property(rows, fc.integer({ min: 40, max: 120 }), (given, columns) => {
        const lines = formatTable([{ title: 'name' }, { title: 'text' }], given, terminalOf(columns)).split('\n');
        expect(lines).toHaveLength(given.length + 2);
        for (const line of lines) expect([...line].length).toBeLessThanOrEqual(columns);
        for (const [index, [name]] of given.entries()) expect(lines[index + 1]).toMatch(new RegExp(`^${name}( |$)`));
      }),
    );
  });

  it('cuts no name, and lets one that is very long stand out of its column', () => {
    const long = 'n'.repeat(300);
    const table = formatTable(
      [{ title: 'name' }, { title: 'text' }],
      [
        [long, 'x'],
        ['a', 'y'],
      ],
      terminalOf(100),
    );
    expect(table.split('\n').slice(1, 3)).toEqual([`${long}  x`, `a${' '.repeat(49)}y`]);
  });

  it('paints nothing but its titles', () => {
    const table = formatTable([{ title: 'name' }], [['\u001b[31mred']], { ...terminalOf(80), colours: true });
    expect(table.split('\n')[1]).toBe('red');
    expect(stripVTControlCharacters(table)).toBe('name\nred\n');
  });
});

describe('cut text', () => {
  it.each([
    ['whole', 5, 'whole'],
    ['longer', 5, 'long…'],
    ['天気予報', 5, '天気…'],
    ['👩‍👩‍👧 family', 4, '👩‍👩‍👧…'],
    ['e\u0301e\u0301e\u0301', 2, 'e\u0301…'],
  ])('%s in %i columns is %s', (text, width, shown) => {
    expect(cut(text, width)).toBe(shown);
  });
});
