import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { CallerError, errorTable, HostError, isErrorCode, LimitError } from '../../../src/errors.js';
import { verdictOf } from '../../../src/gateway/calls/verdict.js';
import type { ToolResult } from '../../../src/toolbox.js';
import { text } from '../../server/fake-toolbox.js';
import { createScene, createWork, failure, hops, type SceneOptions } from './scene.js';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

function breakerScene(options: SceneOptions = {}) {
  const settings = { breakerFailures: 3, breakerResetMs: 10_000 };
  const scene = createScene({ settings, timeoutMs: () => 1000, ...options });
  const state: { next: () => ToolResult | Promise<ToolResult> } = { next: () => failure('PROCESS_FAILED') };
  const service = scene.serve({ work: () => state.next() });
  const fail = async (times: number) => {
    for (let n = 0; n < times; n += 1) await service.call('work').catch(() => {});
  };
  return { ...scene, ...service, state, fail };
}

describe('a service that failed several times in a row', () => {
  it('is not called for a while, and says so at once', async () => {
    const { fail, call, box, served, lines } = breakerScene();
    await fail(2);
    expect(served.breaker()).toBe('closed');
    await fail(1);
    expect(served.breaker()).toBe('open');
    vi.advanceTimersByTime(4000);
    await expect(call('work')).rejects.toMatchObject({
      code: 'CIRCUIT_OPEN',
      message: expect.stringMatching(/notes failed 3 times in a row \(the last time: PROCESS_FAILED\)/),
      details: { retryAfterMs: 6000 },
    });
    expect(box.calls).toHaveLength(3);
    expect(lines.find(({ event }) => event === 'the breaker has opened')).toMatchObject({
      level: 'warn',
      service: 'notes',
      lastFailure: 'PROCESS_FAILED',
    });
  });

  it('is called again by one call, which closes the breaker when it works', async () => {
    const { fail, call, state, served, box } = breakerScene();
    await fail(3);
    vi.advanceTimersByTime(10_000);
    expect(served.breaker()).toBe('half-open');
    const work = createWork();
    state.next = () => work.work({}, {});
    const test = call('work');
    await hops();
    await expect(call('work')).rejects.toMatchObject({ code: 'CIRCUIT_OPEN', details: { retryAfterMs: 1000 } });
    work.begun[0]?.finish(text('works'));
    expect(await test).toEqual(text('works'));
    expect(served.breaker()).toBe('closed');
    state.next = () => failure('PROCESS_FAILED');
    await fail(2);
    expect([served.breaker(), box.calls.length]).toEqual(['closed', 6]);
  });

  it('is left alone for as long again when that call fails', async () => {
    const { fail, served, box } = breakerScene();
    await fail(3);
    vi.advanceTimersByTime(10_000);
    await fail(1);
    expect(served.breaker()).toBe('open');
    vi.advanceTimersByTime(9999);
    await fail(1);
    expect(box.calls).toHaveLength(4);
  });

  it('has failed once, however many calls a crash has ended', async () => {
    const { call, state, served } = breakerScene();
    const crash = async (calls: number) => {
      const { work, begun } = createWork();
      state.next = () => work({}, {});
      const ended = Array.from({ length: calls }, () => call('work').catch(() => {}));
      await hops();
      for (const { fail } of begun) fail(new HostError('SERVER_FAILED', 'gone'));
      await Promise.all(ended);
    };
    await crash(8);
    expect(served.breaker()).toBe('closed');
    await crash(8);
    await crash(8);
    expect(served.breaker()).toBe('open');
  });

  it('has failed as often as calls waited in vain', async () => {
    const { call, state, served } = breakerScene();
    state.next = () => failure('TIMEOUT');
    await Promise.all([call('work'), call('work'), call('work')]);
    expect(served.breaker()).toBe('open');
  });

  it('is tried by the next call when a check has passed', async () => {
    const { fail, call, state, served } = breakerScene();
    await fail(3);
    served.tellProbe(true);
    expect(served.breaker()).toBe('half-open');
    state.next = () => text('works');
    await call('work');
    expect(served.breaker()).toBe('closed');
  });

  it('may have failed its checks alone', async () => {
    const { served, call } = breakerScene();
    for (let n = 0; n < 3; n += 1) served.tellProbe(false);
    await hops();
    await expect(call('work')).rejects.toMatchObject({ code: 'CIRCUIT_OPEN' });
  });

  it('does not hold up the queue: who would be refused does not wait', async () => {
    const { fail, serve, call, pipeline } = breakerScene({ concurrency: () => 1 });
    const blocker = createWork();
    const other = serve({ block: blocker.work }, { id: 'other' });
    await fail(3);
    const blocking = [other.call('block'), other.call('block')];
    await hops();
    await expect(call('work')).rejects.toMatchObject({ code: 'CIRCUIT_OPEN' });
    pipeline.closeAll();
    await Promise.allSettled(blocking);
  });

  it('is another one than the other services', async () => {
    const { fail, serve } = breakerScene();
    const other = serve({ work: () => text('fine') }, { id: 'other' });
    await fail(5);
    expect(await other.call('work')).toEqual(text('fine'));
  });
});

describe('failures in a row', () => {
  it('are not those with a call between that worked', async () => {
    const { fail, state, served } = breakerScene();
    await fail(2);
    state.next = () => failure('EXCEPTION');
    await fail(1);
    state.next = () => failure('TIMEOUT');
    await fail(2);
    expect(served.breaker()).toBe('closed');
  });

  it('are still those with a call between that says nothing', async () => {
    const { fail, state, served } = breakerScene();
    await fail(2);
    state.next = () => Promise.reject(new HostError('QUEUE_FULL', 'full'));
    await fail(3);
    expect(served.breaker()).toBe('closed');
    state.next = () => Promise.reject(new Error('a bug'));
    await fail(1);
    expect(served.breaker()).toBe('open');
  });

  it('are not made by callers who cancel, or who hurry', async () => {
    const { state, served, call } = breakerScene();
    state.next = () => failure('TIMEOUT');
    for (let n = 0; n < 5; n += 1) await call('work', { timeoutMs: 10 });
    state.next = () => new Promise(() => {});
    for (let n = 0; n < 5; n += 1) {
      const gone = new AbortController();
      const answer = call('work', { signal: gone.signal });
      await hops();
      gone.abort();
      vi.advanceTimersByTime(5000);
      await expect(answer).rejects.toMatchObject({ code: 'CANCELLED' });
    }
    expect(served.breaker()).toBe('closed');
  });
});

describe('the verdict on a service', () => {
  const codes = Object.keys(errorTable).filter(isErrorCode);
  const verdictsOf = (verdict: string) =>
    codes.filter((code) => verdictOf({ kind: 'result', result: failure(code) }) === verdict);

  it('of each code is written down', () => {
    expect(verdictsOf('fails')).toEqual([
      'PROCESS_FAILED',
      'TIMEOUT',
      'IMPORT_TIMEOUT',
      'CPU_LIMIT',
      'MEMORY_LIMIT',
      'PYTHON_NOT_FOUND',
      'DEPENDENCIES_FAILED',
      'SANDBOX_UNAVAILABLE',
      'SPAWN_FAILED',
      'WIRE_BROKEN',
      'SERVER_FAILED',
    ]);
    expect(verdictsOf('nothing')).toEqual([
      'TOO_MANY_REQUESTS',
      'CANCELLED',
      'UNAVAILABLE',
      'QUEUE_FULL',
      'CIRCUIT_OPEN',
      'CLOSED',
    ]);
  });

  it('is the same for what is thrown and what is answered', () => {
    const thrown = [new LimitError('TIMEOUT', 'late'), new CallerError('UNKNOWN_TOOL', 'no'), new Error('a bug')];
    expect(thrown.map((error) => verdictOf({ kind: 'error', error }))).toEqual(['fails', 'works', 'fails']);
  });

  it('is that it works where a script ended by itself with an exit code', () => {
    const ended = (exitCode?: number) => verdictOf({ kind: 'result', result: failure('PROCESS_FAILED', { exitCode }) });
    expect([ended(3), ended()]).toEqual(['works', 'fails']);
  });
});
