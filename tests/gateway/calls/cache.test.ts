import { afterEach, describe, expect, it, vi } from 'vitest';
import type { GatewaySettingsInput } from '../../../src/gateway/settings.js';
import type { CallEvent, ToolResult } from '../../../src/toolbox.js';
import { text } from '../../server/fake-toolbox.js';
import { type Asked, createScene, createWork, failure, hops, principal } from './scene.js';

const readOnly = { readOnlyHint: true, idempotentHint: true };
afterEach(() => void vi.useRealTimers());

/** A tool that counts, and calls that say where their answer came from. */
function countingScene(settings?: GatewaySettingsInput, annotations: Record<string, boolean> = readOnly) {
  const scene = createScene({ settings });
  let count = 0;
  const state = { version: '1' };
  const { call, box } = scene.serve(
    {
      look: { annotations, work: () => text(`${++count}`) },
      write: () => text('written'),
      glance: { annotations: { readOnlyHint: true }, work: () => text('seen') },
    },
    { version: () => state.version },
  );
  const look = async (asked?: Asked) => {
    let status = '';
    const result = await call('look', { ...asked, onCacheStatus: (told) => (status += told) });
    return `${textOf(result)}: ${status}`;
  };
  return { ...scene, call, box, look, state };
}

const stored = 'mcp-execution; fwd=miss; stored; ttl=60';
const bypass = 'mcp-execution; fwd=bypass';

describe('a result is kept', () => {
  it('of a tool that says that it only reads and may be repeated', async () => {
    const { look, cached } = countingScene();
    expect(await look({ args: { a: 1, b: [2] } })).toBe(`1: ${stored}`);
    expect(await look({ args: { b: [2], a: 1.0 } })).toMatch(/^1: mcp-execution; hit; ttl=(59|60)$/);
    expect(await look({ args: { a: 1, b: ['2'] } })).toBe(`2: ${stored}`);
    expect(cached).toEqual(['notes miss', 'notes hit', 'notes miss']);
  });

  it.each([
    ['only reads', { readOnlyHint: true }],
    ['may only be repeated', { idempotentHint: true }],
    ['says the opposite', { readOnlyHint: true, idempotentHint: false }],
    ['says nothing', {}],
  ])('not of one that %s', async (_title, annotations) => {
    const { look } = countingScene({}, annotations);
    expect([await look(), await look()]).toEqual([`1: ${bypass}`, `2: ${bypass}`]);
  });

  it.each([
    ['notes/look', true],
    ['notes/*', true],
    ['*/look', true],
    ['*', true],
    ['n*/l*k', true],
    ['*/*oo*', true],
    ['notes/loo', false],
    ['other/look', false],
    ['notes/*x*', false],
    ['notes/look*look', false],
  ])('of one that the setting %s names: %s', async (pattern, isKept) => {
    const { look } = countingScene({ cacheTools: [pattern] }, {});
    await look();
    expect(await look()).toMatch(isKept ? /^1: mcp-execution; hit/ : /^2: .*bypass/);
  });

  it('for one client alone', async () => {
    const { look } = countingScene();
    await look();
    expect(await look({ principal: principal('bob') })).toBe(`2: ${stored}`);
  });

  it('until its time is over, or the service has another version', async () => {
    vi.useFakeTimers();
    const { look, state } = countingScene({ cacheTtlMs: 5000 });
    await look();
    vi.advanceTimersByTime(3000);
    expect(await look()).toBe('1: mcp-execution; hit; ttl=2');
    vi.advanceTimersByTime(2001);
    expect(await look()).toBe('2: mcp-execution; fwd=miss; stored; ttl=5');
    state.version = '2';
    expect(await look()).toMatch(/^3: .*stored/);
  });

  it('not at all with no time to keep it, and not when it is too large', async () => {
    const none = countingScene({ cacheTtlMs: 0 });
    expect([await none.look(), await none.look()]).toEqual([`1: ${bypass}`, `2: ${bypass}`]);
    const small = countingScene({ cacheBytes: 10 });
    expect([await small.look(), await small.look()]).toEqual(
      ['1', '2'].map((count) => `${count}: mcp-execution; fwd=miss`),
    );
  });

  it('until a tool was called that may change what others answer', async () => {
    const { look, call } = countingScene();
    await look();
    await call('glance');
    expect(await look()).toMatch(/^1: .*hit/);
    await call('write');
    expect(await look()).toBe(`2: ${stored}`);
  });

  it('not when such a call began while the result was made', async () => {
    const { serve } = createScene();
    const work = createWork();
    const { call } = serve({ look: { annotations: readOnly, work: work.work }, write: () => text('written') });
    const first = call('look');
    await hops();
    await call('write');
    work.begun[0]?.finish(text('old'));
    await first;
    const second = call('look');
    await hops();
    work.begun[1]?.finish(text('new'));
    expect(await second).toEqual(text('new'));
  });

  it('not when the service had another version before it was made', async () => {
    const { serve } = createScene();
    const work = createWork();
    let version = '1';
    const { call } = serve({ look: { annotations: readOnly, work: work.work } }, { version: () => version });
    const statuses: string[] = [];
    const first = call('look', { onCacheStatus: (status) => statuses.push(status) });
    await hops();
    version = '2';
    work.begun[0]?.finish(text('of which version?'));
    await first;
    expect(statuses).toEqual(['mcp-execution; fwd=miss']);
    version = '1';
    const second = call('look');
    await hops();
    work.begun[1]?.finish(text('of the first'));
    expect(await second).toEqual(text('of the first'));
  });

  it('through such calls where whoever runs the gateway named the tool', async () => {
    const { look, call } = countingScene({ cacheTools: ['notes/look'] });
    await look();
    await call('write');
    expect(await look()).toMatch(/^1: .*hit/);
  });

  it('not of a service that keeps state, unless it was named, and then per session', async () => {
    let count = 0;
    const tools = { look: { annotations: readOnly, work: () => text(`${++count}`) } };
    const said = createScene().serve(tools, { keepsState: true });
    expect(textOf(await said.call('look', { session: 'a' }))).toBe('1');
    expect(textOf(await said.call('look', { session: 'a' }))).toBe('2');
    const named = createScene({ settings: { cacheTools: ['*'] } }).serve(tools, { keepsState: true });
    const sessions = ['a', 'a', 'b'];
    const answers = [];
    for (const session of sessions) answers.push(textOf(await named.call('look', { session })));
    expect(answers).toEqual(['3', '3', '4']);
  });

  it('only when it is one: a failure is made anew', async () => {
    const { serve } = createScene();
    const { call, box } = serve({ look: { annotations: readOnly, work: () => failure('EXCEPTION') } });
    await call('look');
    await call('look');
    expect(box.calls).toHaveLength(2);
  });

  it('from when the tool says so', async () => {
    const { call, box } = countingScene({}, {});
    await call('look');
    box.change('look', { annotations: readOnly, work: () => text('changed') });
    await call('look');
    await call('look');
    expect(box.calls).toHaveLength(2);
    expect(box.lists).toBe(2);
  });
});

describe('calls for the same result', () => {
  function joinedScene() {
    const scene = createScene();
    const work = createWork();
    return { ...scene, work, ...scene.serve({ look: { annotations: readOnly, work: work.work } }) };
  }

  it('share one flight, and its events from when they joined', async () => {
    const { call, work, cached } = joinedScene();
    const seen: string[] = [];
    const listen = (name: string) => (event: CallEvent) => void seen.push(`${name} ${Object(event).done}`);
    const statuses: string[] = [];
    const onCacheStatus = (status: string) => statuses.push(status);
    const first = call('look', { onEvent: listen('first'), onCacheStatus });
    await hops();
    work.emit[0]?.({ type: 'progress', done: 1 });
    const second = call('look', { onEvent: listen('second'), onCacheStatus });
    await hops();
    work.emit[0]?.({ type: 'progress', done: 2 });
    work.begun[0]?.finish(text('done'));
    expect(await Promise.all([first, second])).toEqual([text('done'), text('done')]);
    expect(seen).toEqual(['first 1', 'first 2', 'second 2']);
    expect(statuses).toEqual(['mcp-execution; fwd=miss; collapsed', stored]);
    expect(cached).toEqual(['notes miss', 'notes joined']);
    expect(work.begun).toHaveLength(1);
  });

  it('go at the pace of the slowest listener', async () => {
    const { call, work } = joinedScene();
    let makeRoom = () => {};
    const room = new Promise<void>((resolve) => {
      makeRoom = resolve;
    });
    const answers = [call('look', { onEvent: () => {} }), call('look', { onEvent: () => room })];
    await hops();
    const held = work.emit[0]?.({ type: 'progress', done: 1 });
    expect(held).toBeInstanceOf(Promise);
    makeRoom();
    await held;
    work.begun[0]?.finish(text('done'));
    await Promise.all(answers);
  });

  it('do not end each other, and end the flight when all are gone', async () => {
    const { call, work, pipeline } = joinedScene();
    const clients = [new AbortController(), new AbortController(), new AbortController()];
    const answers = clients.map(({ signal }) => call('look', { signal }));
    await hops();
    clients[0]?.abort();
    await expect(answers[0]).rejects.toMatchObject({ code: 'CANCELLED' });
    clients[2]?.abort();
    await expect(answers[2]).rejects.toMatchObject({ code: 'CANCELLED' });
    expect([work.begun.length, work.aborted.length]).toEqual([1, 0]);
    clients[1]?.abort();
    const later = call('look');
    await expect(answers[1]).rejects.toMatchObject({ code: 'CANCELLED' });
    await hops();
    expect([work.begun.length, work.aborted.length]).toEqual([2, 1]);
    work.begun[1]?.finish(text('anew'));
    expect(await later).toEqual(text('anew'));
    expect(pipeline.calls.list()).toEqual([]);
  });

  it('fail together, and the next one tries anew', async () => {
    const { call, work } = joinedScene();
    const answers = [call('look'), call('look')];
    await hops();
    work.begun[0]?.fail(new Error('broken'));
    for (const answer of answers) await expect(answer).rejects.toThrow('broken');
    const next = call('look');
    await hops();
    work.begun[1]?.finish(text('fine'));
    expect(await next).toEqual(text('fine'));
  });

  it('are not joined to one that has less time', async () => {
    const { call, work } = joinedScene();
    const answers = [call('look', { timeoutMs: 10 }), call('look')];
    await hops();
    expect(work.begun).toHaveLength(2);
    for (const { finish } of work.begun) finish(text('done'));
    await Promise.all(answers);
  });
});

describe('a service that cannot tell its tools', () => {
  it('is called all the same, without the cache', async () => {
    const { serve } = createScene();
    const { call, box } = serve({ look: { annotations: readOnly, work: () => text('fine') } });
    box.listTools = () => Promise.reject(new Error('not now'));
    expect(await call('look')).toEqual(text('fine'));
  });

  it('is waited for no longer than a moment', async () => {
    vi.useFakeTimers();
    const { serve } = createScene();
    const { call, box } = serve({ look: { annotations: readOnly, work: () => text('fine') } });
    box.listTools = () => new Promise(() => {});
    const answer = call('look');
    await vi.advanceTimersByTimeAsync(1001);
    expect(await answer).toEqual(text('fine'));
  });
});

function textOf({ content }: ToolResult): string {
  return String(Object(content[0]).text);
}
