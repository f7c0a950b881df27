import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import type { RunOptions } from '../../src/engine/work.js';
import { describeLaunchers, failureOf, fixture, folderWith } from './harness.js';
import { outcomeOf, until } from './processes.js';

const hangs = { script: fixture('hangs_at_import.py'), function: 'never' };
const say = (word: string) => ({ script: fixture('says_a_word.py'), function: 'say', args: { word } });

/** A script whose import takes until it is let go on. */
function waitingScript(): { script: string; letGo(): void } {
  const folder = folderWith({});
  const sign = join(folder, 'go on');
  const script = join(folder, 'waits.py');
  const source = `import os, time
while not os.path.exists(${JSON.stringify(sign)}):
    time.sleep(0.005)

def say(word: str) -> str:
    return word
`;
  writeFileSync(script, source);
  return { script, letGo: () => writeFileSync(sign, '') };
}

describeLaunchers('calls that wait for a slow import', (makeEngine) => {
  it('take no place from calls of other scripts', async () => {
    const engine = makeEngine({ concurrency: 2, idleChildren: 1 });
    const waiting = Array.from({ length: 12 }, () => outcomeOf(engine.call(hangs)));
    for (const word of ['one', 'two', 'three']) expect((await engine.call(say(word))).value).toBe(word);
    expect(engine.status().waiting).toBe(12);
    await engine.close();
    expect(new Set(await Promise.all(waiting))).toEqual(new Set(['CLOSED']));
  });

  it('take none either while each process of the script imports it anew', async () => {
    const engine = makeEngine({ concurrency: 2, idleChildren: 1 });
    const { script, letGo } = waitingScript();
    const words = Array.from({ length: 6 }, (_, number) => `word ${number}`);
    const calls = words.map((word) => engine.call({ script, function: 'say', args: { word } }));
    expect((await engine.call(say('beside'))).value).toBe('beside');
    letGo();
    expect((await Promise.all(calls)).map(({ value }) => value)).toEqual(words);
  });

  it('are served by priority, then callers in turn, then as they came', async () => {
    const engine = makeEngine({ concurrency: 1, idleChildren: 1 });
    const { script, letGo } = waitingScript();
    const order: unknown[] = [];
    const call = async (word: string, options: RunOptions) => {
      order.push((await engine.call({ script, function: 'say', args: { word } }, options)).value);
    };
    const calls = [
      call('ann 1', { caller: 'ann' }),
      call('ann 2', { caller: 'ann' }),
      call('bob 1', { caller: 'bob' }),
      call('urgent', { caller: 'ann', priority: 1 }),
    ];
    await until(() => engine.status().waiting === 4);
    letGo();
    await Promise.all(calls);
    expect(order).toEqual(['urgent', 'ann 1', 'bob 1', 'ann 2']);
  });

  it('can be cancelled, which leaves those beside them waiting', async () => {
    const engine = makeEngine({ idleChildren: 1 });
    const { script, letGo } = waitingScript();
    const controller = new AbortController();
    const cancelled = failureOf(engine.call({ script, function: 'say', args: { word: 'a' } }, controller));
    const other = engine.call({ script, function: 'say', args: { word: 'b' } });
    await until(() => engine.status().waiting === 2);
    controller.abort();
    expect((await cancelled).code).toBe('CANCELLED');
    letGo();
    expect((await other).value).toBe('b');
  });

  it('of a session end with it', async () => {
    const engine = makeEngine({ idleChildren: 1 });
    const ended = failureOf(engine.call(hangs, { isolation: 'session', session: 'ann' }));
    await until(() => engine.status().waiting === 1);
    await engine.endSession('ann');
    expect((await ended).code).toBe('CLOSED');
  });

  it('are as many of one tenant as may run and wait, and those of another have room of their own', async () => {
    const engine = makeEngine({ concurrency: 1, queueLength: 1, idleChildren: 1 });
    const waiting: Promise<unknown>[] = [];
    for (let call = 1; call <= 2; call += 1) {
      waiting.push(outcomeOf(engine.call(hangs, { tenant: 'ann' })));
      await until(() => engine.status().waiting === call);
    }
    expect(await failureOf(engine.call(hangs, { tenant: 'ann' }))).toMatchObject({ code: 'QUEUE_FULL' });
    expect((await engine.call(say('bob'), { tenant: 'bob' })).value).toBe('bob');
    await engine.close();
    expect(await Promise.all(waiting)).toEqual(['CLOSED', 'CLOSED']);
  });
});

describeLaunchers('imports', (makeEngine, launcher) => {
  it('that fail are told to all who wait, and tried again by the next call', async () => {
    const engine = makeEngine({ concurrency: 1, idleChildren: 1 });
    const broken = { script: fixture('raises_at_import.py'), function: 'never' };
    const outcomes = await Promise.all(Array.from({ length: 5 }, () => outcomeOf(engine.call(broken))));
    expect(new Set(outcomes)).toEqual(new Set(['EXCEPTION']));
    expect(engine.status()).toMatchObject({ running: 0, waiting: 0 });
    expect(await outcomeOf(engine.call(broken))).toBe('EXCEPTION');
  });

  if (launcher === 'fork') {
    it('of one tenant take turns, and hold up no other tenant', async () => {
      const engine = makeEngine({ concurrency: 1, idleChildren: 1 });
      const { script, letGo } = waitingScript();
      const slow = engine.call({ ...say('slow'), script }, { tenant: 'ann' });
      await until(() => engine.status().waiting === 1);
      const next = engine.call(say('ann'), { tenant: 'ann' });
      expect((await engine.call(say('bob'), { tenant: 'bob' })).value).toBe('bob');
      expect(engine.status().waiting).toBe(2);
      letGo();
      expect((await slow).value).toBe('slow');
      expect((await next).value).toBe('ann');
    });
  }
});
