import { readdir, utimes, writeFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { underLock } from '../src/lock.js';
import { createFolder } from './interpreter/scripts.js';

const noSuchPid = 2 ** 22 + 1;

describe('a lock', () => {
  it.each([
    ['that nobody holds', async () => {}],
    ['of a process that is gone', async (file: string) => writeFile(file, lockOf(noSuchPid))],
    ['that was not touched for long', async (file: string) => writeLongAgo(file, lockOf(1, 'elsewhere'))],
    ['that says nothing, and was not touched for long', async (file: string) => writeLongAgo(file, '')],
  ])('%s is held by one at a time', async (_, prepare) => {
    const folder = await createFolder();
    const file = join(folder, 'x.lock');
    await prepare(file);
    let [inside, most, turns] = [0, 0, 0];
    const work = async () => {
      most = Math.max(most, ++inside);
      for (let turn = 0; turn < 5; turn++) await new Promise(setImmediate);
      turns++;
      inside--;
    };
    await Promise.all(Array.from({ length: 8 }, () => underLock(file, work, { pollMs: 1 })));
    expect({ most, turns }).toEqual({ most: 1, turns: 8 });
    expect(await readdir(folder)).toEqual([]);
  });

  it('of a living process is not waited for beyond the patience of who asks', async () => {
    const file = join(await createFolder(), 'x.lock');
    await writeFile(file, lockOf(process.pid));
    const waiting = underLock(file, async () => 5, { patienceMs: 20, pollMs: 1 });
    await expect(waiting).rejects.toThrow(/another process holds/);
  });

  it('is taken away though a process died that was about to do so', async () => {
    const folder = await createFolder();
    const file = join(folder, 'x.lock');
    await writeFile(file, lockOf(noSuchPid));
    await writeLongAgo(`${file}.removing`, '');
    expect(await underLock(file, async () => 5)).toBe(5);
    expect(await readdir(folder)).toEqual([]);
  });

  it('is let go when the work fails', async () => {
    const file = join(await createFolder(), 'x.lock');
    await expect(underLock(file, () => Promise.reject(new Error('no')))).rejects.toThrow('no');
    expect(await underLock(file, async () => 5)).toBe(5);
  });

  it('of a process that died is taken away at once', async () => {
    const folder = await createFolder();
    const file = join(folder, 'x.lock');
    await writeFile(file, lockOf(noSuchPid));
    expect(await underLock(file, async () => 5)).toBe(5);
    expect(await readdir(folder)).toEqual([]);
  });

  it('of another machine is taken away when it has been silent for long', async () => {
    const file = join(await createFolder(), 'x.lock');
    await writeLongAgo(file, lockOf(1, 'elsewhere'));
    expect(await underLock(file, async () => 5)).toBe(5);
  });

  it('that is rubbish counts as held until it has been silent for long', async () => {
    const file = join(await createFolder(), 'x.lock');
    await writeFile(file, 'rubbish');
    const controller = new AbortController();
    const waiting = underLock(file, async () => 5, { signal: controller.signal, onWait: () => controller.abort() });
    await expect(waiting).rejects.toMatchObject({ name: 'AbortError' });
    await utimes(file, new Date(0), new Date(0));
    expect(await underLock(file, async () => 5)).toBe(5);
  });

  it('in a folder that is not there is an error, not an endless wait', async () => {
    const file = join(await createFolder(), 'missing/x.lock');
    await expect(underLock(file, async () => 5)).rejects.toMatchObject({ code: 'ENOENT' });
  });
});

function lockOf(pid: number, host = hostname()): string {
  return JSON.stringify({ pid, host, id: 'x' });
}

async function writeLongAgo(file: string, text: string): Promise<void> {
  await writeFile(file, text);
  await utimes(file, new Date(0), new Date(0));
}
