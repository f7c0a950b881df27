import fc from 'fast-check';
import { expect, it } from 'vitest';
import { runInOrder } from '../../../src/harness/run/schedule.js';

/** Tasks of which each waits for some of those before it. */
const graphs = fc.array(fc.array(fc.nat(20), { maxLength: 3 }), { maxLength: 20 }).map((rows) =>
  rows.map((row, index) => ({
    id: String(index),
    after: [...new Set(row.filter((each) => each < index).map(String))],
  })),
);

it('tasks run once each, after all that they wait for, and never more at once than may', async () => {
  await fc.assert(
    fc.asyncProperty(
      graphs,
      fc.integer({ min: 1, max: 5 }),
      fc.infiniteStream(fc.nat(3)),
      async (graph, parallel, delays) => {
        const over = new Set<string>();
        let running = 0;
        const tasks = graph.map((task) => ({
          ...task,
          async run() {
            running += 1;
            expect(running).toBeLessThanOrEqual(parallel);
            expect(task.after.every((id) => over.has(id))).toBe(true);
            for (let left = delays.next().value ?? 0; left > 0; left--) await Promise.resolve();
            running -= 1;
            expect(over.has(task.id)).toBe(false);
            over.add(task.id);
          },
        }));
        await runInOrder(tasks, parallel);
        expect(over.size).toBe(graph.length);
      },
    ),
  );
});

it('one at a time, tasks go in the order that they were given where nothing speaks against it', async () => {
  const order: string[] = [];
  const task = (id: string, ...after: string[]) => ({ id, after, run: async () => void order.push(id) });
  await runInOrder([task('a', 'c'), task('b'), task('c'), task('d')], 1);
  expect(order).toEqual(['b', 'c', 'a', 'd']);
});

it('a task that waits for one that is not there does not wait', async () => {
  let ran = false;
  const run = async () => {
    ran = true;
  };
  await runInOrder([{ id: 'a', after: ['left out'], run }], 1);
  expect(ran).toBe(true);
});
