import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createFrameReader, decodePayload, encodeFrame } from '../../src/engine/frames.js';
import type { HostError } from '../../src/errors.js';

describe('encodeFrame', () => {
  it('writes one type byte, the length in big-endian and the JSON in UTF-8', () => {
    expect(encodeFrame('r', { a: 'é' })).toEqual(
      Buffer.concat([Buffer.from('r'), Buffer.from([0, 0, 0, 10]), Buffer.from('{"a":"é"}')]),
    );
  });

  it('copies raw bytes unchanged', () => {
    expect(encodeFrame('x', Buffer.from([0, 255]))).toEqual(Buffer.from([0x78, 0, 0, 0, 2, 0, 255]));
  });
});

describe('frame reader', () => {
  it('gives back any sequence of frames, however it is chunked', () => {
    const frames = fc.array(fc.tuple(fc.constantFrom('r', 'q', 'E', '\0'), fc.jsonValue()), { maxLength: 8 });
    fc.assert(
      fc.property(frames, fc.array(fc.integer({ min: 1, max: 9 })), (sent, sizes) => {
        const wire = Buffer.concat(sent.map(([type, value]) => encodeFrame(type, JSON.parse(JSON.stringify(value)))));
        const { frames, errors } = read(chunked(wire, sizes), 1_000_000);
        expect(errors).toEqual([]);
        expect(frames).toEqual(sent.map(([type, value]) => [type, JSON.parse(JSON.stringify(value))]));
      }),
    );
  });

  it('gives a payload that lies in one chunk without copying it', () => {
    const chunk = encodeFrame('r', Buffer.from('"payload"'));
    let same = false;
    createFrameReader({
      maxBytes: 100,
      onFrame: (_, payload) => {
        same = payload.buffer === chunk.buffer;
      },
      onError: (error) => expect.unreachable(error.message),
    }).push(chunk);
    expect(same).toBe(true);
  });

  it('collects a payload far larger than a chunk', () => {
    const value = 'x'.repeat(1_000_000);
    const { frames } = read(chunked(encodeFrame('r', value), new Array(20).fill(65_536)), 2_000_000);
    expect(frames).toEqual([['r', value]]);
  });

  it('takes a payload of exactly the largest size', () => {
    expect(read([encodeFrame('r', Buffer.from('1234'))], 4).frames).toEqual([['r', 1234]]);
  });

  it('refuses a too long payload by its header alone and ignores what follows', () => {
    const header = encodeFrame('r', Buffer.from('12345')).subarray(0, 5);
    const { frames, errors } = read([header, Buffer.from('12345'), encodeFrame('r', 1)], 4);
    expect(frames).toEqual([]);
    expect(errors.map((error) => [error.code, error.message, error.details.limit])).toEqual([
      ['WIRE_BROKEN', 'The Python process announced a message of 5 bytes; at most 4 are accepted', 4],
    ]);
  });

  it('refuses a type byte that is not ASCII', () => {
    const { errors } = read([Buffer.from([0xff, 0, 0, 0, 0])], 4);
    expect(errors.map((error) => error.message)).toEqual(['The Python process sent something that is not a message']);
  });

  it('still gives the frames that came before a broken one in the same chunk', () => {
    const { frames, errors } = read([Buffer.concat([encodeFrame('r', 1), encodeFrame('r', 'too long')])], 4);
    expect(frames).toEqual([['r', 1]]);
    expect(errors).toHaveLength(1);
  });
});

function read(chunks: readonly Buffer[], maxBytes: number) {
  const frames: [string, unknown][] = [];
  const errors: HostError[] = [];
  const reader = createFrameReader({
    maxBytes,
    onFrame: (type, payload) => frames.push([type, decodePayload(payload)]),
    onError: (error) => errors.push(error),
  });
  for (const chunk of chunks) reader.push(chunk);
  return { frames, errors };
}

function chunked(bytes: Buffer, sizes: readonly number[]): Buffer[] {
  const chunks: Buffer[] = [];
  let at = 0;
  for (const size of sizes) {
    chunks.push(bytes.subarray(at, at + size));
    at += size;
  }
  return [...chunks, bytes.subarray(at)];
}
