import { mkdirSync, readdirSync, readFileSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createListMemory, type RememberedList } from '../../../src/client/servers/list-memory.js';
import { recordLog } from '../harness.js';
import { folder } from './harness.js';

const key = 'a'.repeat(64);
const list: RememberedList = {
  tools: [{ name: 'one', description: 'Ünïcode \ud800 "quoted"\n', inputSchema: { type: 'object' } }],
  title: 'Title',
  instructions: 'Be kind',
  expiresAt: 1000,
};

function open(now = 0, parent = folder()) {
  const inside = join(parent, 'tool-lists');
  return {
    parent,
    inside,
    memory: createListMemory(parent, recordLog().log, () => now),
    file: join(inside, `${key}.json`),
  };
}

describe('the memory of lists', () => {
  it('gives back what it was given, until that expires or is forgotten', async () => {
    const { memory, inside, parent } = open();
    expect(await memory.recall(key)).toBeUndefined();
    await memory.remember(key, list);
    expect(await memory.recall(key)).toEqual(list);
    expect(await open(1000, parent).memory.recall(key)).toBeUndefined();
    await memory.forget(key);
    await memory.forget(key);
    expect(await memory.recall(key)).toBeUndefined();
    expect(readdirSync(inside)).toEqual([]);
  });

  it('takes a file for none, however it was damaged', async () => {
    const { memory, file } = open();
    await memory.remember(key, list);
    const whole = readFileSync(file);
    const damage = fc.tuple(fc.nat(whole.length - 1), fc.integer({ min: 1, max: 255 }), fc.nat(3));
    await fc.assert(
      fc.asyncProperty(damage, async ([at, change, how]) => {
        const damaged = Buffer.from(whole);
        damaged[at] = (damaged[at] ?? 0) ^ change;
        const cut =
          how === 0 ? whole.subarray(0, at) : how === 1 ? Buffer.concat([whole, damaged.subarray(at)]) : damaged;
        writeFileSync(file, cut);
        expect(await memory.recall(key)).toBeUndefined();
      }),
      { numRuns: 150 },
    );
  });

  it('takes the file of another entry, a link and a folder for none', async () => {
    const { memory, file, inside } = open();
    await memory.remember(key, list);
    const other = 'b'.repeat(64);
    writeFileSync(join(inside, `${other}.json`), readFileSync(file));
    expect(await memory.recall(other)).toBeUndefined();
    symlinkSync(file, join(inside, `${'c'.repeat(64)}.json`));
    expect(await memory.recall('c'.repeat(64))).toBeUndefined();
    mkdirSync(join(inside, `${'d'.repeat(64)}.json`));
    expect(await memory.recall('d'.repeat(64))).toBeUndefined();
  });

  it('keeps nothing that is larger than it may be, and leaves no drafts', async () => {
    const { memory, inside } = open();
    await memory.remember(key, list);
    await memory.remember(key, { ...list, instructions: 'x'.repeat(33 * 1024 * 1024) });
    expect(readdirSync(inside)).toEqual([]);
  });

  it('keeps a bounded number of files, the newest, and touches no others', async () => {
    const { memory, inside } = open();
    mkdirSync(inside);
    writeFileSync(join(inside, 'mine.json'), '');
    for (let number = 0; number < 300; number++) {
      const file = join(inside, `${number.toString(16).padStart(64, '0')}.json`);
      writeFileSync(file, '');
      utimesSync(file, 1000 + number, 1000 + number);
    }
    await memory.remember(key, list);
    const left = readdirSync(inside);
    expect(left).toHaveLength(257);
    expect(left).toContain('mine.json');
    expect(await memory.recall(key)).toEqual(list);
    expect(left).not.toContain(`${'0'.repeat(64)}.json`);
  });

  it('is not harmed by several who write at once', async () => {
    const { memory, inside } = open();
    const lists = Array.from({ length: 20 }, (_, number) => ({ ...list, title: `number ${number}` }));
    await Promise.all(lists.map((one) => memory.remember(key, one)));
    expect(lists).toContainEqual(await memory.recall(key));
    expect(readdirSync(inside)).toEqual([`${key}.json`]);
  });
});
