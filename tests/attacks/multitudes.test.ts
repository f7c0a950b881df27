import { join } from 'node:path';
import { expect, it } from 'vitest';
import type { Engine } from '../../src/engine/work.js';
import { collectEvents, describeWithEngine, folderWith } from '../engine/harness.js';
import { outcomeOf, until } from '../engine/processes.js';
import { newName, threadsOf } from './named.js';
import { fixtureText } from './play.js';
import { describeStrict, scriptOf } from './strict.js';

const few = { maxProcesses: 16, concurrency: 1 } as const;
/** What the host needs for itself beside what it allows. */
const spare = 40;
const many = 400;

/** How many threads there are at once, seen by the host while the call hangs. */
async function countAtOnce(engine: Engine, fn: string, wanted: number): Promise<number> {
  const name = newName();
  const { onEvent, next } = collectEvents();
  const over = new AbortController();
  const start = { script: scriptOf('multiplies'), function: fn, args: { name, wanted } };
  const call = outcomeOf(engine.call(start, { onEvent, signal: over.signal }));
  await Promise.race([next(({ type }) => type === 'output'), call]);
  const count = threadsOf(name).reduce((sum, threads) => sum + threads, 0);
  over.abort();
  await call;
  await until(() => threadsOf(name).length === 0);
  return count;
}

/** Whether the number of processes and threads is said to be held. */
async function areEnforced(engine: Engine): Promise<boolean> {
  const word = { script: scriptOf('says_too_much'), function: 'word', args: { text: '' } };
  const { processes } = (await engine.call(word)).figures.enforced;
  expect(processes).not.toBe('none');
  return processes === 'enforced';
}

describeWithEngine('a script that nothing holds back', { profile: 'trusted' }, (engine) => {
  it.each(['start_threads', 'start_processes'])('multiplies (%s)', async (fn) => {
    expect(await countAtOnce(engine(), fn, 100)).toBeGreaterThanOrEqual(100);
  });
});

describeStrict('a script in the sandbox', few, (engine) => {
  it('cannot have more threads than its limit, or the figures say so', async () => {
    const most = (await areEnforced(engine())) ? few.maxProcesses + spare : many + 1;
    expect(await countAtOnce(engine(), 'start_threads', many)).toBeLessThanOrEqual(most);
  });

  it('cannot have processes', async () => {
    expect(await countAtOnce(engine(), 'start_processes', 50)).toBeLessThanOrEqual(1);
  });

  it.each(['leave_a_daemon', 'leave_a_moving_target'])('leaves no process behind (%s)', async (fn) => {
    const name = newName();
    const leave = { script: scriptOf('multiplies'), function: fn, args: { name } };
    expect(await outcomeOf(engine().call(leave))).not.toBe('left');
    expect(threadsOf(name)).toEqual([]);
  });
});

describeStrict('a process that is forked at import', few, (engine) => {
  it.each(['leave_a_daemon', 'leave_a_moving_target'])('is gone before the call (%s)', async (fn) => {
    const name = newName();
    const folder = folderWith({
      'multiplies.py': fixtureText('multiplies.py'),
      'early.py': `import multiplies\n\nmultiplies.${fn}("${name}")\n\ndef word():\n    return "right"\n`,
    });
    const word = { script: join(folder, 'early.py'), function: 'word' };
    for (let call = 0; call < 2; call++) {
      expect((await engine().call(word)).value).toBe('right');
      await until(() => threadsOf(name).length === 0);
    }
  });
});

describeStrict('a script in the sandbox that may run processes', { ...few, allowRun: true }, (engine) => {
  it('cannot have more of them than its limit, or the figures say so', async () => {
    const most = (await areEnforced(engine())) ? few.maxProcesses + spare : many + 1;
    expect(await countAtOnce(engine(), 'start_processes', many)).toBeLessThanOrEqual(most);
  });

  it.each(['leave_a_daemon', 'leave_a_moving_target'])('leaves no process behind (%s)', async (fn) => {
    const name = newName();
    const leave = { script: scriptOf('multiplies'), function: fn, args: { name } };
    for (let call = 0; call < 2; call++) {
      expect((await engine().call(leave)).value).toBe('left');
      await until(() => threadsOf(name).length === 0);
    }
  });
});
