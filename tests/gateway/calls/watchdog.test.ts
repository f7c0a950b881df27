import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { text } from '../../server/fake-toolbox.js';
import { createScene, hops } from './scene.js';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const limits = { timeoutMs: () => 1000, startMs: () => 500 };

describe('a call that the toolbox never ends', () => {
  it('times out after its limit, the time to start and a little more, and leaves its slot', async () => {
    const { serve, figures } = createScene({ ...limits, concurrency: () => 1 });
    const signals: (AbortSignal | undefined)[] = [];
    const { call } = serve({
      hang: (_args, { signal }) => {
        signals.push(signal);
        return new Promise(() => {});
      },
      quick: () => text('quick'),
    });
    const hung = call('hang');
    const refused = expect(hung).rejects.toMatchObject({ code: 'TIMEOUT', details: { limit: 1000 } });
    await hops();
    const next = call('quick');
    await vi.advanceTimersByTimeAsync(6499);
    expect(signals[0]?.aborted).toBe(false);
    await vi.advanceTimersByTimeAsync(1);
    await refused;
    expect(signals[0]?.aborted).toBe(true);
    expect(await next).toEqual(text('quick'));
    expect(figures.map(({ outcome }) => outcome)).toEqual(['TIMEOUT', 'done']);
    await vi.advanceTimersByTimeAsync(1000);
    expect(vi.getTimerCount()).toBe(0);
  });

  it('times out sooner when it asked for less, and never later than it may', async () => {
    const { serve } = createScene(limits);
    const { call } = serve({ hang: () => new Promise(() => {}) });
    const answers = [100, 999_999].map((timeoutMs) => call('hang', { timeoutMs }));
    const refused = [100, 1000].map((limit, index) =>
      expect(answers[index]).rejects.toMatchObject({ code: 'TIMEOUT', details: { limit } }),
    );
    await hops();
    await vi.advanceTimersByTimeAsync(5600);
    await refused[0];
    await vi.advanceTimersByTimeAsync(900);
    await refused[1];
  });

  it('ends soon after its client is gone', async () => {
    const { serve } = createScene(limits);
    const { call } = serve({ hang: () => new Promise(() => {}) });
    const gone = new AbortController();
    const answer = call('hang', { signal: gone.signal });
    const refused = expect(answer).rejects.toMatchObject({ code: 'CANCELLED' });
    await hops();
    gone.abort();
    await vi.advanceTimersByTimeAsync(5000);
    await refused;
    expect(vi.getTimerCount()).toBe(0);
  });

  it('has more time while it waits in a queue further on', async () => {
    const { serve } = createScene(limits);
    const { call } = serve({
      wait: async (_args, { onEvent }) => {
        await onEvent?.({ type: 'queued', position: 2 });
        await new Promise((resolve) => setTimeout(resolve, 10_000));
        return text('had its turn');
      },
    });
    const answer = call('wait');
    await hops();
    await vi.advanceTimersByTimeAsync(10_000);
    expect(await answer).toEqual(text('had its turn'));
  });

  it('has the limits of its service where that has its own', async () => {
    const { serve } = createScene(limits);
    const { call } = serve({ hang: () => new Promise(() => {}) }, { timeoutMs: () => 10, startMs: () => 0 });
    const refused = expect(call('hang')).rejects.toMatchObject({ code: 'TIMEOUT', details: { limit: 10 } });
    await hops();
    await vi.advanceTimersByTimeAsync(5010);
    await refused;
  });
});

describe('a call that ends by itself', () => {
  it('leaves no timer, even where its limit is longer than a timer can be', async () => {
    const { serve, pipeline } = createScene({ timeoutMs: () => 2 ** 31 - 1 });
    const { call } = serve({ quick: () => text('quick') });
    const answer = call('quick');
    await hops();
    expect(await answer).toEqual(text('quick'));
    pipeline.closeAll();
    expect(vi.getTimerCount()).toBe(0);
  });

  it('may throw without a promise', async () => {
    const { serve } = createScene(limits);
    const { call } = serve({
      broken() {
        throw new Error('at once');
      },
    });
    await expect(call('broken')).rejects.toThrow('at once');
    expect(vi.getTimerCount()).toBe(0);
  });
});
