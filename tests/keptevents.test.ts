import { expect, test } from 'vitest';
import { createKeptEvents } from '../src/keptevents.js';
import type { JsonObject, JsonValue } from '../src/toolbox.js';

const log = { type: 'log', level: 'info', message: 'x', atMs: 1 } as const;
const asking = (params: JsonObject) => ({ type: 'ask', method: 'roots/list', params, by: 'request', atMs: 2 }) as const;

test('a flood of one type hides no events of another', () => {
  const kept = createKeptEvents();
  for (let number = 0; number < 10_000; number += 1) kept.keep(log);
  expect(kept.leftOut).toEqual([]);
  expect(kept.keep(log)).toBe(false);
  expect(kept.leftOut).toEqual(['log']);
  expect(kept.keep(asking({}))).toBe(true);
  expect(kept.events.at(-1)).toEqual(asking({}));
});

test('what is long takes the room of many, and nothing of its type is kept once something was left out', () => {
  const kept = createKeptEvents();
  const long = asking({ message: 'x'.repeat(15 * 1024 * 1024) });
  expect([long, long, long, asking({})].map((event) => kept.keep(event))).toEqual([true, true, false, false]);
  expect(kept.leftOut).toEqual(['ask']);
});

test('what is nested deeper than a stack is measured, and what has more elements than there is room for is left out', () => {
  let deep: JsonValue = [];
  for (let depth = 0; depth < 100_000; depth += 1) deep = [deep];
  expect(createKeptEvents().keep(asking({ deep }))).toBe(true);
  const wide: JsonValue = new Array(5_000_000).fill(0);
  expect(createKeptEvents().keep(asking({ wide }))).toBe(false);
});
