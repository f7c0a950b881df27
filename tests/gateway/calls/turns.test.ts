import fc from 'fast-check';
import { afterEach, describe, expect, it, vi } from 'vitest';
import type { CallEvent } from '../../../src/toolbox.js';
import { text } from '../../server/fake-toolbox.js';
import { type Asked, createScene, createWork, hops, principal, type SceneOptions } from './scene.js';

afterEach(() => void vi.useRealTimers());

/** One slot, taken; calls that wait tell in which order they ran. */
function busyScene({ clients = ['ann', 'bob'], ...options }: SceneOptions & { clients?: readonly string[] } = {}) {
  const scene = createScene({ concurrency: () => 1, ...options });
  const blocker = createWork();
  const order: string[] = [];
  const service = scene.serve({
    block: blocker.work,
    note: async ({ name }) => {
      order.push(String(name));
      await hops(50);
      return text('noted');
    },
  });
  // Everyone has one running, so that nobody has a share that is left.
  const blocking = clients.map((id) => service.call('block', { principal: principal(id) }));
  return {
    ...scene,
    ...service,
    order,
    note: (name: string, asked?: Asked) => service.call('note', { args: { name }, ...asked }),
    async release() {
      for (const { finish } of blocker.begun) finish(text('free'));
      await Promise.all(blocking);
    },
  };
}

describe('calls that wait', () => {
  it('of different clients take turns, however many one has', async () => {
    const { note, order, release } = busyScene();
    await hops();
    const many = ['a1', 'a2', 'a3', 'a4'].map((name) => note(name));
    await hops();
    const few = note('b1', { principal: principal('bob') });
    await hops();
    await release();
    await Promise.all([...many, few]);
    expect(order.indexOf('b1')).toBeLessThanOrEqual(1);
  });

  it('are told their place, and again when it has changed', async () => {
    vi.useFakeTimers();
    const { call, serve: _serve, ...scene } = busyScene();
    await hops();
    const places: Record<string, number[]> = { one: [], two: [] };
    const listen = (name: string) => (event: CallEvent) => {
      if (event.type === 'queued') places[name]?.push(event.position);
    };
    const gone = new AbortController();
    const one = call('note', { args: { name: 'one' }, signal: gone.signal, onEvent: listen('one') });
    await hops();
    const two = call('note', { args: { name: 'two' }, onEvent: listen('two') });
    await hops();
    expect(places).toEqual({ one: [1], two: [2] });
    gone.abort();
    await expect(one).rejects.toMatchObject({ code: 'CANCELLED' });
    vi.advanceTimersByTime(3000);
    expect(places).toEqual({ one: [1], two: [2, 1] });
    await scene.release();
    await two;
    vi.advanceTimersByTime(1000);
    expect(vi.getTimerCount()).toBe(0);
  });

  it('go by their priority, as far as their client may raise it', async () => {
    const { order, box, note, release } = busyScene({ clients: ['ann'] });
    await hops();
    const vip = principal('ann', { priority: 5 });
    const asked: Readonly<Record<string, Asked>> = {
      normal: {},
      'would like': { priority: 9 },
      modest: { priority: -3 },
      'vip modest': { principal: vip, priority: 1 },
      vip: { principal: vip },
      'vip would like': { principal: vip, priority: 9 },
      nonsense: { priority: Number.NaN },
    };
    const answers = [];
    for (const [name, options] of Object.entries(asked)) {
      answers.push(note(name, options));
      await hops(5);
    }
    await release();
    await Promise.all(answers);
    expect(order).toEqual(['vip', 'vip would like', 'vip modest', 'normal', 'would like', 'nonsense', 'modest']);
    const priorityOf = (name: string) => box.calls.find(({ args }) => args.name === name)?.options.priority;
    expect(['modest', 'vip', 'vip would like', 'nonsense'].map(priorityOf)).toEqual([-3, 5, 5, 0]);
  });

  it('are so many at the most, and who comes after is told when to try again', async () => {
    const { note, release } = busyScene({ queueLength: () => 2 });
    await hops();
    const waiting = [note('one'), note('two')];
    await hops();
    await expect(note('three')).rejects.toMatchObject({
      code: 'QUEUE_FULL',
      details: { limit: 2, retryAfterMs: expect.toSatisfy((ms) => ms >= 1000 && ms <= 60_000) },
    });
    await release();
    await Promise.all(waiting);
  });

  it('start when the concurrency was raised', async () => {
    let concurrency = 1;
    const { note, release, order } = busyScene({ concurrency: () => concurrency });
    await hops();
    const answers = [note('one'), note('two')];
    await hops();
    expect(order).toEqual([]);
    concurrency = 4;
    await note('three');
    await Promise.all(answers);
    expect(order[0]).toBe('three');
    await release();
  });
});

describe('a client that holds every slot', () => {
  it('does not keep out another, which has its share beside', async () => {
    const { serve, pipeline } = createScene({ concurrency: () => 4 });
    const work = createWork();
    const slow = serve({ work: work.work });
    const other = serve({ quick: () => text('quick') }, { id: 'other' });
    const held = Array.from({ length: 10 }, () => slow.call('work'));
    await hops();
    expect(work.begun).toHaveLength(4);
    const bob = principal('bob');
    expect(await other.call('quick', { principal: bob })).toEqual(text('quick'));
    const more = Array.from({ length: 10 }, () => slow.call('work', { principal: bob }));
    await hops();
    expect(work.begun).toHaveLength(6);
    pipeline.closeAll();
    await Promise.allSettled([...held, ...more]);
  });
});

describe('a service with a queue of its own', () => {
  it('is bounded by that queue, and takes no slots of others', async () => {
    const { serve, pipeline } = createScene({ concurrency: () => 1, queueLength: () => 1 });
    const work = createWork();
    const own = serve({ work: work.work }, { id: 'own', usesSlots: false, concurrency: () => 2 });
    const script = serve({ quick: () => text('quick') });
    const answers = [own.call('work'), own.call('work'), own.call('work')];
    await hops();
    expect([own.served.running(), own.served.waiting()]).toEqual([2, 1]);
    await expect(own.call('work')).rejects.toMatchObject({ code: 'QUEUE_FULL' });
    expect(await script.call('quick')).toEqual(text('quick'));
    pipeline.closeAll();
    await Promise.allSettled(answers);
  });
});

describe('a client', () => {
  it('has no more calls under way than its quota, on all services together', async () => {
    const { serve, pipeline } = createScene({ settings: { maxRunningPerClient: 2 } });
    const work = createWork();
    const one = serve({ work: work.work });
    const other = serve({ work: work.work }, { id: 'other' });
    const answers = [one.call('work'), other.call('work')];
    await hops();
    const tooMany = { code: 'TOO_MANY_REQUESTS', details: { limit: 2, retryAfterMs: 1000 } };
    await expect(one.call('work')).rejects.toMatchObject(tooMany);
    await expect(one.call('work', { idempotencyKey: 'k' })).rejects.toMatchObject(tooMany);
    const raised = principal('bob', { maxRunning: 3 });
    const more = [1, 2, 3].map(() => one.call('work', { principal: raised }));
    await hops();
    await expect(one.call('work', { principal: raised })).rejects.toMatchObject({ details: { limit: 3 } });
    work.begun[0]?.finish(text('done'));
    await answers[0];
    const begunBefore = work.begun.length;
    const next = one.call('work');
    await hops();
    expect(work.begun).toHaveLength(begunBefore + 1);
    pipeline.closeAll();
    await Promise.allSettled([...answers, ...more, next]);
  });
});

describe('any number of clients', () => {
  it('wait behind no more calls of another than they have themselves', async () => {
    const arrivals = fc.array(fc.constantFrom('ann', 'bob', 'cleo', 'dan'), { minLength: 1, maxLength: 40 });
    await fc.assert(
      fc.asyncProperty(arrivals, async (ids) => {
        const scene = createScene({ concurrency: () => 1 });
        const order: string[] = [];
        const gate = createWork();
        const { call } = scene.serve({
          gate: gate.work,
          note: async (_args, { caller }) => {
            order.push(String(caller));
            await hops(40);
            return text('noted');
          },
        });
        // Both the slot and the spare one are taken, and by none of them.
        const gates = ['x', 'y'].map((id) => call('gate', { principal: principal(id) }));
        await hops();
        const answers = ids.map((id) => call('note', { principal: principal(id) }));
        await hops();
        for (const { finish } of gate.begun) finish(text('open'));
        await Promise.all([...gates, ...answers]);
        expect([...order].sort()).toEqual([...ids].sort());
        for (const id of new Set(ids)) {
          const own = ids.filter((each) => each === id).length;
          const untilServed = order.slice(0, order.lastIndexOf(id));
          for (const other of new Set(ids)) {
            expect(untilServed.filter((each) => each === other).length).toBeLessThanOrEqual(own + 1);
          }
        }
      }),
      { numRuns: 30 },
    );
  });
});
