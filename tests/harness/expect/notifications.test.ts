import { describe, expect, it } from 'vitest';
import type { LogLevel } from '../../../src/toolbox.js';
import { check, failed, messages, result, unanswered } from './exchanges.js';

const answer = { content: [] };

function progress(...steps: readonly (readonly [done: number, total?: number, message?: string])[]) {
  return result(
    answer,
    steps.map(([done, total, message], atMs) => ({ type: 'progress', done, total, message, atMs })),
  );
}

function logs(...lines: readonly (readonly [LogLevel, string])[]) {
  return result(
    answer,
    lines.map(([level, message], atMs) => ({ type: 'log', level, message, atMs })),
  );
}

describe('progress', () => {
  it('has to increase, expected or not', async () => {
    expect(await check({}, progress([0, 2], [1, 2], [2, 2]))).toEqual([]);
    expect(await messages({}, progress([1], [3], [3]))).toEqual([
      'Progress went from 3 to 3; it has to increase with every notification.',
    ]);
    expect(await messages({}, progress([5], [4]))).toHaveLength(1);
  });

  it('stays within its total', async () => {
    expect(await messages({}, progress([1, 2], [3, 2]))).toEqual([
      'Progress went to 3, which is beyond its total of 2.',
    ]);
  });

  it.each([
    [true],
    [{ min: 2, max: 2 }],
    [{ message: 'half' }],
    [{ message: { pattern: '^d' } }],
    [{ total: 100 }],
    [{ max: 5 }],
  ])('is as expected with %j', async (expected) => {
    expect(await check({ progress: expected }, progress([50, 100, 'half'], [100, 100, 'done']))).toEqual([]);
  });

  it.each([
    [true, 'There were 0 progress notifications; expected at least 1.'],
    [{}, 'There were 0 progress notifications; expected at least 1.'],
    [{ min: 2 }, 'There were 0 progress notifications; expected at least 2.'],
    [{ message: 'half' }, 'No progress notification is "half"; there was none.'],
    [{ total: 5 }, 'The last progress tells no total; expected 5.'],
  ])('is missed where %j is expected and none came', async (expected, message) => {
    expect(await messages({ progress: expected }, progress())).toEqual([message]);
  });

  it('is told where it is not as expected', async () => {
    const exchange = progress([1, 2, 'one'], [2, 2, 'two']);
    expect(await messages({ progress: { max: 1, message: { contains: 'three' }, total: 3 } }, exchange)).toEqual([
      'There were 2 progress notifications; expected at most 1.',
      'No progress notification is one with {"contains":"three"}; there were ["one","two"].',
      'The last progress tells the total 2; expected 3.',
    ]);
  });

  it('is looked at even where the answer is an unexpected error', async () => {
    const events = [
      { type: 'progress', done: 2, atMs: 1 },
      { type: 'progress', done: 1, atMs: 2 },
    ] as const;
    expect(await messages({}, { ...failed('no'), events })).toHaveLength(2);
  });
});

describe('log messages', () => {
  const exchange = logs(['debug', 'start'], ['warning', 'slow'], ['error', 'broken']);

  it.each([
    [true],
    [{ min: 3, max: 3 }],
    [{ level: 'warning', min: 2, max: 2 }],
    [{ level: 'critical', max: 0 }],
    [{ level: 'error' }],
    [{ message: { contains: 'slo' } }],
  ])('are as expected with %j', async (expected) => {
    expect(await check({ logs: expected }, exchange)).toEqual([]);
  });

  it.each([
    [{ min: 4 }, 'There were 3 log messages; expected at least 4.'],
    [{ level: 'error', max: 0 }, 'There were 1 log messages of level error or above; expected at most 0.'],
    [{ level: 'critical' }, 'There were 0 log messages of level critical or above; expected at least 1.'],
    [{ level: 'error', message: 'slow' }, 'No log message is "slow"; there were ["broken"].'],
  ])('are not as expected with %j', async (expected, message) => {
    const [said = ''] = await messages({ logs: expected }, exchange);
    expect(said).toContain(message);
  });
});

describe('a budget', () => {
  it('of time is kept or told', async () => {
    expect(await check({ latency: '5ms' }, result(answer))).toEqual([]);
    expect(await check({ latency: 4 }, result(answer))).toEqual([
      { kind: 'latency', message: 'The answer took 5 ms; 4 ms are allowed.', expected: 4, actual: 5 },
    ]);
  });

  it('of memory is kept or told, and not passed over where it is not known', async () => {
    expect(await check({ memory: '64MB' }, result(answer), { peakMemoryBytes: 64e6 })).toEqual([]);
    expect(await messages({ memory: '64MB' }, result(answer), { peakMemoryBytes: 70_240_000 })).toEqual([
      'The server held 70.2 MB; 64 MB are allowed.',
    ]);
    expect((await messages({ memory: 1 }, result(answer))).join()).toContain('is not known');
  });

  it('of memory may be why there was no answer', async () => {
    expect(await check({ memory: '1MB' }, unanswered)).toHaveLength(1);
    expect(await check({ memory: '1MB' }, unanswered, { peakMemoryBytes: 2e6 })).toMatchObject([
      { kind: 'no_answer' },
      { kind: 'memory' },
    ]);
  });
});
