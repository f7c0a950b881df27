import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { EventStream } from '../../../src/gateway/parts.js';
import { createChannel } from '../../../src/gateway/stream/channel.js';

interface Ear extends EventStream {
  /** The numbers that were heard, and those of gaps. */
  readonly heard: number[];
  readonly gaps: [number, number][];
  read(): void;
}

/** A connection that has room for one event at a time, once it is slow. */
function createEar(isSlow: boolean): Ear {
  const ended = new AbortController();
  const heard: number[] = [];
  const gaps: [number, number][] = [];
  let read = () => {};
  const write = (text: string) => {
    if (ended.signal.aborted) return undefined;
    const number = Number(/^id: \w+\.(\d+)$/m.exec(text)?.[1]);
    heard.push(number);
    if (!isSlow) return undefined;
    return new Promise<void>((resolve) => {
      read = resolve;
      ended.signal.addEventListener('abort', () => resolve());
    });
  };
  return {
    heard,
    gaps,
    read: () => read(),
    write,
    send({ data }) {
      const { from, to } = JSON.parse(data) as { from: number; to: number };
      gaps.push([from, to]);
      return undefined;
    },
    closed: ended.signal,
    close: () => ended.abort(),
  };
}

type Step = 'send' | 'cut' | 'listen' | 'listen slowly' | 'read' | 'lose the last';

describe('a channel', () => {
  it('gives every event once and in order, or tells of it as a gap, however connections come and go', async () => {
    const step = fc.constantFrom<Step>(
      'send',
      'send',
      'send',
      'cut',
      'listen',
      'listen slowly',
      'read',
      'lose the last',
    );
    await fc.assert(
      fc.asyncProperty(
        fc.array(step, { maxLength: 60 }),
        fc.integer({ min: 0, max: 1500 }),
        async (steps, maxBytes) => {
          const channel = createChannel({ id: 's', maxBytes: () => maxBytes, onAlone: () => {} });
          const story: number[] = [];
          let ear: Ear | undefined;
          const leave = (lostOnTheWay: number) => {
            const seen = ear ? told(ear) : [];
            story.push(...seen.slice(0, Math.max(0, seen.length - lostOnTheWay)));
            ear?.close();
            ear = undefined;
          };
          const listen = (isSlow: boolean) => {
            leave(0);
            ear = createEar(isSlow);
            channel.listen(ear, story.at(-1) ?? 0);
          };
          for (const what of steps) {
            if (what === 'send') void channel.send({ data: 'x'.repeat(50) });
            else if (what === 'cut') leave(0);
            else if (what === 'lose the last') leave(1);
            else if (what === 'read') ear?.read();
            else listen(what === 'listen slowly');
            await Promise.resolve();
          }
          listen(false);
          await new Promise((resolve) => setImmediate(resolve));
          leave(0);
          expect(story).toEqual(Array.from({ length: channel.last }, (_, index) => index + 1));
        },
      ),
    );
  });

  it('asks to wait once half of what it may keep is unsent, until it is sent or the channel ends', async () => {
    const channel = createChannel({ id: 's', maxBytes: () => 1000, onAlone: () => {} });
    const waits: Promise<void>[] = [];
    for (let count = 0; count < 8; count++) {
      const wait = channel.send({ data: 'x'.repeat(50) });
      if (wait) waits.push(wait);
    }
    expect(waits).toHaveLength(6);
    channel.listen(createEar(false), 0);
    await Promise.all(waits);
    const large = { data: 'x'.repeat(10_000) };
    const ear = createEar(true);
    channel.listen(ear, channel.last);
    void channel.send(large);
    void channel.send(large);
    const last = channel.sendWhenRoom({ data: 'last' });
    ear.read();
    await last;
    const stuck = channel.send(large);
    channel.end();
    await stuck;
    expect(channel.send(large)).toBeUndefined();
  });
});

/** Everything that a connection told of, heard or lost, in order. */
function told({ heard, gaps }: Ear): number[] {
  const lost = gaps.flatMap(([from, to]) => Array.from({ length: to - from + 1 }, (_, index) => from + index));
  return [...heard, ...lost].sort((one, other) => one - other);
}
