import { describe, expect, it } from 'vitest';
import { HostError, LimitError } from '../../../src/errors.js';
import { text } from '../../server/fake-toolbox.js';
import { createScene, createWork, failure, hops, principal } from './scene.js';

const key = { idempotencyKey: 'order-7' };

describe('a call with an Idempotency-Key', () => {
  it('that is repeated has the first answer, and the work is done once', async () => {
    const { serve } = createScene();
    let orders = 0;
    const { call } = serve({ order: () => text(`order ${++orders}`) });
    const statuses: string[] = [];
    const onCacheStatus = (status: string) => statuses.push(status);
    const first = await call('order', { ...key, args: { a: 1, b: 2 } });
    expect(await call('order', { ...key, args: { b: 2, a: 1 }, onCacheStatus })).toEqual(first);
    expect(await call('order', { args: { a: 1, b: 2 } })).toEqual(text('order 2'));
    expect(statuses).toEqual(['mcp-execution; hit; detail=idempotency-key']);
  });

  it('joins the one that still runs', async () => {
    const { serve } = createScene();
    const work = createWork();
    const { call } = serve({ order: work.work });
    const answers = [call('order', key), call('order', key)];
    await hops();
    expect(work.begun).toHaveLength(1);
    work.begun[0]?.finish(text('done'));
    expect(await Promise.all(answers)).toEqual([text('done'), text('done')]);
  });

  it('is refused with other arguments, while the first runs and afterwards', async () => {
    const { serve } = createScene();
    const work = createWork();
    const { call } = serve({ order: work.work });
    const first = call('order', { ...key, args: { a: 1 } });
    await hops();
    const conflict = { code: 'CONFLICT', message: expect.stringContaining('"order-7" was used before') };
    await expect(call('order', { ...key, args: { a: 2 } })).rejects.toMatchObject(conflict);
    work.begun[0]?.finish(text('done'));
    await first;
    await expect(call('order', { ...key, args: { a: 2 } })).rejects.toMatchObject(conflict);
  });

  it('is alone with its key among clients, services and tools', async () => {
    const { serve } = createScene();
    const { call, box } = serve({ order: () => text('done'), other: () => text('done') });
    const elsewhere = serve({ order: () => text('elsewhere') }, { id: 'elsewhere' });
    await call('order', key);
    await call('order', { ...key, principal: principal('bob') });
    await call('other', key);
    expect(await elsewhere.call('order', key)).toEqual(text('elsewhere'));
    expect(box.calls).toHaveLength(3);
  });

  it.each([
    ['a failure of the script is an answer, and kept', () => failure('PROCESS_FAILED'), 1],
    ['a failure of the host is none', () => Promise.reject(new HostError('SPAWN_FAILED', 'no process')), 2],
    ['a cancelled call is none', () => Promise.reject(new LimitError('CANCELLED', 'cancelled')), 2],
    ['a cancelled call is none, also as a result', () => failure('CANCELLED'), 2],
  ])('is done again where there was no answer: %s', async (_title, work, times) => {
    const { serve } = createScene();
    const { call, box } = serve({ order: work });
    await call('order', key).catch(() => {});
    await call('order', key).catch(() => {});
    expect(box.calls).toHaveLength(times);
  });

  it('survives that the first caller is gone while another waits, and is done anew when all are gone', async () => {
    const { serve } = createScene();
    const work = createWork();
    const { call } = serve({ order: work.work });
    const [one, two] = [new AbortController(), new AbortController()];
    const answers = [call('order', { ...key, signal: one.signal }), call('order', { ...key, signal: two.signal })];
    await hops();
    one.abort();
    await expect(answers[0]).rejects.toMatchObject({ code: 'CANCELLED' });
    expect(work.aborted).toHaveLength(0);
    two.abort();
    await expect(answers[1]).rejects.toMatchObject({ code: 'CANCELLED' });
    expect(work.aborted).toHaveLength(1);
    const again = call('order', key);
    await hops();
    work.begun[1]?.finish(text('done'));
    expect(await again).toEqual(text('done'));
  });

  it.each(['', 'x'.repeat(256)])('is refused where the key is no key', async (idempotencyKey) => {
    const { serve } = createScene();
    const { call, box } = serve({ order: () => text('done') });
    await expect(call('order', { idempotencyKey })).rejects.toMatchObject({ code: 'INVALID_REQUEST' });
    expect(box.calls).toHaveLength(0);
  });
});
