import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { characterEnd, characterStart, countReplaced } from '../../src/engine/utf8.js';
import { anyBytes } from './chunks.js';

describe('characterEnd and characterStart', () => {
  it('never split a character', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', minLength: 1 }), fc.nat(), (text, place) => {
        const bytes = Buffer.from(text);
        const end = characterEnd(bytes, place % (bytes.length + 1));
        const start = characterStart(bytes, place % (bytes.length + 1));
        expect(bytes.toString('utf8', 0, end) + bytes.toString('utf8', end)).toBe(text);
        expect(bytes.toString('utf8', 0, start) + bytes.toString('utf8', start)).toBe(text);
      }),
    );
  });

  it('move by three bytes at most when the bytes are no characters', () => {
    const bytes = Buffer.alloc(10, 0x80);
    expect(characterEnd(bytes, 10)).toBe(10);
    expect(characterStart(bytes, 0)).toBe(3);
  });
});

describe('countReplaced', () => {
  it.each([
    ['plain', 0],
    ['a genuine \uFFFD', 0],
    [Buffer.from([0xff, 0xfe, 0x41]), 2],
    [Buffer.from([0xe2, 0x82, 0x41]), 2],
    [Buffer.concat([Buffer.from('\uFFFD'), Buffer.from([0xe9]), Buffer.from('\uFFFD')]), 1],
  ])('counts %o as %i bytes', (input, expected) => {
    const bytes = Buffer.from(input);
    expect(countReplaced(bytes.toString(), bytes, 0, bytes.length)).toBe(expected);
  });

  it('counts the bytes that no valid character accounts for', () => {
    fc.assert(
      fc.property(anyBytes, (bytes) => {
        const text = bytes.toString();
        const decoded = new TextDecoder('utf-8', { ignoreBOM: true });
        expect(text).toBe(decoded.decode(bytes));
        const replaced = countReplaced(text, bytes, 0, bytes.length);
        expect(replaced === 0).toBe(Buffer.from(text).equals(bytes));
        expect(replaced).toBeLessThanOrEqual(bytes.length);
      }),
    );
  });
});
