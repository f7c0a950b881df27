import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createTurns, type Turn } from '../../src/queue/turns.js';

interface Named extends Turn {
  readonly name: string;
}

describe('turns', () => {
  it('go to the higher priority first, whenever it came', () => {
    expect(order(['low', -1, 'a'], ['normal', 0, 'a'], ['high', 5, 'a'], ['higher', 7.5, 'a'])).toEqual([
      'higher',
      'high',
      'normal',
      'low',
    ]);
  });

  it('go round the callers, first come first served for each', () => {
    expect(
      order(['a1', 0, 'a'], ['a2', 0, 'a'], ['a3', 0, 'a'], ['b1', 0, 'b'], ['c1', 0, 'c'], ['b2', 0, 'b']),
    ).toEqual(['a1', 'b1', 'c1', 'a2', 'b2', 'a3']);
  });

  it('pass over what was taken out, and taking it out again changes nothing', () => {
    const turns = createTurns<Named>();
    turns.add({ name: 'a1', priority: 0, caller: 'a' });
    const leave = turns.add({ name: 'a2', priority: 0, caller: 'a' });
    const leaveAlone = turns.add({ name: 'b1', priority: 0, caller: 'b' });
    const leaveLevel = turns.add({ name: 'high', priority: 1, caller: 'a' });
    for (const goes of [leave, leaveAlone, leaveLevel, leave, leaveAlone, leaveLevel]) goes();
    expect(turns.size).toBe(1);
    expect(drained(turns)).toEqual(['a1']);
  });

  it('cannot be left after they came', () => {
    const turns = createTurns<Named>();
    const leave = turns.add({ name: 'a1', priority: 0, caller: 'a' });
    turns.add({ name: 'a2', priority: 0, caller: 'a' });
    expect(turns.next()?.name).toBe('a1');
    leave();
    expect(turns.size).toBe(1);
    expect(drained(turns)).toEqual(['a2']);
  });

  it('go to the first that is accepted, and leave the others as they were', () => {
    const turns = createTurns<Named>();
    for (const name of ['a1', 'a2', 'b1', 'c1', 'b2']) turns.add({ name, priority: 0, caller: name.slice(0, 1) });
    turns.add({ name: 'high', priority: 1, caller: 'a' });
    expect(turns.next(({ caller }) => caller === 'b')?.name).toBe('b1');
    expect(turns.next(({ caller }) => caller === 'd')).toBeUndefined();
    expect(turns.size).toBe(5);
    expect(drained(turns)).toEqual(['high', 'a1', 'c1', 'b2', 'a2']);
  });

  it('can be told in their order ahead', () => {
    const entry = fc.record({ caller: fc.constantFrom('a', 'b', 'c'), priority: fc.constantFrom(0, 0, 1) });
    fc.assert(
      fc.property(fc.array(entry), fc.nat(5), (entries, served) => {
        const turns = createTurns<Named>();
        for (const [index, each] of entries.entries()) turns.add({ ...each, name: String(index) });
        for (let n = 0; n < served; n += 1) turns.next();
        expect([...turns.inOrder()].map(({ name }) => name)).toEqual(drained(turns));
      }),
    );
  });

  it('say how many go before a new one', () => {
    const turns = createTurns<Named>();
    const ahead = (priority: number, caller: string) => turns.ahead({ priority, caller });
    expect(ahead(0, 'a')).toBe(0);
    for (const name of ['a1', 'a2', 'a3']) turns.add({ name, priority: 0, caller: 'a' });
    turns.add({ name: 'high', priority: 1, caller: 'a' });
    expect(ahead(0, 'a')).toBe(4);
    expect(ahead(0, 'b')).toBe(2);
    expect(ahead(1, 'b')).toBe(1);
    expect(ahead(2, 'b')).toBe(0);
    expect(ahead(-1, 'b')).toBe(4);
  });
});

function order(...entries: [name: string, priority: number, caller: string][]): string[] {
  const turns = createTurns<Named>();
  for (const [name, priority, caller] of entries) turns.add({ name, priority, caller });
  expect(turns.size).toBe(entries.length);
  return drained(turns);
}

function drained(turns: { readonly size: number; next(): Named | undefined }): string[] {
  const names: string[] = [];
  for (let entry = turns.next(); entry; entry = turns.next()) names.push(entry.name);
  expect(turns.size).toBe(0);
  return names;
}
