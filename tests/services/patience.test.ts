import { expect, it } from 'vitest';
import { withPatience } from '../../src/services/patience.js';

const minute = 60_000;

it('work that fails is not done again for a while, each time for longer', async () => {
  let now = 0;
  let times = 0;
  const subject = {};
  const work = withPatience(
    async () => {
      times += 1;
      throw new Error(`time ${times}`);
    },
    () => now,
  );
  const at = async (minutes: number) => {
    now = minutes * minute;
    return work(subject).catch((error: Error) => error.message);
  };
  const told = [];
  for (const minutes of [0, 0.9, 1, 2.9, 3, 6.9, 7]) told.push(await at(minutes));
  expect(told).toEqual(['time 1', 'time 1', 'time 2', 'time 2', 'time 3', 'time 3', 'time 4']);
});

it('work on something else is not kept from being done', async () => {
  const work = withPatience(async ({ works }: { works: boolean }) => {
    if (!works) throw new Error('it does not work');
    return 'done';
  });
  await expect(work({ works: false })).rejects.toThrow('it does not work');
  expect(await work({ works: true })).toBe('done');
});
