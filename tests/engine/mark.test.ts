import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createMarkFinder } from '../../src/engine/mark.js';
import { anyBytes, anyCuts, chunked } from './chunks.js';

const mark = Buffer.from(`\0${'0123456789abcdef'.repeat(2)}\0`);

describe('mark finder', () => {
  it('parts what comes before the mark from what comes after it, for any chunking', () => {
    fc.assert(
      fc.property(anyBytes, anyBytes, anyCuts, (before, after, cuts) => {
        expect(parted(chunked(Buffer.concat([before, mark, after]), cuts))).toEqual({ before, after });
      }),
    );
  });

  it('gives everything back where the mark never comes, beginnings of it included', () => {
    const beginning = fc.nat(mark.length - 1).map((length) => mark.subarray(0, length));
    fc.assert(
      fc.property(fc.array(fc.oneof(beginning, anyBytes)), anyCuts, (parts, cuts) => {
        const bytes = Buffer.concat(parts);
        fc.pre(!bytes.includes(mark));
        expect(parted(chunked(bytes, cuts))).toEqual({ before: bytes, after: undefined });
      }),
    );
  });

  it('holds back only what could begin the mark', () => {
    const finder = createMarkFinder(mark);
    expect(finder.push(Buffer.from('text\0')).before.toString()).toBe('text');
    expect(finder.held.toString()).toBe('\0');
    expect(finder.push(Buffer.from('x')).before.toString()).toBe('\0x');
    expect(finder.held).toHaveLength(0);
  });
});

function parted(chunks: readonly Buffer[]): { before: Buffer; after: Buffer | undefined } {
  const finder = createMarkFinder(mark);
  const before: Buffer[] = [];
  for (const [index, chunk] of chunks.entries()) {
    const found = finder.push(chunk);
    before.push(found.before);
    if (found.after) {
      return { before: Buffer.concat(before), after: Buffer.concat([found.after, ...chunks.slice(index + 1)]) };
    }
  }
  return { before: Buffer.concat([...before, finder.held]), after: undefined };
}
