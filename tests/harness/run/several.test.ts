import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { CallerError } from '../../../src/errors.js';
import { runSuites } from '../../../src/harness/run/run.js';
import { suiteOf } from '../../../src/harness/suite/read.js';
import { folderWith } from '../../engine/harness.js';
import { fails, fakeOpen, fakeTool } from '../fakes.js';
import { partsOf } from './harness.js';

const document = { version: 1, server: { command: 'fake' }, cases: [{ name: 'works', tool: 'work' }] };

describe('Several suites', () => {
  it('are none of them run where the server of one cannot be known, so that no report is lost', async () => {
    const open = fakeOpen({ tools: [fakeTool('work')] });
    const [first, second] = await suites(folderWith({}));
    const parts = partsOf({ open, folder: folderWith({}) });
    const running = runSuites(
      [first, second],
      {},
      {
        version: '0.0.0',
        withParts: async (suite, use) => {
          if (suite === second) throw new CallerError('UNKNOWN_SERVER', 'the config names no such server');
          return use(parts);
        },
      },
    );
    await expect(running).rejects.toThrow('no such server');
    expect(open.servers).toEqual([]);
  });

  it('are all reported where a failure ends the run: those after it start no server, and are skipped', async () => {
    const open = fakeOpen({ tools: [fakeTool('work')], call: () => fails('no') });
    const parts = partsOf({ open, folder: folderWith({}) });
    const options = { bail: 1 };
    const report = await runSuites(await suites(folderWith({})), options, {
      version: '0.0.0',
      withParts: async (_suite, use) => use(parts),
    });
    expect(report).toMatchObject({ outcome: 'failed', totals: { cases: 2, failed: 1, skipped: 1 } });
    expect(report.suites[1]?.cases).toMatchObject([
      { id: 'works', status: 'skipped', reason: 'the run was ended after failures (--bail)' },
    ]);
    expect(open.servers).toHaveLength(1);
  });

  it('are none of them run where the snapshots of one cannot be read', async () => {
    const open = fakeOpen({ tools: [fakeTool('work')] });
    const [first, second] = await suites(folderWithSnapshots());
    const parts = partsOf({ open, folder: folderWith({}) });
    const running = runSuites([first, second], {}, { version: '0.0.0', withParts: async (_suite, use) => use(parts) });
    await expect(running).rejects.toThrow('second.snap.json');
    expect(open.servers).toEqual([]);
  });
});

function folderWithSnapshots(): string {
  const folder = folderWith({});
  mkdirSync(join(folder, '__snapshots__'));
  writeFileSync(join(folder, '__snapshots__', 'second.snap.json'), 'no JSON');
  return folder;
}

async function suites(folder: string) {
  return [
    await suiteOf(document, { environment: {}, folder: folderWith({}), name: 'first' }),
    await suiteOf(document, { environment: {}, folder, name: 'second' }),
  ] as const;
}
