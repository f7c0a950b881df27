import { getEventListeners } from 'node:events';
import fc from 'fast-check';
import { describe, expect, it, vi } from 'vitest';
import { createQueue, type Queue } from '../../src/queue/queue.js';

describe('queue', () => {
  it('starts a task at once, in the same turn, while a slot is free', () => {
    const queue = createQueue({ concurrency: 2, queueLength: 0 });
    let started = 0;
    for (let n = 0; n < 2; n += 1) {
      void queue.run(async () => {
        started += 1;
      });
    }
    expect([started, queue.running, queue.waiting]).toEqual([2, 2, 0]);
  });

  it('has freed the slot when the caller sees the answer', async () => {
    const queue = createQueue({ concurrency: 1, queueLength: 0 });
    expect(await queue.run(async () => 'answer')).toBe('answer');
    expect(queue.running).toBe(0);
  });

  it('refuses one more than may wait, and says how many run and wait', async () => {
    const queue = createQueue({ concurrency: 1, queueLength: 1 });
    const first = deferred();
    const running = queue.run(() => first.promise);
    const waiting = queue.run(async () => 'second');
    await expect(queue.run(async () => 'third')).rejects.toMatchObject({
      code: 'QUEUE_FULL',
      message: '1 calls are running and 1 are waiting; no more may wait',
      details: { limit: 1 },
    });
    first.resolve('first');
    expect(await Promise.all([running, waiting])).toEqual(['first', 'second']);
  });

  it('keeps the slot of a task that has answered until what it holds for is over', async () => {
    const queue = createQueue({ concurrency: 1, queueLength: 1 });
    const gone = deferred();
    const answer = await queue.run(async (hold) => {
      hold(gone.promise);
      return 'early';
    });
    let started = false;
    const next = queue.run(async () => {
      started = true;
    });
    expect([answer, queue.running, queue.waiting, started]).toEqual(['early', 1, 1, false]);
    gone.resolve(undefined);
    await next;
    expect([queue.running, started]).toEqual([0, true]);
  });

  it('frees a slot once, however often and however late it was held', async () => {
    const queue = createQueue({ concurrency: 1, queueLength: 5 });
    let holdLater: (until: Promise<unknown>) => void = () => {};
    await queue.run(async (hold) => {
      holdLater = hold;
      hold(Promise.resolve());
      hold(Promise.reject(new Error('the process died')));
    });
    await settled();
    expect(queue.running).toBe(0);
    holdLater(Promise.resolve());
    await settled();
    expect(queue.running).toBe(0);
  });

  it('frees the slot of a task that throws, at once or later, also when it held', async () => {
    const queue = createQueue({ concurrency: 1, queueLength: 5 });
    const failures = [
      queue.run(() => {
        throw new Error('at once');
      }),
      queue.run(async () => {
        throw new Error('later');
      }),
      queue.run((hold) => {
        hold(Promise.resolve());
        throw new Error('holding');
      }),
    ];
    const outcomes = await Promise.allSettled(failures);
    expect(outcomes.map((outcome) => outcome.status === 'rejected' && outcome.reason.message)).toEqual([
      'at once',
      'later',
      'holding',
    ]);
    expect(await queue.run(async () => 'fine')).toBe('fine');
  });

  it('lets ten thousand failing tasks pass without piling up the stack', async () => {
    const queue = createQueue({ concurrency: 1, queueLength: 10_000 });
    const tasks = Array.from({ length: 10_000 }, () =>
      queue.run(() => {
        throw new Error('at once');
      }),
    );
    const outcomes = await Promise.allSettled(tasks);
    expect(outcomes.every((outcome) => outcome.status === 'rejected')).toBe(true);
    expect(queue.running).toBe(0);
  });

  it('tells a waiting task its position, and a task that starts at once nothing', async () => {
    const queue = createQueue({ concurrency: 1, queueLength: 5 });
    const first = deferred();
    const positions: number[] = [];
    const onPosition = (position: number) => positions.push(position);
    const all = [
      queue.run(() => first.promise, { onPosition }),
      queue.run(async () => 0, { onPosition }),
      queue.run(async () => 0, { onPosition }),
      queue.run(async () => 0, { onPosition, priority: 1 }),
    ];
    first.resolve(0);
    await Promise.all(all);
    expect(positions).toEqual([1, 2, 1]);
  });

  it('does not queue a task whose position callback throws, cancels or closes', async () => {
    const queue = createQueue({ concurrency: 1, queueLength: 5 });
    const first = deferred();
    const running = queue.run(() => first.promise);
    const controller = new AbortController();
    const throwing = queue.run(neverRuns, {
      onPosition() {
        throw new Error('no listener');
      },
    });
    const cancelling = queue.run(neverRuns, {
      signal: controller.signal,
      onPosition: () => controller.abort(),
    });
    const closing = queue.run(neverRuns, { onPosition: () => queue.close() });
    await expect(throwing).rejects.toThrow('no listener');
    await expect(cancelling).rejects.toMatchObject({ code: 'CANCELLED' });
    await expect(closing).rejects.toMatchObject({ code: 'CLOSED' });
    expect(queue.waiting).toBe(0);
    first.resolve('fine');
    expect(await running).toBe('fine');
  });
});

describe('the position of a waiting task', () => {
  it('is told again when it has changed, as often as said, until none waits', async () => {
    vi.useFakeTimers();
    try {
      const queue = createQueue({ concurrency: 1, queueLength: 5, positionMs: 100 });
      const ends = [deferred(), deferred(), deferred()];
      const positions: number[] = [];
      const tasks = ends.map(({ promise }) => queue.run(() => promise, { onPosition: (each) => positions.push(each) }));
      vi.advanceTimersByTime(1000);
      expect(positions).toEqual([1, 2]);
      ends[0]?.resolve('first');
      await tasks[0];
      vi.advanceTimersByTime(1000);
      expect(positions).toEqual([1, 2, 1]);
      for (const { resolve } of ends) resolve('all');
      await Promise.all(tasks);
      vi.advanceTimersByTime(100);
      expect(vi.getTimerCount()).toBe(0);
    } finally {
      vi.useRealTimers();
    }
  });

  it('whose listener throws later on takes the task out', async () => {
    vi.useFakeTimers();
    try {
      const queue = createQueue({ concurrency: 1, queueLength: 5, positionMs: 100 });
      const end = deferred();
      const running = queue.run(() => end.promise);
      const controller = new AbortController();
      const first = queue.run(neverRuns, { signal: controller.signal });
      const second = queue.run(neverRuns, {
        onPosition(position) {
          if (position === 1) throw new Error('no listener');
        },
      });
      controller.abort();
      vi.advanceTimersByTime(100);
      await expect(first).rejects.toMatchObject({ code: 'CANCELLED' });
      await expect(second).rejects.toThrow('no listener');
      expect(queue.waiting).toBe(0);
      end.resolve('done');
      await running;
      queue.close();
      expect(vi.getTimerCount()).toBe(0);
    } finally {
      vi.useRealTimers();
    }
  });
});

describe('options that change', () => {
  it('hold from the next task that comes or goes', async () => {
    const options = { concurrency: 1, queueLength: 1 };
    const queue = createQueue(options);
    const ends = [deferred(), deferred(), deferred(), deferred()];
    const run = (index: number) => queue.run(() => ends[index]?.promise ?? Promise.resolve());
    const tasks = [run(0), run(1)];
    await expect(run(2)).rejects.toMatchObject({ code: 'QUEUE_FULL' });
    options.queueLength = 3;
    tasks.push(run(2), run(3));
    options.concurrency = 3;
    ends[0]?.resolve('first');
    await tasks[0];
    expect([queue.running, queue.waiting]).toEqual([3, 0]);
    options.concurrency = 1;
    tasks.push(queue.run(async () => 'last'));
    for (const { resolve } of ends) resolve('all');
    await Promise.all(tasks);
    expect([queue.running, queue.waiting]).toEqual([0, 0]);
  });
});

describe('spare slots', () => {
  it('go to callers that have less than their share, and to no one else', async () => {
    const queue = createQueue({ concurrency: 4, queueLength: 50, spare: 4 });
    const running: string[] = [];
    const ends: ReturnType<typeof deferred>[] = [];
    const ask = (caller: string, times: number) =>
      Array.from({ length: times }, () =>
        queue.run(
          () => {
            running.push(caller);
            const end = deferred();
            ends.push(end);
            return end.promise;
          },
          { caller },
        ),
      );
    const tasks = [...ask('many', 8), ...ask('few', 3), ...ask('other', 3)];
    expect(running).toEqual(['many', 'many', 'many', 'many', 'few', 'few', 'other']);
    for (const caller of ['x', 'y']) tasks.push(...ask(caller, 1));
    expect([running.at(-1), queue.running, queue.waiting]).toEqual(['x', 8, 8]);
    while (queue.running > 0) {
      for (const { resolve } of ends.splice(0)) resolve('done');
      await settled();
      expect(queue.running).toBeLessThanOrEqual(8);
    }
    await Promise.all(tasks);
    expect(running).toHaveLength(tasks.length);
  });

  it('are filled from those who wait when one is free', async () => {
    const queue = createQueue({ concurrency: 1, queueLength: 5, spare: 1 });
    const [first, second] = [deferred(), deferred()];
    const tasks = [queue.run(() => first.promise, { caller: 'a' }), queue.run(() => second.promise, { caller: 'b' })];
    const order: string[] = [];
    const late = (caller: string) => queue.run(async () => void order.push(caller), { caller });
    tasks.push(late('a'), late('c'));
    second.resolve('free');
    await tasks[1];
    await settled();
    expect(order).toEqual(['c']);
    first.resolve('done');
    await Promise.all(tasks);
    expect(order).toEqual(['c', 'a']);
  });
});

describe('cancelling', () => {
  it('takes a waiting task out at once with CANCELLED', async () => {
    const { queue, release } = busyQueue();
    const controller = new AbortController();
    const cancelled = queue.run(neverRuns, { signal: controller.signal });
    controller.abort(new Error('no longer wanted'));
    expect(queue.waiting).toBe(0);
    await expect(cancelled).rejects.toMatchObject({ code: 'CANCELLED', cause: { message: 'no longer wanted' } });
    await release();
  });

  it('refuses a task whose signal was aborted before', async () => {
    const queue = createQueue({ concurrency: 1, queueLength: 1 });
    await expect(queue.run(neverRuns, { signal: AbortSignal.abort() })).rejects.toMatchObject({
      code: 'CANCELLED',
    });
    expect(queue.running).toBe(0);
  });

  it('leaves a running task alone', async () => {
    const queue = createQueue({ concurrency: 1, queueLength: 1 });
    const controller = new AbortController();
    const end = deferred();
    const running = queue.run(() => end.promise, { signal: controller.signal });
    controller.abort();
    end.resolve('done');
    expect(await running).toBe('done');
  });

  it('leaves no listener on a long-lived signal once tasks have started, or were refused', async () => {
    const { signal } = new AbortController();
    const started = busyQueue();
    const tasks = Array.from({ length: 50 }, () => started.queue.run(async () => 0, { signal }));
    expect(getEventListeners(signal, 'abort')).toHaveLength(1);
    await started.release();
    await Promise.all(tasks);
    const refused = busyQueue();
    const closed = refused.queue.run(neverRuns, { signal });
    refused.queue.close();
    await expect(closed).rejects.toMatchObject({ code: 'CLOSED' });
    await refused.release();
    expect(getEventListeners(signal, 'abort')).toHaveLength(0);
  });
});

describe('closing', () => {
  it('refuses what waits and what comes, and lets finish what runs', async () => {
    const queue = createQueue({ concurrency: 1, queueLength: 5 });
    const end = deferred();
    const running = queue.run(() => end.promise);
    const waiting = queue.run(neverRuns);
    queue.close();
    await expect(waiting).rejects.toMatchObject({ code: 'CLOSED' });
    await expect(queue.run(neverRuns)).rejects.toMatchObject({ code: 'CLOSED' });
    end.resolve('done');
    expect(await running).toBe('done');
    expect([queue.running, queue.waiting]).toEqual([0, 0]);
  });

  it('refuses with the error that was given', async () => {
    const { queue, release } = busyQueue();
    const waiting = queue.run(neverRuns);
    queue.close(() => new Error('gone for lunch'));
    await expect(waiting).rejects.toThrow('gone for lunch');
    await expect(queue.run(neverRuns)).rejects.toThrow('gone for lunch');
    await release();
  });
});

describe('any load', () => {
  const load = fc.array(
    fc.record({
      caller: fc.constantFrom('a', 'b', 'c'),
      priority: fc.constantFrom(0, 0, 0, 1),
      hops: fc.nat(4),
      heldHops: fc.nat(4),
      fails: fc.boolean(),
      cancelAfterHops: fc.option(fc.nat(6), { freq: 4 }),
    }),
    { maxLength: 40 },
  );

  it('never runs more at once than allowed, loses none, runs none twice, and is first come first served per caller', async () => {
    await fc.assert(
      fc.asyncProperty(load, fc.integer({ min: 1, max: 4 }), async (works, concurrency) => {
        const queue = createQueue({ concurrency, queueLength: works.length });
        const started: number[] = [];
        const answered: number[] = [];
        let alive = 0;
        let most = 0;
        const gone = () => {
          alive -= 1;
        };
        const outcomes = works.map(async (work, index) => {
          const controller = new AbortController();
          if (work.cancelAfterHops !== null) void hops(work.cancelAfterHops).then(() => controller.abort());
          const task = queue.run(
            async (hold) => {
              started.push(index);
              alive += 1;
              most = Math.max(most, alive);
              const end = deferred();
              hold(end.promise.then(() => hops(work.heldHops)).finally(gone));
              await hops(work.hops);
              end.resolve(undefined);
              if (work.fails) throw new Error('failed');
              return index;
            },
            { caller: work.caller, priority: work.priority, signal: controller.signal },
          );
          await task.then(
            (answer) => answered.push(answer),
            (error) => answered.push(error.code === 'CANCELLED' && !started.includes(index) ? index : -index - 1),
          );
        });
        await Promise.all(outcomes);
        await hops(10);
        expect(most).toBeLessThanOrEqual(concurrency);
        expect(answered).toHaveLength(works.length);
        expect(new Set(started).size).toBe(started.length);
        expect([queue.running, queue.waiting]).toEqual([0, 0]);
        const line = (index: number) => `${works[index]?.caller} ${works[index]?.priority}`;
        for (const caller of new Set(started.map(line))) {
          const own = started.filter((index) => line(index) === caller);
          expect(own).toEqual([...own].sort((a, b) => a - b));
        }
      }),
    );
  });

  it('serves the nth task of a caller within n rounds of all callers', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.constantFrom('a', 'b', 'c', 'd'), { maxLength: 60 }), async (callers) => {
        const { queue, release } = busyQueue(callers.length);
        const served: string[] = [];
        const tasks = callers.map((caller) => queue.run(async () => void served.push(caller), { caller }));
        await release();
        await Promise.all(tasks);
        const rounds = new Set(callers).size;
        const turnsOf = new Map<string, number>();
        for (const [place, caller] of served.entries()) {
          const nth = (turnsOf.get(caller) ?? 0) + 1;
          turnsOf.set(caller, nth);
          expect(place + 1).toBeLessThanOrEqual(nth * rounds);
        }
        expect([...served].sort()).toEqual([...callers].sort());
      }),
    );
  });
});

function busyQueue(queueLength = 100): { queue: Queue; release: () => Promise<unknown> } {
  const queue = createQueue({ concurrency: 1, queueLength });
  const end = deferred();
  const running = queue.run(() => end.promise);
  return {
    queue,
    release() {
      end.resolve(undefined);
      return running;
    },
  };
}

function deferred(): { promise: Promise<unknown>; resolve: (value: unknown) => void } {
  let resolve: (value: unknown) => void = () => {};
  const promise = new Promise<unknown>((settle) => {
    resolve = settle;
  });
  return { promise, resolve };
}

async function hops(count: number): Promise<void> {
  for (let n = 0; n < count; n += 1) await null;
}

const settled = () => hops(5);

async function neverRuns(): Promise<never> {
  return expect.unreachable('a refused task ran');
}
