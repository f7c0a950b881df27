import { execFileSync } from 'node:child_process';
import { closeSync, openSync, readdirSync } from 'node:fs';
import { expect, it } from 'vitest';
import type { Engine } from '../../src/engine/work.js';
import { askInterpreter } from '../../src/python/ask.js';
import { findPython } from '../../src/python/interpreter.js';
import { describeLaunchers, failureOf, fixture } from './harness.js';

const limit = `
import resource, sys

pid, wanted = map(int, sys.argv[1:])
hard = resource.prlimit(pid, resource.RLIMIT_NOFILE)[1]
resource.prlimit(pid, resource.RLIMIT_NOFILE, (wanted if hard < 0 else min(wanted, hard), hard))
`;
const enough = 4096;

/** What the work comes to while this process can open no more files. */
async function withoutDescriptors<T>(work: () => Promise<T>): Promise<T> {
  const { executable } = await findPython();
  const allow = (count: number) => execFileSync(executable, ['-c', limit, String(process.pid), String(count)]);
  allow(readdirSync('/proc/self/fd').length + 100);
  const held = openAll();
  try {
    return await work();
  } finally {
    for (const descriptor of held) closeSync(descriptor);
    allow(enough);
  }
}

function openAll(): number[] {
  const held: number[] = [];
  try {
    for (;;) held.push(openSync('/dev/null', 'r'));
  } catch {
    return held;
  }
}

const say = (engine: Engine, word: string) =>
  engine.call({ script: fixture('says_a_word.py'), function: 'say', args: { word } });

describeLaunchers('a host without free descriptors', (makeEngine) => {
  it('is told so, and serves when it has some again', async () => {
    const engine = makeEngine({ idleChildren: 1, logLevel: 'silent' });
    const other = makeEngine({ idleChildren: 1, logLevel: 'silent' });
    await say(other, 'the interpreter is known');
    const failed = await withoutDescriptors(() =>
      Promise.all([failureOf(say(engine, 'a')), failureOf(say(engine, 'b'))]),
    );
    expect(failed.map(({ code }) => ['SPAWN_FAILED', 'PYTHON_NOT_FOUND'].includes(code))).toEqual([true, true]);
    expect((await say(engine, 'again')).value).toBe('again');
  });
});

it('an interpreter that cannot be started for want of descriptors is told as such', async () => {
  const answer = await withoutDescriptors(() => askInterpreter({ path: process.execPath, args: [] }, process.env));
  expect(answer).toMatchObject({ answered: false, problem: expect.stringContaining('EMFILE') });
});
