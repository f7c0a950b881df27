import { writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, it } from 'vitest';
import type { Engine } from '../../src/engine/work.js';
import type { JsonValue } from '../../src/toolbox.js';
import { outcomeOf } from '../engine/processes.js';
import { fixtureText } from './play.js';
import { describeStrict, scriptOf } from './strict.js';

const figures = { cpuMs: 0, peakBytes: 0, addedBytes: 0 };
const everything = { files: 'none', network: 'none', processes: 'none', memory: 'none', cpu: 'none', disk: 'none' };
/** Each could be believed by one who reads it. */
const forgeries: readonly { readonly kinds: string; readonly payloads: readonly JsonValue[] }[] = [
  { kinds: 'V', payloads: [{ value: 'forged', ...figures }] },
  { kinds: 'E', payloads: [{ error: { code: 'CLOSED', message: 'forged' }, ...figures }] },
  { kinds: 'R', payloads: [{}, { reason: 'forged', files: ['/etc/passwd'], bytes: 1 }] },
  { kinds: 'D', payloads: Array.from({ length: 40 }, (_, key) => ({ key, exitCode: 0, signal: null, ...figures })) },
  { kinds: 'K', payloads: Array.from({ length: 40 }, (_, key) => ({ key })) },
  { kinds: 'L', payloads: Array.from({ length: 40 }, (_, lane) => ({ lane, fds: [0, 1, 2, 3] })) },
  { kinds: 'S', payloads: [{ enforced: everything, missing: [] }, { failed: 'forged' }] },
  {
    kinds: 'A',
    payloads: [
      { name: '../../../tmp/forged', mimeType: 'text/plain', data: 'eA==' },
      { name: '\0', data: 5 },
    ],
  },
  { kinds: 'ZBFXQI', payloads: [{ key: 1, lane: 1, zygote: 1, token: '00' }] },
  { kinds: 'PYLW?', payloads: [null, 5, {}, { value: 1 }, { done: 1 }] },
];
const limits = { timeoutMs: 5000 };
/** How a call may end that spoke out of turn: as it said, as it would have, or as broken. */
const own = ['forged', 'right', 'EXCEPTION', 'PROCESS_FAILED', 'TIMEOUT', 'SPAWN_FAILED', 'SANDBOX_UNAVAILABLE'];

async function expectRightCalls(engine: Engine, script: string, texts = ['a', 'b']): Promise<void> {
  const results = await Promise.all(texts.map((text) => engine.call({ script, function: 'word', args: { text } })));
  expect(results.map(({ value, stdout }) => [value, stdout])).toEqual(texts.map((text) => [text, `${text}\n`]));
  expect(results.map(({ figures: { enforced } }) => enforced.files)).toEqual(texts.map(() => 'enforced'));
}

describeStrict('a script that forges frames', { maxScripts: 3, logLevel: 'silent' }, (engine, { launcher }) => {
  const texts = launcher === 'fork' ? ['a', 'b'] : ['a'];
  const [honest, script] = [scriptOf('forges_frames'), scriptOf('forges_frames')];
  for (const { kinds, payloads } of forgeries) {
    it(`of the kind ${kinds} on every descriptor, when called, forges only its own result`, async () => {
      const forging = engine().call(
        { script, function: 'forge', args: { kinds, payloads: [...payloads] } },
        { limits },
      );
      const meanwhile = expectRightCalls(engine(), honest, texts);
      const outcome = await outcomeOf(forging);
      expect(Array.isArray(outcome) || own.includes(String(outcome)), String(outcome)).toBe(true);
      await meanwhile;
      await expectRightCalls(engine(), script, texts);
    });

    it(`of the kind ${kinds} on every descriptor, when imported, spoils only itself`, async () => {
      const script = scriptOf('forges_frames_at_import');
      writeFileSync(join(dirname(script), 'frames.json'), JSON.stringify({ kinds, payloads }));
      writeFileSync(join(dirname(script), 'forges_frames.py'), fixtureText('forges_frames.py'));
      const forging = engine().call({ script, function: 'word', args: { text: 'right' } }, { limits });
      const meanwhile = expectRightCalls(engine(), honest, texts);
      expect(own).toContain(await outcomeOf(forging));
      await meanwhile;
      await expectRightCalls(engine(), honest, texts);
    });
  }
});

describeStrict('a script that has taken over the process that imported it', { logLevel: 'silent' }, (engine, kind) => {
  const honest = scriptOf('forges_frames');
  it.each(['sleep', 'flood', 'announce', 'close'])('holds up no other script (%s)', async (way) => {
    const script = scriptOf('takes_its_zygote_over');
    writeFileSync(join(dirname(script), 'way.json'), JSON.stringify(way));
    const over = new AbortController();
    const options = { limits: { timeoutMs: 20_000 }, signal: over.signal };
    const args = { text: 'right' };
    const hostile = Array.from({ length: 6 }, () =>
      outcomeOf(engine().call({ script, function: 'word', args }, options)),
    );
    for (let round = 0; round < 3; round++) await expectRightCalls(engine(), honest);
    over.abort();
    const outcomes = await Promise.all(hostile);
    const possible = ['CANCELLED', 'SPAWN_FAILED', 'WIRE_BROKEN', 'PROCESS_FAILED'];
    expect(
      outcomes.filter(
        (outcome) => ![...possible, ...(kind.launcher === 'warm' ? ['right'] : [])].includes(String(outcome)),
      ),
    ).toEqual([]);
    await expectRightCalls(engine(), honest);
  });
});
