import { describe, expect, it } from 'vitest';
import { parseSettings } from '../../src/config.js';
import { environmentOf } from '../../src/engine/environment.js';
import { createFrameReader, encodeFrame } from '../../src/engine/frames.js';
import type { Lane } from '../../src/engine/launch/lane.js';
import type { Specification } from '../../src/engine/launch/launcher.js';
import { createTemplate } from '../../src/engine/launch/template.js';
import { sandboxOf } from '../../src/engine/sandbox.js';
import { createLog } from '../../src/log.js';
import { findPython } from '../../src/python/interpreter.js';
import { processesLeft } from '../engine/harness.js';
import { kinds, scriptOf } from './strict.js';

const forking = kinds.filter(({ launcher }) => launcher === 'fork');

describe.each(forking)('a script that takes back what its process said of its sandbox ($name)', ({ settings }) => {
  it('is not imported before the host has heard that, and lets it go on', async () => {
    const { kinds, output } = await importing(settings, () => undefined);
    expect({ kinds, output }).toEqual({ kinds: ['S'], output: '' });
  });

  it('finds nothing to take back once it is imported', async () => {
    const { kinds, output } = await importing(settings, (kind) => (kind === 'S' ? 'G' : undefined));
    expect({ kinds, output }).toEqual({ kinds: ['S', 'R'], output: 'took 0 bytes back\n' });
  });
});

/** What a process says that imports the script, by a host that answers as it is told, and else asks it to end. */
async function importing(
  input: (typeof kinds)[number]['settings'],
  answer: (kind: string) => string | undefined,
): Promise<{ kinds: readonly string[]; output: string }> {
  const settings = parseSettings(input);
  const log = createLog({ level: 'silent', write: () => {} });
  const template = createTemplate(await findPython(), environmentOf('strict', settings.allowEnv), log, true);
  const [key, lane, script] = [template.nextKey(), template.nextKey(), scriptOf('takes_its_first_word_back')];
  const spec: Specification = {
    script,
    limits: settings,
    importTimeoutMs: settings.importTimeoutMs,
    sandbox: sandboxOf(settings, script, undefined),
  };
  const said: string[] = [];
  let output = '';
  const listen = (pipes: Lane) => {
    const onFrame = (kind: string) => {
      said.push(kind);
      pipes.send(encodeFrame(answer(kind) ?? 'X', {}));
    };
    const reader = createFrameReader({ maxBytes: 65_536, onError: () => {}, onFrame });
    pipes.listen({
      onAnswer: reader.push,
      onOutput(_stream, chunk) {
        output += chunk.toString('utf8');
      },
    });
  };
  try {
    await new Promise<void>((resolve, reject) => {
      const onDeath = () => void template.discardLane(lane).then(resolve);
      template.startZygote({
        key,
        lane,
        spec,
        onHere: listen,
        onFailed: (reason) => reject(new Error(reason)),
        onDeath,
      });
    });
  } finally {
    await template.close();
  }
  expect(processesLeft()).toEqual([]);
  return { kinds: said, output };
}
