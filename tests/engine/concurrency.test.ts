import { expect, it } from 'vitest';
import type { SettingsInput } from '../../src/config.js';
import type { Engine, RunOptions } from '../../src/engine/work.js';
import type { CallEvent } from '../../src/toolbox.js';
import { collectEvents, describeLaunchers, failureOf, fixture } from './harness.js';
import { until } from './processes.js';

const isStarted = (event: CallEvent) => event.type === 'output' && event.line === 'started';

describeLaunchers('calls at once', (makeEngine) => {
  const hang = { script: fixture('prints_then_hangs.py'), function: 'hang' };

  async function startHanging(engine: Engine, options: RunOptions = {}) {
    const collected = collectEvents();
    const controller = new AbortController();
    const outcome = failureOf(engine.call(hang, { ...options, signal: controller.signal, onEvent: collected.onEvent }));
    const started = collected.next(isStarted);
    return { outcome, started, events: collected.events, next: collected.next, stop: () => controller.abort() };
  }

  async function expectAtMost(atOnce: number, settings: SettingsInput): Promise<void> {
    const engine = makeEngine(settings);
    const calls = await Promise.all(Array.from({ length: atOnce + 1 }, () => startHanging(engine)));
    await Promise.all(calls.slice(0, atOnce).map(({ started }) => started));
    await calls.at(-1)?.next(({ type }) => type === 'queued');
    expect(engine.status()).toMatchObject({ running: atOnce, waiting: 1 });
    calls[0]?.stop();
    await calls.at(-1)?.started;
    expect(engine.status()).toMatchObject({ running: atOnce, waiting: 0 });
    for (const { stop } of calls) stop();
    await Promise.all(calls.map(({ outcome }) => outcome));
    await until(() => engine.status().running === 0);
  }

  it('are 8 at the most, unless set otherwise', () => expectAtMost(8, {}));

  it('are as many as set at the most', () => expectAtMost(2, { concurrency: 2 }));

  it('count processes and not answers', async () => {
    const engine = makeEngine({ concurrency: 1 });
    const leaving = { script: fixture('hangs_at_exit.py'), function: 'leave' };
    expect((await engine.call(leaving, { limits: { timeoutMs: 400 } })).value).toBe(7);
    expect(engine.status().running).toBe(1);
    const { stop, outcome, started, events } = await startHanging(engine);
    expect(events).toEqual([{ type: 'queued', position: 1 }]);
    await started;
    stop();
    expect((await outcome).code).toBe('CANCELLED');
  });

  it('beyond what may wait are refused as QUEUE_FULL', async () => {
    const engine = makeEngine({ concurrency: 1, queueLength: 1 });
    const running = await startHanging(engine);
    await running.started;
    const waiting = await startHanging(engine);
    const refused = await startHanging(engine);
    expect(await refused.outcome).toMatchObject({ code: 'QUEUE_FULL', details: { limit: 1 } });
    waiting.stop();
    running.stop();
    expect([(await running.outcome).code, (await waiting.outcome).code]).toEqual(['CANCELLED', 'CANCELLED']);
  });

  it('that wait go by priority, then callers in turn, then as they came', async () => {
    const engine = makeEngine({ concurrency: 1 });
    const blocker = await startHanging(engine);
    await blocker.started;
    const order: string[] = [];
    const say = async (word: string, options: RunOptions) => {
      const call = { script: fixture('says_a_word.py'), function: 'say', args: { word } };
      order.push(String((await engine.call(call, options)).value));
    };
    const calls = [
      say('ann 1', { caller: 'ann' }),
      say('ann 2', { caller: 'ann' }),
      say('ann 3', { caller: 'ann' }),
      say('bob 1', { caller: 'bob' }),
      say('urgent', { caller: 'ann', priority: 1 }),
      say('whenever', { caller: 'cid', priority: -1 }),
    ];
    blocker.stop();
    await Promise.all(calls);
    await blocker.outcome;
    expect(order).toEqual(['urgent', 'ann 1', 'bob 1', 'ann 2', 'ann 3', 'whenever']);
  });
});
