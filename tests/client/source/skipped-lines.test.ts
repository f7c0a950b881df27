import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createLineCutter } from '../../../src/client/command/lines.js';
import { idOfBroken } from '../../../src/client/command/messages.js';

const newline = '\n';

describe('lines that are too long', () => {
  it('are passed over by themselves, however the bytes come', () => {
    const line = fc.string({ unit: fc.constantFrom('a', 'b', '{'), maxLength: 60 });
    fc.assert(
      fc.property(fc.array(line), fc.array(fc.integer({ min: 1, max: 50 })), (lines, cuts) => {
        const taken: string[] = [];
        const skipped: string[] = [];
        const cutter = createLineCutter(
          20,
          (bytes) => taken.push(bytes.toString()),
          () => expect.fail('no line is without an end'),
          { maxBytes: 60, onSkipped: ({ head, tail }) => skipped.push(`${head}|${tail}`) },
        );
        let rest = Buffer.from(lines.map((text) => text + newline).join(''));
        for (const cut of [...cuts, rest.length]) {
          cutter.push(rest.subarray(0, cut));
          rest = rest.subarray(cut);
        }
        expect(taken).toEqual(lines.filter(({ length }) => length <= 20));
        const long = lines.filter(({ length }) => length > 20);
        expect(skipped).toHaveLength(long.length);
        for (const [index, text] of long.entries()) {
          const [head = '', tail = ''] = skipped[index]?.split('|') ?? [];
          expect(text.startsWith(head) && text.endsWith(tail)).toBe(true);
        }
      }),
    );
  });
});

describe('the number of an answer that cannot be parsed', () => {
  it('is found where servers write it, whatever stands in the answer', () => {
    fc.assert(
      fc.property(fc.nat(), fc.jsonValue(), fc.boolean(), (id, result, isFirst) => {
        const text = JSON.stringify(isFirst ? { jsonrpc: '2.0', id, result } : { result, jsonrpc: '2.0', id });
        expect(idOfBroken(text, text)).toBe(id);
      }),
    );
  });

  it('is not taken from the inside of a value', () => {
    fc.assert(
      fc.property(fc.nat(), fc.jsonValue(), (id, value) => {
        const inner = JSON.stringify({ jsonrpc: '2.0', result: { value, id } });
        expect(idOfBroken(inner, inner)).toBeUndefined();
        const quoted = JSON.stringify({ jsonrpc: '2.0', result: JSON.stringify({ value, id }) });
        expect(idOfBroken(quoted, quoted)).toBeUndefined();
      }),
    );
  });
});
