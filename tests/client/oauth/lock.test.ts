import { spawnSync } from 'node:child_process';
import { readdir, utimes, writeFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { withLock } from '../../../src/client/oauth/lock.js';
import { createFolder } from '../../interpreter/scripts.js';

const patienceMs = 10_000;

describe('a lock', () => {
  it.each([
    ['that nobody holds', async () => {}],
    ['of a process that is gone', async (file: string) => writeFile(file, `${hostname()} ${deadPid()} token\n`)],
    ['that was not touched for long', async (file: string) => writeLongAgo(file, 'elsewhere 1 token\n')],
    ['that says nothing', async (file: string) => writeLongAgo(file, '')],
  ])('%s is held by one at a time', async (_, prepare) => {
    const folder = await createFolder();
    const file = join(folder, 'lock');
    await prepare(file);
    let [holders, most, turns] = [0, 0, 0];
    const work = async () => {
      holders += 1;
      most = Math.max(most, holders);
      for (let turn = 0; turn < 5; turn++) await nextTurn();
      turns += 1;
      holders -= 1;
    };
    await Promise.all(Array.from({ length: 8 }, () => withLock(file, patienceMs, work)));
    expect({ most, turns }).toEqual({ most: 1, turns: 8 });
    expect(await readdir(folder)).toEqual([]);
  });

  it('is given back when the work fails', async () => {
    const file = join(await createFolder(), 'lock');
    await expect(withLock(file, patienceMs, () => Promise.reject(new Error('no')))).rejects.toThrow('no');
    expect(await withLock(file, 0, async () => 'mine')).toBe('mine');
  });

  it('of a living process is waited for, and not for ever', async () => {
    const file = join(await createFolder(), 'lock');
    await writeFile(file, `${hostname()} ${process.pid} token\n`);
    await expect(withLock(file, 30, async () => {})).rejects.toThrow(/another process holds/);
  });
});

function deadPid(): number {
  return spawnSync(process.execPath, ['-e', '']).pid;
}

async function writeLongAgo(file: string, text: string): Promise<void> {
  await writeFile(file, text);
  const longAgo = new Date(Date.now() - 3_600_000);
  await utimes(file, longAgo, longAgo);
}
