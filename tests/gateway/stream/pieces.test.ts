import * as fc from 'fast-check';
import { describe, it } from 'vitest';
import { piecesOf } from '../../../src/gateway/stream/pieces.js';

describe('pieces of a text', () => {
  it('are the text again when each is encoded by itself', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), fc.integer({ min: 1, max: 5 }), (text, length) => {
        const encoded = [...piecesOf(text, length)].map((piece) => Buffer.from(piece));
        return Buffer.concat(encoded).equals(Buffer.from(text));
      }),
    );
  });
});
