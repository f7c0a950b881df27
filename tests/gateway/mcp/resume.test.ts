import { describe, expect, it } from 'vitest';
import { registerMcp } from '../../../src/gateway/mcp/mcp.js';
import type { OnEvent } from '../../../src/toolbox.js';
import { FakeToolbox, text } from '../../server/fake-toolbox.js';
import { startApp, type TestApp } from '../harness.js';
import { beginSession, callOf, connect, createMoment, eventsOf, post, type ReadEvent, readEvents } from './clients.js';

/** A tool that reports as many steps as it is told to, and ends when it is told to. */
function stepping() {
  let report: OnEvent | undefined;
  let done = 0;
  const called = createMoment();
  const end = createMoment();
  const tools = new FakeToolbox({
    step: async (_args, { onEvent }) => {
      report = onEvent;
      called.come();
      await end.moment;
      return text('the result');
    },
  });
  return {
    tools,
    called: called.moment,
    end: end.come,
    async step(count: number) {
      for (let left = count; left > 0; left--) await report?.({ type: 'progress', done: ++done, total: 1000 });
    },
  };
}

function resume({ url }: TestApp, headers: Readonly<Record<string, string>>, lastEventId: string): Promise<Response> {
  return fetch(`${url}/api/v1/mcp/tools`, {
    headers: { ...headers, accept: 'text/event-stream', 'last-event-id': lastEventId },
  });
}

/** Reads until the event that satisfies the test, which is the last that is given. */
async function readUntil(
  events: AsyncGenerator<ReadEvent>,
  isLast: (event: ReadEvent) => boolean,
): Promise<ReadEvent[]> {
  const read: ReadEvent[] = [];
  for (let next = await events.next(); !next.done; next = await events.next()) {
    read.push(next.value);
    if (isLast(next.value)) break;
  }
  return read;
}

const progressOf = ({ data }: ReadEvent): number | undefined =>
  data === '' ? undefined : JSON.parse(data).params?.progress;
const call = callOf(1, 'step', {}, { progressToken: 1 });

describe('a client whose connection was cut during a call', () => {
  it('gets what it missed and the result, nothing lost and nothing twice', async () => {
    const { tools, called, step, end } = stepping();
    const app = await startApp([registerMcp], { services: { tools } });
    const headers = await beginSession(app);
    const cut = new AbortController();
    const events = readEvents(await post(app, call, { headers, signal: cut.signal }));
    await called;
    await step(3);
    const before = await readUntil(events, (event) => progressOf(event) === 3);
    cut.abort();
    await step(3);
    end();
    const after = await eventsOf(await resume(app, headers, before.at(-1)?.id ?? ''));
    const all = [...before, ...after];
    expect(all.map(progressOf).filter((number) => number !== undefined)).toEqual([1, 2, 3, 4, 5, 6]);
    expect(JSON.parse(all.at(-1)?.data ?? '')).toMatchObject({ id: 1, result: { content: [{ text: 'the result' }] } });
    expect(new Set(all.map(({ id }) => id)).size).toBe(all.length);
  });

  it('gets what comes after it is back, too', async () => {
    const { tools, called, step, end } = stepping();
    const app = await startApp([registerMcp], { services: { tools } });
    const headers = await beginSession(app);
    const cut = new AbortController();
    const events = readEvents(await post(app, call, { headers, signal: cut.signal }));
    await called;
    const [primed] = await readUntil(events, ({ id }) => id !== undefined);
    cut.abort();
    await step(2);
    const resumed = readEvents(await resume(app, headers, primed?.id ?? ''));
    const missed = await readUntil(resumed, (event) => progressOf(event) === 2);
    await step(2);
    end();
    const rest = await readUntil(resumed, ({ data }) => data.includes('the result'));
    expect([...missed, ...rest].map(progressOf)).toEqual([1, 2, 3, 4, undefined]);
  });

  it('takes over from a connection that the gateway does not know to be cut', async () => {
    const { tools, called, step, end } = stepping();
    const app = await startApp([registerMcp], { services: { tools } });
    const headers = await beginSession(app);
    const old = readEvents(await post(app, call, { headers }));
    await called;
    await step(1);
    const seen = (await readUntil(old, (event) => progressOf(event) === 1)).at(-1);
    const resumed = eventsOf(await resume(app, headers, seen?.id ?? ''));
    expect((await old.next()).done).toBe(true);
    await step(1);
    end();
    expect((await resumed).map(progressOf)).toEqual([2, undefined]);
  });

  it('gets the result though the buffer had no room for all that it missed', async () => {
    const { tools, called, step, end } = stepping();
    const app = await startApp([registerMcp], { services: { tools }, settings: { eventBufferBytes: 2000 } });
    const headers = await beginSession(app);
    const cut = new AbortController();
    const events = readEvents(await post(app, call, { headers, signal: cut.signal }));
    await called;
    const [primed] = await readUntil(events, ({ id }) => id !== undefined);
    cut.abort();
    await step(50);
    end();
    const missed = await eventsOf(await resume(app, headers, primed?.id ?? ''));
    const numbers = missed.map(progressOf).filter((number) => number !== undefined);
    expect(numbers.length).toBeLessThan(50);
    expect(numbers).toEqual(numbers.toSorted((one, other) => one - other));
    expect(missed.at(-1)?.data).toContain('the result');
  });

  it.each(['unheard-of_3', 'nonsense', '_GET_stream_99'])('is told that %s is not known', async (id) => {
    const { tools } = stepping();
    const app = await startApp([registerMcp], { services: { tools } });
    const headers = await beginSession(app);
    expect((await resume(app, headers, id)).status).toBe(400);
  });

  it('is the official one, and comes back by itself', async () => {
    const { tools, called, step, end } = stepping();
    const app = await startApp([registerMcp], { services: { tools } });
    const heard: number[] = [];
    const half = createMoment();
    const { client } = await connect(app, { cutAfter: (body) => body.includes('"progress":2,') });
    const answer = client.callTool(
      { name: 'step' },
      {
        onprogress: ({ progress }) => {
          heard.push(progress);
          if (progress === 2) half.come();
        },
      },
    );
    await called;
    await step(2);
    await half.moment;
    await step(2);
    end();
    expect((await answer).content).toMatchObject([{ text: 'the result' }]);
    expect(heard).toEqual([1, 2, 3, 4]);
  });
});
