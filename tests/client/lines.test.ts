import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createLineLog } from '../../src/client/command/line-log.js';
import { createLineCutter } from '../../src/client/command/lines.js';
import { readLine } from '../../src/client/command/messages.js';
import { createBackoff } from '../../src/client/pool/backoff.js';
import { recordLog } from './harness.js';

describe('lines', () => {
  it('come out as they went in, however they are cut into chunks', () => {
    const line = fc.string({ maxLength: 20 }).map((text) => text.replaceAll('\n', ''));
    fc.assert(
      fc.property(fc.array(line), line, fc.array(fc.nat(30)), (lines, rest, cuts) => {
        const found: string[] = [];
        const cutter = createLineCutter(1000, (bytes) => found.push(bytes.toString()), failTest);
        let bytes = Buffer.from([...lines.map((text) => `${text}\n`), rest].join(''));
        for (const cut of cuts) {
          cutter.push(bytes.subarray(0, cut));
          bytes = bytes.subarray(cut);
        }
        cutter.push(bytes);
        expect(found).toEqual(lines);
        expect(cutter.end().toString()).toBe(rest);
      }),
    );
  });

  it('that are too long are told of once, before their end', () => {
    const found: string[] = [];
    let told = 0;
    const cutter = createLineCutter(
      10,
      (line) => found.push(line.toString()),
      () => {
        told += 1;
      },
    );
    cutter.push(Buffer.from('short\n0123456789'));
    expect(told).toBe(0);
    cutter.push(Buffer.from('x'));
    cutter.push(Buffer.from('yz\nnext\n'));
    expect({ found, told, rest: cutter.end().length }).toEqual({ found: ['short'], told: 1, rest: 0 });
  });

  it('in the log are shortened, counted and let go of when there are too many', () => {
    const { log, entries } = recordLog();
    let now = 0;
    const lines = createLineLog(log, () => now);
    for (let line = 0; line < 1000; line++) lines.write('wrote', `${line} ${'x'.repeat(5000)}`);
    expect(entries.length).toBe(500);
    expect(String(entries[0]?.line).length).toBeLessThan(2010);
    expect(lines.last().length).toBe(20);
    now = 10_000;
    lines.write('wrote', 'later');
    expect(entries.slice(500)).toMatchObject([{ leftOut: 500 }, { line: 'later' }]);
  });
});

describe('a line that is read', () => {
  it('never throws, whatever it says', () => {
    fc.assert(fc.property(fc.oneof(fc.string(), fc.json()), (text) => void readLine(text)));
  });

  it.each([
    ['{"jsonrpc":"2.0","method":"a","extra":1}', { kind: 'said', message: { jsonrpc: '2.0', method: 'a' } }],
    ['{"method":"a","id":"x","params":[1]}', { kind: 'said', message: { jsonrpc: '2.0', method: 'a', id: 'x' } }],
    ['{"method":"a","id":{}}', { kind: 'no message' }],
    ['{"id":1}', { kind: 'no message' }],
    ['[{"id":1,"result":{}}]', { kind: 'no message' }],
    ['{"id":1,"result":{"a":1}}', { kind: 'answer', id: 1 }],
  ])('%s is understood', (text, incoming) => {
    expect(readLine(text)).toMatchObject(incoming);
  });

  it.each([
    ['{"id":1,"result":{"a":1},"x":2}', { jsonrpc: '2.0', id: 5, result: { a: 1 } }],
    [
      '{"id":1,"error":{"code":-1,"message":"no","data":[1]}}',
      { id: 5, error: { code: -1, message: 'no', data: [1] } },
    ],
    ['{"id":1,"error":{}}', { error: { code: -32603, message: 'The server gave no reason' } }],
    ['{"id":1,"error":"no"}', { error: { code: -32603 } }],
    ['{"id":1,"result":[1]}', { error: { code: -32603 } }],
  ])('%s answers the request under its own number', (text, message) => {
    const incoming = readLine(text);
    expect(incoming.kind === 'answer' && incoming.as(5)).toMatchObject(message);
  });
});

describe('the wait after failures', () => {
  it('doubles from the second in a row on, up to half a minute, and ends with a success', () => {
    let now = 0;
    const backoff = createBackoff(() => now);
    const waits = Array.from({ length: 12 }, () => {
      backoff.failed();
      const wait = backoff.remainingMs();
      now += wait;
      return wait;
    });
    expect(waits).toEqual([0, 100, 200, 400, 800, 1600, 3200, 6400, 12_800, 25_600, 30_000, 30_000]);
    backoff.failed();
    backoff.succeeded();
    expect(backoff.remainingMs()).toBe(0);
    backoff.failed();
    expect(backoff.remainingMs()).toBe(0);
  });
});

function failTest(): never {
  throw new Error('No line is too long here');
}
