import { getEventListeners } from 'node:events';
import { describe, expect, it } from 'vitest';
import { onAbort } from '../../src/queue/abort.js';

describe('onAbort', () => {
  it('calls everyone back once, in order, over a single listener', () => {
    const controller = new AbortController();
    const called: number[] = [];
    for (let n = 0; n < 20; n += 1) onAbort(controller.signal, () => called.push(n));
    expect(getEventListeners(controller.signal, 'abort')).toHaveLength(1);
    controller.abort();
    expect(called).toEqual(Array.from({ length: 20 }, (_, n) => n));
    expect(getEventListeners(controller.signal, 'abort')).toHaveLength(0);
  });

  it('leaves no listener when nobody watches any more, and watches anew afterwards', () => {
    const controller = new AbortController();
    const called: string[] = [];
    const stop = [
      onAbort(controller.signal, () => called.push('a')),
      onAbort(controller.signal, () => called.push('b')),
    ];
    for (const end of [...stop, ...stop]) end();
    expect(getEventListeners(controller.signal, 'abort')).toHaveLength(0);
    onAbort(controller.signal, () => called.push('c'));
    controller.abort();
    expect(called).toEqual(['c']);
  });

  it('does not call one that an earlier one stopped', () => {
    const controller = new AbortController();
    const called: string[] = [];
    onAbort(controller.signal, () => stopSecond());
    const stopSecond = onAbort(controller.signal, () => called.push('second'));
    controller.abort();
    expect(called).toEqual([]);
  });

  it('keeps the same callback given twice apart', () => {
    const controller = new AbortController();
    let calls = 0;
    const count = () => {
      calls += 1;
    };
    onAbort(controller.signal, count);
    onAbort(controller.signal, count)();
    controller.abort();
    expect(calls).toBe(1);
  });

  it('takes the absence of a signal', () => {
    expect(onAbort(undefined, expect.unreachable)()).toBeUndefined();
  });
});
