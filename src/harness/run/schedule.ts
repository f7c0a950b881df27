export interface Task {
  readonly id: string;
  /** Tasks that have to be over before. Ids of no task are taken to be over. */
  readonly after: readonly string[];
  run(): Promise<void>;
}

/** Runs tasks, so many at once, each after those it waits for; where there is a choice, the earlier one goes first. */
export async function runInOrder(tasks: readonly Task[], parallel: number): Promise<void> {
  const waitsFor = new Map(tasks.map(({ id }) => [id, 0]));
  const waiters = new Map<string, number[]>();
  for (const [index, { id, after }] of tasks.entries()) {
    const open = after.filter((each) => waitsFor.has(each));
    waitsFor.set(id, open.length);
    for (const each of open) waiters.set(each, [...(waiters.get(each) ?? []), index]);
  }
  const ready = tasks.flatMap(({ id }, index) => (waitsFor.get(id) === 0 ? [index] : []));
  let running = 0;
  await new Promise<void>((resolve, reject) => {
    const next = () => {
      while (running < parallel && ready.length > 0) {
        const task = tasks[ready.shift() ?? 0];
        if (!task) continue;
        running += 1;
        task.run().then(() => {
          running -= 1;
          for (const index of waiters.get(task.id) ?? []) release(index);
          next();
        }, reject);
      }
      if (running === 0) resolve();
    };
    next();
  });

  function release(index: number): void {
    const task = tasks[index];
    if (!task) return;
    const left = (waitsFor.get(task.id) ?? 1) - 1;
    waitsFor.set(task.id, left);
    if (left > 0) return;
    const at = ready.findIndex((other) => other > index);
    ready.splice(at < 0 ? ready.length : at, 0, index);
  }
}
