import { describe, expect, it } from 'vitest';
import { captureValues } from '../../../src/harness/expect/capture.js';
import { remembered } from '../../../src/harness/expect/remembered.js';
import { openSnapshots } from '../../../src/harness/expect/snapshots.js';
import { check, messages, result, text } from './exchanges.js';

const depth = 50_000;
const deep = result(JSON.parse(`{"tools": [], "deep": ${'['.repeat(depth)}${']'.repeat(depth)}}`));

describe('an answer that is nested without end', () => {
  it('is a finding of every expectation that would have to follow it', async () => {
    const snapshots = (await openSnapshots({ file: 'no such folder/suite.yaml' })).of('a');
    const expected = { text: { contains: 'x' }, fields: { '$.tools': [] }, snapshot: true };
    expect(await messages(expected, deep, { action: 'list', snapshots })).toEqual([
      'The answer is nested too deeply to look at the text.',
      'The answer is nested too deeply to look at the snapshot.',
    ]);
  });

  it('has nothing to capture from its text', () => {
    expect(captureValues({ it: { text: 'x' } }, deep).findings[0]?.message).toBe(
      'it cannot be captured: the answer is nested too deeply.',
    );
  });
});

describe('an expectation that never ends', () => {
  it('leaves those before it told, and those of other answers unharmed', async () => {
    const endless = { '$.content[0].text': { pattern: '^(a+)+$' } };
    const exchange = text(`${'a'.repeat(60)}b`);
    const given = { limitMs: 50 };
    expect(await messages({ text: { contains: 'x' }, fields: endless }, exchange, given)).toEqual([
      expect.stringContaining('The text does not contain "x"'),
      'Checking the fields took longer than 50 ms and was given up.',
    ]);
    expect(await check({ fields: endless }, text('aaa'))).toEqual([]);
  });
});

describe('what is remembered', () => {
  it('is made once, and bounded', () => {
    const made: string[] = [];
    const lengthOf = remembered(2, (key) => made.push(key));
    for (const key of ['a', 'b', 'a', 'b', 'c', 'b', 'a']) lengthOf(key);
    expect(made).toEqual(['a', 'b', 'c', 'a']);
  });
});
