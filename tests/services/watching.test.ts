import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createLog } from '../../src/log.js';
import { hashOf } from '../../src/manifest/cache.js';
import type { Exploration } from '../../src/manifest/explore.js';
import type { Manifest } from '../../src/manifest/manifest.js';
import { watchFiles } from '../../src/manifest/watch.js';
import { watchTargets } from '../../src/services/watching.js';
import type { Tool } from '../../src/toolbox.js';
import { until } from '../engine/processes.js';
import { createFolder } from '../interpreter/scripts.js';

describe('edits that follow each other', () => {
  it('are looked at one after the other, so that the last has the last word', async () => {
    const watched = await watchScript();
    const first = watched.answerNext();
    await watched.edit('second');
    await first.asked;
    await watched.edit('third', { untilSeen: true });
    first.answer('from the second edit');
    await until(() => watched.served.includes('from look 2'));
    expect(watched.served.at(-1)).toBe('from look 2');
    expect(watched.looksAtOnce).toBe(1);
  });

  it('do not wait until the scripts are warm', async () => {
    const watched = await watchScript({ warm: () => new Promise<never>(() => {}) });
    await watched.edit('second');
    await until(() => watched.served.includes('from look 1'));
    await watched.edit('third');
    await until(() => watched.served.includes('from look 2'));
  });
});

async function watchScript({ warm = async () => {} }: { warm?: () => Promise<void> } = {}) {
  const folder = await createFolder();
  const script = join(folder, 'script.py');
  await writeFile(script, 'first');
  const described: string[] = [];
  const held: { asked: () => void; answer: Promise<string> }[] = [];
  let looks = 0;
  let looking = 0;
  let most = 0;
  const { close } = watchTargets({
    targets: [script],
    manifest: manifestOf(script, 'at first'),
    findTools,
    toolbox: { listTools, warm, replace: ({ tools }) => void described.push(tools[0]?.description ?? '') },
    server: { toolsChanged() {} },
    log: createLog({ level: 'silent' }),
  });
  onTestFinished(close);
  return {
    served: described,
    get looksAtOnce() {
      return most;
    },
    async edit(text: string, { untilSeen = false } = {}) {
      // A second watch that is slower to tell: when it does, the first has told.
      const seen = untilSeen ? seenBySlowWatch(script) : undefined;
      await seen?.ready;
      await writeFile(script, text);
      await seen?.told;
    },
    /** Holds the next look back until it is answered. */
    answerNext() {
      let answer = (_description: string): void => {};
      let ask = (): void => {};
      const asked = new Promise<void>((resolve) => {
        ask = resolve;
      });
      const promise = new Promise<string>((resolve) => {
        answer = resolve;
      });
      held.push({ asked: ask, answer: promise });
      return { asked, answer };
    },
  };

  async function findTools(): Promise<Exploration> {
    looks++;
    looking++;
    most = Math.max(most, looking);
    const look = looks;
    const holding = held.shift();
    holding?.asked();
    const description = (await holding?.answer) ?? `from look ${look}`;
    looking--;
    return { manifest: manifestOf(script, description), problems: [], leftOut: [], notes: [], fromCache: false };
  }

  async function listTools(): Promise<Tool[]> {
    return [{ name: 'tool', description: described.at(-1), inputSchema: {} }];
  }
}

function seenBySlowWatch(script: string) {
  let tell = (): void => {};
  const told = new Promise<void>((resolve) => {
    tell = resolve;
  });
  const { ready, close } = watchFiles([script], tell, { debounceMs: 400 });
  onTestFinished(close);
  return { ready, told };
}

function manifestOf(script: string, description: string): Manifest {
  const run = { kind: 'function' as const, script, function: 'tool' };
  return {
    manifestVersion: 1,
    scripts: [{ path: script, sha256: hashOf('first'), files: [], importEffects: [] }],
    tools: [{ name: 'tool', description, inputSchema: {}, enabled: true, why: '', run }],
  };
}
