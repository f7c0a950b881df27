import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { changesOf } from '../../../src/harness/reports/changes.js';
import { diffOf } from '../../../src/harness/reports/diff.js';
import { editsOf } from '../../../src/harness/reports/edits.js';
import type { JsonValue } from '../../../src/toolbox.js';
import { anyJson } from './arbitrary.js';

const fewLines = fc.array(fc.constantFrom('a', 'b', 'c'), { maxLength: 14 });
const shown = (expected: JsonValue, actual: JsonValue) =>
  diffOf(expected, actual).map(({ sign, text }) => `${sign} ${text}`);

describe('edits', () => {
  it('lead from one list to the other, in the order of both', () => {
    fc.assert(
      fc.property(fewLines, fewLines, (before, after) => {
        const edits = editsOf(before, after);
        const kept = edits.filter(({ kind }) => kind !== 'in').map((edit) => before[edit.before]);
        const come = edits.filter(({ kind }) => kind !== 'out').map((edit) => after[edit.after]);
        expect(kept).toEqual(before);
        expect(come).toEqual(after);
        for (const edit of edits) if (edit.kind === 'same') expect(before[edit.before]).toBe(after[edit.after]);
      }),
    );
  });

  it('are as few as can be', () => {
    fc.assert(
      fc.property(fewLines, fewLines, (before, after) => {
        const same = editsOf(before, after).filter(({ kind }) => kind === 'same').length;
        expect(same).toBe(longestCommon(before, after));
      }),
    );
  });

  it('of lists that have little in common replace all of what is between', () => {
    const [before, after] = ['x', 'y'].map((letter) => [
      'first',
      ...Array.from({ length: 3000 }, (_, at) => `${letter}${at}`),
      'last',
    ]);
    const edits = editsOf(before ?? [], after ?? []);
    expect(edits.filter(({ kind }) => kind === 'same')).toHaveLength(2);
    expect(edits).toHaveLength(6002);
  });
});

describe('changes of JSON', () => {
  it('are none of equal values, whatever the order of their keys', () => {
    fc.assert(fc.property(anyJson, (value) => void expect(changesOf(value, turned(value))).toEqual([])));
  });

  it('are some of values that differ', () => {
    fc.assert(
      fc.property(anyJson, anyJson, (one, other) => {
        fc.pre(
          JSON.stringify(turned(one)) !== JSON.stringify(turned(other)) &&
            JSON.stringify(one) !== JSON.stringify(other),
        );
        expect(changesOf(one, [other, 1]).length).toBeGreaterThan(0);
      }),
    );
  });

  it('tell an element that is missing from a list by its place alone', () => {
    const list = [1, 2, 3, 4].map((id) => ({ id }));
    expect(changesOf({ list }, { list: list.filter(({ id }) => id !== 2) })).toEqual([
      { path: '$.list[1]', expected: { id: 2 } },
    ]);
  });

  it('go as deep as they can, and quote keys that are no names', () => {
    expect(changesOf({ 'a b': [{ c: 1 }] }, { 'a b': [{ c: 2 }] })).toEqual([
      { path: '$["a b"][0].c', expected: 1, actual: 2 },
    ]);
  });

  it('take no key of the prototype for one of the object', () => {
    expect(changesOf({ toString: 1 }, {})).toEqual([{ path: '$.toString', expected: 1 }]);
  });
});

describe('a diff', () => {
  it('of texts shows the lines that changed and a few around them', () => {
    const lines = Array.from({ length: 20 }, (_, index) => `line ${index}`);
    const changed = lines.with(10, 'another');
    expect(shown(lines.join('\n'), changed.join('\n'))).toEqual([
      '@ … 7 equal lines',
      '  line 7',
      '  line 8',
      '  line 9',
      '- line 10',
      '+ another',
      '  line 11',
      '  line 12',
      '  line 13',
      '@ … 6 equal lines',
    ]);
  });

  it('of long texts in one line begins shortly before they differ', () => {
    const [expected, actual] = diffOf(`${'x'.repeat(300)}end`, `${'x'.repeat(300)}END`);
    expect(expected).toEqual({ sign: '-', text: `…${'x'.repeat(24)}end` });
    expect(actual).toEqual({ sign: '+', text: `…${'x'.repeat(24)}END` });
  });

  it('of objects names the path of each change', () => {
    expect(shown({ a: 1, b: { c: [1, 2] } }, { a: 1, b: { c: [1, 3] } })).toEqual(['@ $.b.c[1]', '- 2', '+ 3']);
  });

  it('of values of different kinds shows both', () => {
    expect(shown(3, 'three')).toEqual(['- 3', '+ "three"']);
  });

  it('is bounded, whatever is compared', () => {
    const long = Array.from({ length: 10_000 }, (_, index) => `${index}${'y'.repeat(1000)}`);
    const lines = diffOf('', long.join('\n'));
    expect(lines).toHaveLength(81);
    expect(Math.max(...lines.map(({ text }) => text.length))).toBeLessThan(510);
    fc.assert(fc.property(anyJson, anyJson, (one, other) => void expect(diffOf(one, other).length).toBeLessThan(82)));
  });

  it('of what is nested by the thousand is still made', () => {
    let deep: JsonValue = 1;
    for (let level = 0; level < 20_000; level += 1) deep = [deep];
    expect(diffOf(deep, [2]).length).toBeGreaterThan(0);
  });
});

function longestCommon(before: readonly string[], after: readonly string[]): number {
  let row = new Array<number>(after.length + 1).fill(0);
  for (const one of before) {
    const next = [0];
    for (const [at, other] of after.entries()) {
      next.push(one === other ? (row[at] ?? 0) + 1 : Math.max(next[at] ?? 0, row[at + 1] ?? 0));
    }
    row = next;
  }
  return row.at(-1) ?? 0;
}

/** The same with the keys of objects in another order. */
function turned(value: JsonValue): JsonValue {
  if (Array.isArray(value)) return value.map(turned);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .reverse()
      .map(([key, each]) => [key, turned(each)]),
  );
}
