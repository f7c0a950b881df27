import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createCapture } from '../../src/engine/capture.js';
import { anyBytes, anyCuts, chunked } from './chunks.js';

describe('capture', () => {
  it('keeps everything up to its size', () => {
    expect(captured(12, 'twelve bytes')).toEqual({ text: 'twelve bytes', cutBytes: 0 });
  });

  it('keeps the head and the tail of more, with a mark between them', () => {
    expect(captured(12, 'abcdefghi-lost-XYZ')).toEqual({ text: 'abcdefghi\n[… 6 bytes cut …]\nXYZ', cutBytes: 6 });
  });

  it('does not add a line end where the head has one', () => {
    expect(captured(4, 'ab\n-lost-Z').text).toBe('ab\n[… 6 bytes cut …]\nZ');
  });

  it('does not split characters where it cuts', () => {
    expect(captured(8, 'aaaaé-lost-éb')).toEqual({ text: 'aaaaé\n[… 8 bytes cut …]\nb', cutBytes: 8 });
    expect(captured(8, 'aaaaaé-lost-éb')).toEqual({ text: 'aaaaa\n[… 10 bytes cut …]\nb', cutBytes: 10 });
  });

  it('works with room for one byte', () => {
    expect(captured(1, 'abc').text).toBe('a\n[… 2 bytes cut …]\n');
  });

  it('gives the same for any chunking', () => {
    fc.assert(
      fc.property(anyBytes, anyCuts, fc.integer({ min: 1, max: 60 }), (bytes, cuts, maxBytes) => {
        const whole = createCapture(maxBytes);
        whole.add(bytes, 0, bytes.length);
        const pieces = createCapture(maxBytes);
        for (const chunk of chunked(bytes, cuts)) pieces.add(chunk, 0, chunk.length);
        expect(pieces.text).toBe(whole.text);
        expect(pieces.cutBytes).toBe(whole.cutBytes);
        if (bytes.length <= maxBytes) expect(whole.text).toBe(bytes.toString());
      }),
    );
  });
});

function captured(maxBytes: number, text: string): { text: string; cutBytes: number } {
  const capture = createCapture(maxBytes);
  for (const byte of Buffer.from(text)) capture.add(Buffer.from([byte]), 0, 1);
  return { text: capture.text, cutBytes: capture.cutBytes };
}
