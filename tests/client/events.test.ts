import { describe, expect, it } from 'vitest';
import { createEventFlow } from '../../src/client/events.js';
import type { CallEvent } from '../../src/toolbox.js';

const progress = (done: number): CallEvent => ({ type: 'progress', done });

describe('events of a call', () => {
  it('hold the server back as long as the receiver takes', async () => {
    const taken: number[] = [];
    const held: Promise<unknown>[] = [];
    let take = (): void => {};
    const flow = createEventFlow(
      (event) => {
        if (event.type === 'progress') taken.push(event.done);
        return new Promise<void>((resolve) => {
          take = resolve;
        });
      },
      (until) => held.push(until),
    );
    for (const done of [1, 2]) flow.push(progress(done));
    expect({ taken, held: held.length }).toEqual({ taken: [1], held: 1 });
    take();
    await Promise.resolve().then(() => {});
    expect(taken).toEqual([1, 2]);
    take();
    await Promise.all([...held, flow.flush()]);
    flow.push(progress(3));
    expect(held.length).toBe(2);
  });

  it('hold nobody back once the call is over', async () => {
    const held: Promise<unknown>[] = [];
    const flow = createEventFlow(
      () => new Promise(() => {}),
      (until) => held.push(until),
    );
    flow.push(progress(1));
    flow.stop();
    await Promise.all(held);
  });

  it('are bounded where nobody can be held back', async () => {
    let take = (): void => {};
    let taken = 0;
    const first = new Promise<void>((resolve) => {
      take = resolve;
    });
    const flow = createEventFlow(() => {
      taken += 1;
      return taken === 1 ? first : undefined;
    });
    for (let done = 0; done < 5000; done++) flow.push(progress(done));
    take();
    await flow.flush();
    expect(taken).toBe(1001);
  });
});
