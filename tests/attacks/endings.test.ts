import { describe, expect, it } from 'vitest';
import { createEngine } from '../../src/engine/engine.js';
import { failureOf, folderWith, launchers } from '../engine/harness.js';
import { newName, threadsOf } from './named.js';
import { fixtureText, strict } from './play.js';
import { describeStrict, scriptOf } from './strict.js';

describeStrict('a script in the sandbox', {}, (engine) => {
  it.each([
    ['TIMEOUT', { timeoutMs: 500 }],
    ['CPU_LIMIT', { cpuMs: 1000 }],
  ])('that hears no signal is ended all the same (%s)', async (code, limits) => {
    const name = newName();
    const hang = { script: scriptOf('hangs_deaf'), function: 'hang', args: { name } };
    expect((await failureOf(engine().call(hang, { limits }))).code).toBe(code);
    expect(threadsOf(name)).toEqual([]);
  });
});

describeStrict('a script in the sandbox', {}, (engine) => {
  const script = scriptOf('says_too_much');

  async function expectRightCall(): Promise<void> {
    expect((await engine().call({ script, function: 'word', args: { text: 'right' } })).value).toBe('right');
  }

  it.each(['lines', 'newlines', 'one_line', 'both_streams'])('that says too much is ended (%s)', async (way) => {
    const say = { script, function: 'say', args: { way } };
    expect((await failureOf(engine().call(say, { limits: { maxOutputBytes: 200_000 } }))).code).toBe('OUTPUT_LIMIT');
    await expectRightCall();
  });

  it.each([
    ['result', 2, ['RESULT_LIMIT']],
    ['deep_result', 100_000, ['BAD_RESULT', 'RESULT_LIMIT', 'EXCEPTION', 'PROCESS_FAILED']],
  ] as const)('that returns too much is refused (%s)', async (fn, size, codes) => {
    const give = { script, function: fn, args: { size } };
    expect(codes).toContain((await failureOf(engine().call(give, { limits: { maxResultBytes: 100_000 } }))).code);
    await expectRightCall();
  });
});

describe.each(launchers)('a script in the sandbox that hears no signal at import (%s)', (launcher) => {
  it('is ended by the time limit of imports', async () => {
    const name = newName();
    const engine = createEngine({ ...strict, launcher: launcher === 'fork' ? 'auto' : 'warm', importTimeoutMs: 1000 });
    const folder = folderWith({
      'hangs_deaf.py': fixtureText('hangs_deaf.py'),
      'deaf.py': `from hangs_deaf import hang\nhang(${JSON.stringify(name)})\n`,
    });
    const error = await failureOf(engine.call({ script: `${folder}/deaf.py`, function: 'hang' }));
    expect(error.code).toBe('IMPORT_TIMEOUT');
    await engine.close();
    expect(threadsOf(name)).toEqual([]);
  });
});
