import { existsSync } from 'node:fs';
import { readdir, utimes, writeFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { underLock } from '../src/lock.js';
import { createFolder } from './interpreter/scripts.js';

const noSuchPid = 2 ** 22 + 1;

describe('a lock', () => {
  it('lets one at a time do its work', async () => {
    const file = join(await createFolder(), 'x.lock');
    let [inside, most] = [0, 0];
    const work = async () => {
      most = Math.max(most, ++inside);
      await new Promise(setImmediate);
      inside--;
    };
    await Promise.all(Array.from({ length: 6 }, () => underLock(file, work, { pollMs: 1 })));
    expect(most).toBe(1);
    expect(existsSync(file)).toBe(false);
  });

  it('is let go when the work fails', async () => {
    const file = join(await createFolder(), 'x.lock');
    await expect(underLock(file, () => Promise.reject(new Error('no')))).rejects.toThrow('no');
    expect(await underLock(file, async () => 5)).toBe(5);
  });

  it('of a process that died is taken away at once', async () => {
    const folder = await createFolder();
    const file = join(folder, 'x.lock');
    await writeFile(file, JSON.stringify({ pid: noSuchPid, host: hostname(), id: 'x' }));
    expect(await underLock(file, async () => 5)).toBe(5);
    expect(await readdir(folder)).toEqual([]);
  });

  it('of another machine is taken away when it has been silent for long', async () => {
    const file = join(await createFolder(), 'x.lock');
    await writeFile(file, JSON.stringify({ pid: 1, host: 'elsewhere', id: 'x' }));
    await utimes(file, new Date(0), new Date(0));
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
