import fc from 'fast-check';
import { expect, it } from 'vitest';
import { createSlots, createTurns } from '../../../src/gateway/uploads/turns.js';

it('work of one name is done one after the other in its order, whatever fails, and all of it is done', async () => {
  const task = fc.record({ name: fc.constantFrom('a', 'b', 'c'), fails: fc.boolean() });
  await fc.assert(
    fc.asyncProperty(fc.scheduler(), fc.array(task, { maxLength: 12 }), async (scheduler, tasks) => {
      const turns = createTurns();
      const running = new Set<string>();
      const done: Record<string, number[]> = { a: [], b: [], c: [] };
      const all = tasks.map(({ name, fails }, index) =>
        turns.take(name, async () => {
          expect(running.has(name)).toBe(false);
          running.add(name);
          await scheduler.schedule(Promise.resolve());
          running.delete(name);
          done[name]?.push(index);
          if (fails) throw new Error('failed');
        }),
      );
      const outcomes = Promise.allSettled(all);
      await scheduler.waitFor(turns.settled());
      expect((await outcomes).map(({ status }) => status === 'rejected')).toEqual(tasks.map(({ fails }) => fails));
      for (const order of Object.values(done)) expect(order).toEqual([...order].sort((one, other) => one - other));
    }),
  );
});

it('no more work than there are slots is under way, and all of it is done', async () => {
  await fc.assert(
    fc.asyncProperty(fc.scheduler(), fc.array(fc.boolean(), { maxLength: 12 }), async (scheduler, failures) => {
      const slots = createSlots(3);
      let running = 0;
      const all = failures.map((fails) =>
        slots.use(async () => {
          expect(++running).toBeLessThanOrEqual(3);
          await scheduler.schedule(Promise.resolve());
          running--;
          if (fails) throw new Error('failed');
        }),
      );
      const outcomes = await scheduler.waitFor(Promise.allSettled(all));
      expect(outcomes.map(({ status }) => status === 'rejected')).toEqual(failures);
    }),
  );
});
