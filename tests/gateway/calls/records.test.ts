import { describe, expect, it } from 'vitest';
import { CallerError, HostError, LimitError } from '../../../src/errors.js';
import type { CallEvent } from '../../../src/toolbox.js';
import { text } from '../../server/fake-toolbox.js';
import { createScene, createWork, failure, hops, principal } from './scene.js';

describe('a call', () => {
  it('reaches the tool with its arguments and options, and brings back the answer', async () => {
    const { serve } = createScene();
    const { box, call } = serve({ add: ({ a }) => text(`got ${a}`) });
    expect(await call('add', { args: { a: 1 }, session: 's1', timeoutMs: 500 })).toEqual(text('got 1'));
    expect(box.calls).toMatchObject([
      { name: 'add', args: { a: 1 }, options: { caller: 'ann', session: 's1', timeoutMs: 500, priority: 0 } },
    ]);
  });

  it('is counted once, with its outcome, by service, tool and transport', async () => {
    const { serve, figures } = createScene();
    const { call } = serve({
      fine: () => text('ok'),
      fails: () => failure('EXCEPTION'),
      strange: () => ({ content: [], isError: true, code: 'MADE_UP' }),
      refuses: () => Promise.reject(new CallerError('INVALID_ARGUMENTS', 'no')),
      breaks: () => Promise.reject(new Error('a bug')),
    });
    for (const tool of ['fine', 'fails', 'strange', 'refuses', 'breaks', 'unheard-of'])
      await call(tool).catch(() => {});
    expect(figures.map(({ tool, outcome }) => `${tool} ${outcome}`)).toEqual([
      'fine done',
      'fails EXCEPTION',
      'strange EXCEPTION',
      'refuses INVALID_ARGUMENTS',
      'breaks failed',
      'unheard-of UNKNOWN_TOOL',
    ]);
    expect(figures[0]).toMatchObject({ service: 'notes', transport: 'rest' });
    for (const { ms, queueMs } of figures) expect(ms).toBeGreaterThanOrEqual(queueMs);
  });

  it('is one line in the log, with ids and without arguments', async () => {
    const { serve, lines } = createScene();
    const { call } = serve({ add: () => text('the answer') });
    await call('add', { id: 'r1', args: { password: 'hunter2' } });
    expect(lines).toMatchObject([
      { event: 'call', request: 'r1', service: 'notes', tool: 'add', client: 'client ann', outcome: 'done' },
    ]);
    expect(JSON.stringify(lines)).not.toMatch(/hunter2|the answer/);
  });

  it('that fails in a way nobody foresaw is told with its error in the log', async () => {
    const { serve, lines } = createScene();
    const { call } = serve({ breaks: () => Promise.reject(new Error('a bug')) });
    await expect(call('breaks')).rejects.toThrow('a bug');
    expect(lines.map(({ level, event }) => `${level} ${event}`)).toEqual([
      'info call',
      'error a call failed unexpectedly',
    ]);
  });

  it('runs within a span that knows its id and where it came from', async () => {
    const spans: unknown[] = [];
    const { serve } = createScene({
      tracing: {
        call(facts, work) {
          spans.push(facts);
          return work();
        },
      },
    });
    const { call } = serve({ add: () => text('ok') });
    await call('add', { id: 'r1', traceparent: '00-abc' });
    expect(spans).toEqual([{ service: 'notes', tool: 'add', id: 'r1', traceparent: '00-abc' }]);
  });

  it('is not told events, nor a cache status, after its answer', async () => {
    const { serve } = createScene();
    const work = createWork();
    const { call } = serve({ work: work.work });
    const events: CallEvent[] = [];
    const answer = call('work', { onEvent: (event) => void events.push(event) });
    await hops();
    work.emit[0]?.({ type: 'progress', done: 1 });
    work.begun[0]?.finish(text('done'));
    await answer;
    work.emit[0]?.({ type: 'progress', done: 2 });
    expect(events).toEqual([{ type: 'progress', done: 1 }]);
  });

  it('is not harmed by a listener that throws or rejects', async () => {
    const { serve } = createScene();
    const { call } = serve({
      work: async (_args, { onEvent }) => {
        await onEvent?.({ type: 'progress', done: 1 });
        return text('done');
      },
    });
    const throws = () => {
      throw new Error('the listener broke');
    };
    expect(await call('work', { onEvent: throws })).toEqual(text('done'));
    expect(await call('work', { onEvent: async () => throws() })).toEqual(text('done'));
  });
});

describe('the calls under way', () => {
  it('are listed with who asked, and whether they wait or run', async () => {
    const { serve, pipeline } = createScene({ concurrency: () => 1 });
    const work = createWork();
    const { call, served } = serve({ work: work.work });
    const answers = [call('work', { id: 'r1' }), call('work', { id: 'r2', transport: 'mcp' })];
    await hops();
    expect(pipeline.calls.list()).toMatchObject([
      { id: 'r1', service: 'notes', tool: 'work', client: 'client ann', transport: 'rest', state: 'running' },
      { id: 'r2', transport: 'mcp', state: 'queued' },
    ]);
    expect([served.running(), served.waiting()]).toEqual([1, 1]);
    expect(pipeline.status()).toMatchObject({ running: 1, waiting: 1 });
    expect(pipeline.status().services.get('notes')).toEqual({ running: 1, waiting: 1 });
    work.begun[0]?.finish(text('one'));
    await hops();
    work.begun[1]?.finish(text('two'));
    expect(await Promise.all(answers)).toEqual([text('one'), text('two')]);
    expect(pipeline.calls.list()).toEqual([]);
  });

  it('get ids of their own where none was given', async () => {
    const { serve, pipeline } = createScene();
    const work = createWork();
    const { call } = serve({ work: work.work });
    const answers = [call('work'), call('work')];
    await hops();
    const ids = pipeline.calls.list().map(({ id }) => id);
    expect(new Set(ids).size).toBe(2);
    for (const each of work.begun) each.finish(text('done'));
    await Promise.all(answers);
  });

  it('are ended by their id: the work is aborted, the caller is told who ended it', async () => {
    const { serve, pipeline, figures } = createScene({ concurrency: () => 1 });
    const work = createWork();
    const { call } = serve({ work: work.work });
    const running = call('work', { id: 'r1' });
    const waiting = call('work', { id: 'r2' });
    await hops();
    expect(['r1', 'r2', 'r3'].map(pipeline.calls.cancel)).toEqual([true, true, false]);
    for (const answer of [running, waiting]) {
      await expect(answer).rejects.toMatchObject({
        code: 'CANCELLED',
        message: expect.stringContaining('whoever runs'),
      });
    }
    expect([work.begun.length, work.aborted.length]).toEqual([1, 1]);
    expect(figures.map(({ outcome }) => outcome)).toEqual(['CANCELLED', 'CANCELLED']);
  });

  it('end when their client is gone, waiting ones without having run', async () => {
    const { serve, pipeline } = createScene({ concurrency: () => 1 });
    const work = createWork();
    const { call } = serve({ work: work.work });
    const gone = new AbortController();
    const answers = [call('work', { signal: gone.signal }), call('work', { signal: gone.signal })];
    await hops();
    gone.abort(new Error('the client closed the connection'));
    for (const answer of answers) await expect(answer).rejects.toMatchObject({ code: 'CANCELLED' });
    expect([work.begun.length, work.aborted.length]).toEqual([1, 1]);
    await expect(call('work', { signal: gone.signal })).rejects.toMatchObject({ code: 'CANCELLED' });
    expect(work.begun.length).toBe(1);
    expect(pipeline.calls.list()).toEqual([]);
  });

  it('keep what the tool says of its cancellation when the client asked for it', async () => {
    const { serve } = createScene();
    const gone = new AbortController();
    const { call } = serve({
      work: (_args, { signal }) =>
        new Promise((_resolve, reject) => {
          signal?.addEventListener('abort', () =>
            reject(new LimitError('CANCELLED', 'after 3 lines', { stdout: 'abc' })),
          );
        }),
    });
    const answer = call('work', { signal: gone.signal });
    await hops();
    gone.abort();
    await expect(answer).rejects.toMatchObject({ code: 'CANCELLED', details: { stdout: 'abc' } });
  });
});

describe('closing', () => {
  it('of a service ends its calls alone and refuses new ones', async () => {
    const { serve, pipeline } = createScene();
    const work = createWork();
    const one = serve({ work: work.work });
    const other = serve({ work: work.work }, { id: 'other' });
    const answers = [one.call('work'), other.call('work')];
    await hops();
    one.served.close();
    await expect(answers[0]).rejects.toMatchObject({ code: 'UNAVAILABLE' });
    await expect(one.call('work')).rejects.toMatchObject({ code: 'UNAVAILABLE' });
    expect(one.box.listeners).toBe(0);
    work.begun[1]?.finish(text('fine'));
    expect(await answers[1]).toEqual(text('fine'));
    expect([...pipeline.status().services.keys()]).toEqual(['other']);
  });

  it('of all ends what runs and what waits, and refuses what comes, with the error that was given', async () => {
    const { serve, pipeline } = createScene({ concurrency: () => 1 });
    const work = createWork();
    const { call } = serve({ work: work.work });
    const answers = [
      call('work'),
      call('work', { idempotencyKey: 'k' }),
      call('work', { principal: principal('bob') }),
    ];
    await hops();
    pipeline.closeAll(new HostError('UNAVAILABLE', 'Back in a minute', { retryAfterMs: 60_000 }));
    for (const answer of [...answers, call('work')]) {
      await expect(answer).rejects.toMatchObject({ code: 'UNAVAILABLE', details: { retryAfterMs: 60_000 } });
    }
    expect(pipeline.calls.list()).toEqual([]);
  });

  it('can wait until no call is under way', async () => {
    const { serve } = createScene();
    const work = createWork();
    const { call, served } = serve({ work: work.work });
    await served.idle();
    const answer = call('work');
    let isIdle = false;
    const idle = served.idle().then(() => {
      isIdle = true;
    });
    await hops();
    expect(isIdle).toBe(false);
    work.begun[0]?.finish(text('done'));
    await Promise.all([answer, idle]);
    expect(isIdle).toBe(true);
  });
});
