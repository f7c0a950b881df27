import { expect, it } from 'vitest';
import { nearest } from '../src/nearest.js';

it.each([
  ['conut', 'count'],
  ['Count', 'count'],
  ['word-count', 'word_count'],
  ['coun', 'count'],
  ['word', 'word_count'],
  ['zzz', undefined],
  ['', undefined],
])('the name nearest to %j is %j', (given, meant) => {
  expect(nearest(given, ['longest', 'word_count', 'count'])).toBe(meant);
});
