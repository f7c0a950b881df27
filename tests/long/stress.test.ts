import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createEngine } from '../../src/engine/engine.js';
import type { Engine } from '../../src/engine/work.js';
import { folderWith, processesLeft } from '../engine/harness.js';
import { endAndCheck, endings, readLedger } from './endings.js';
import { openDescriptors } from './processes.js';
import { createRandom, pickWeighted } from './random.js';
import { longMs, longScript, runMany, say, scaled } from './scale.js';

const callsAtOnce = 8;
const callersAtOnce = 12;
const seed = 20_260_728;

describe('mixed calls at 8 at once each get exactly their own outcome, and nothing is left', () => {
  it.each([
    { launcher: 'fork', calls: 10_000 },
    { launcher: 'warm', calls: 1500 },
  ] as const)(
    '$calls on the $launcher launcher',
    async ({ launcher, calls }) => {
      await openAndClose(launcher);
      const descriptorsBefore = openDescriptors();
      const engine = createEngine({ launcher, concurrency: callsAtOnce });
      onTestFinished(() => engine.close());
      const { ran, answered } = await stress(engine, launcher, scaled(calls));
      await expect.poll(() => engine.status(), { timeout: 10_000 }).toMatchObject({ running: 0, waiting: 0 });
      await engine.close();

      const ranOnce = new Set(ran);
      expect(ran.length, 'calls that ran twice').toBe(ranOnce.size);
      expect(answered.size).toBe(scaled(calls));
      expect([...answered].filter(([id, code]) => code !== 'CANCELLED' && !ranOnce.has(id))).toEqual([]);
      expect(processesLeft()).toEqual([]);
      // The last of them are closed a turn after the engine is.
      await expect.poll(() => openDescriptors(), { timeout: 10_000 }).toBeLessThanOrEqual(descriptorsBefore);
    },
    longMs,
  );
});

async function stress(
  engine: Engine,
  launcher: string,
  calls: number,
): Promise<{ ran: string[]; answered: Map<string, string> }> {
  const ledger = join(folderWith({}), 'ledger');
  const random = createRandom(seed);
  const answered = new Map<string, string>();
  const problems: string[] = [];
  await runMany(calls, callersAtOnce, async (index) => {
    const id = `call-${index}-${Math.floor(random() * 1e9).toString(36)};`;
    const ending = pickWeighted(endings, random());
    try {
      answered.set(id, await endAndCheck(engine, ending, id, ledger));
    } catch (error) {
      answered.set(id, 'wrong');
      problems.push(`${ending.function} ${ending.cancel ?? ''} ${id}: ${String(error).slice(0, 2000)}`);
    }
    if (answered.size % 1000 === 0)
      say(`${launcher}: ${answered.size} of ${calls} calls, ${openDescriptors()} descriptors`);
  });
  expect(problems.slice(0, 10)).toEqual([]);
  return { ran: readLedger(ledger), answered };
}

/** What the first engine of a process opens for good is not a leak. */
async function openAndClose(launcher: 'fork' | 'warm'): Promise<void> {
  const engine = createEngine({ launcher });
  await engine.warm(longScript('every_ending.py'));
  await engine.close();
}
