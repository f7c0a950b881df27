import { afterAll, describe, expect, it } from 'vitest';
import { createEngine } from '../../src/engine/engine.js';
import type { Engine } from '../../src/engine/work.js';
import { processesLeft } from '../engine/harness.js';
import { longMs, longScript, scaled } from './scale.js';

const callers = Array.from({ length: 10 }, (_, number) => `caller ${number}`);
const total = scaled(2000);
const watched = total / 4;
const fairShare = watched / callers.length;
const engine = createEngine({ launcher: 'fork', queueLength: total });

afterAll(async () => {
  await engine.close();
  expect(processesLeft()).toEqual([]);
});

describe('2,000 waiting calls of 10 callers', () => {
  it(
    'are all answered, each caller with its share of the first 500',
    async () => {
      const plan = callers.map((caller) => ({ caller, calls: total / callers.length }));
      expectFairShares(await finishAll(engine, plan));
    },
    longMs,
  );

  it(
    'do not let one that asks for half of all, and first, push the others back',
    async () => {
      const [greedy = '', ...others] = callers;
      const plan = [
        { caller: greedy, calls: total / 2 },
        ...others.map((caller) => ({ caller, calls: Math.floor(total / 2 / others.length) })),
      ];
      expectFairShares(await finishAll(engine, plan));
    },
    longMs,
  );
});

/** The callers in the order in which their calls were answered, each with its own answer. */
async function finishAll(on: Engine, plan: readonly { caller: string; calls: number }[]): Promise<string[]> {
  const order: string[] = [];
  const asked = plan.flatMap(({ caller, calls }) => Array.from({ length: calls }, () => caller));
  await Promise.all(
    asked.map(async (caller, number) => {
      const work = { script: longScript('add.py'), function: 'add', args: { a: number, b: 1 } };
      const { value } = await on.call(work, { caller });
      expect(value).toBe(number + 1);
      order.push(caller);
    }),
  );
  expect(order.length).toBe(asked.length);
  return order;
}

function expectFairShares(order: readonly string[]): void {
  const first = order.slice(0, watched);
  for (const caller of callers) {
    const share = first.filter((name) => name === caller).length;
    expect(share, `share of ${caller}`).toBeGreaterThanOrEqual(Math.floor(fairShare * 0.8) - 1);
    expect(share, `share of ${caller}`).toBeLessThanOrEqual(Math.ceil(fairShare * 1.2) + 9);
  }
}
