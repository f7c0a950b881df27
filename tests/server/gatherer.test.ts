import { describe, expect, it } from 'vitest';
import { createGatherer } from '../../src/server/gatherer.js';

describe('a gatherer', () => {
  it('sends the first item at once and those that follow it together, in order', async () => {
    const sent: (readonly number[])[] = [];
    const gatherer = createGatherer<number>(async (items) => void sent.push(items));
    gatherer.push(0, 1);
    expect(sent).toEqual([[0]]);
    for (let item = 1; item < 100; item++) gatherer.push(item, 1);
    await gatherer.flush();
    expect(sent.length).toBe(2);
    expect(sent.flat()).toEqual(Array.from({ length: 100 }, (_, index) => index));
  });

  it('sends what is left without being asked', async () => {
    const second = new Promise<readonly number[]>((resolve) => {
      const gatherer = createGatherer<number>(async (items) => {
        if (items.includes(2)) resolve(items);
      });
      for (const item of [0, 1, 2]) gatherer.push(item, 1);
    });
    expect(await second).toEqual([1, 2]);
  });

  it('holds the giver back while the other side takes no more, and lets go when it does', async () => {
    let take = (): void => {};
    const sent: (readonly number[])[] = [];
    const gatherer = createGatherer<number>((items) => {
      sent.push(items);
      return new Promise((resolve) => {
        take = resolve;
      });
    });
    expect(gatherer.push(0, 60_000)).toBeUndefined();
    expect(gatherer.push(1, 60_000)).toBeUndefined();
    const held = gatherer.push(2, 60_000);
    expect(held).toBeInstanceOf(Promise);
    take();
    await held;
    expect(sent[0]).toEqual([0]);
    const flushed = gatherer.flush();
    await Promise.resolve();
    take();
    await flushed;
    expect(sent.flat()).toEqual([0, 1, 2]);
  });

  it('goes on after a message that could not be sent', async () => {
    const sent: number[] = [];
    const gatherer = createGatherer<number>(async (items) => {
      sent.push(...items);
      if (items.includes(0)) throw new Error('gone');
    });
    gatherer.push(0, 1);
    gatherer.push(1, 1);
    await gatherer.flush();
    expect(sent).toEqual([0, 1]);
  });
});
