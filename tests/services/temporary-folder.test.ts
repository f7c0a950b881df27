import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import { createLog } from '../../src/log.js';
import { makeTemporaryFolder, removeAbandonedFolders } from '../../src/services/temporary-folder.js';
import { folderWith } from '../engine/harness.js';

const silentLog = createLog({ level: 'silent' });

describe('temporary folders of suites', () => {
  it('are removed by the next run where their process was killed, and nothing else is', async () => {
    const place = folderWith({ 'kept.txt': 'kept' });
    vi.stubEnv('TMPDIR', place);
    const own = await makeTemporaryFolder();
    expect(dirname(own)).toBe(place);
    const { pid: gone } = spawnSync(process.execPath, ['-e', '']);
    const nameOf = (pid: number) => basename(own).replace(`-${process.pid}-`, `-${pid}-`);
    const [abandoned, ofSomebody, ofOtherPlace, older, link] = [
      nameOf(gone),
      nameOf(1),
      nameOf(gone).replace(/[0-9a-f]{8}/, '00000000'),
      'mcp-exec-test-a1B2c3',
      `${nameOf(gone)}x`,
    ];
    for (const name of [abandoned, ofSomebody, ofOtherPlace, older]) {
      mkdirSync(join(place, name, 'deep'), { recursive: true });
      writeFileSync(join(place, name, 'deep', 'file.txt'), 'x');
    }
    symlinkSync(place, join(place, link));
    await removeAbandonedFolders(silentLog);
    const left = readdirSync(place);
    expect(left).not.toContain(abandoned);
    expect(left).toEqual(expect.arrayContaining([basename(own), ofSomebody, ofOtherPlace, older, link]));
    expect(existsSync(join(place, 'kept.txt'))).toBe(true);
  });

  it('need no folder of temporary files to be looked for', async () => {
    vi.stubEnv('TMPDIR', join(folderWith({}), 'nowhere'));
    await expect(removeAbandonedFolders(silentLog)).resolves.toBeUndefined();
  });
});
