import { rename, rm, symlink, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { watchContents } from '../../../src/gateway/config/watch.js';
import { createFolder } from '../../interpreter/scripts.js';

describe('a watched file', () => {
  it('is told of when it has another content, written in place, renamed over or swapped behind a link', async () => {
    const folder = await createFolder();
    const [real, file] = [join(folder, 'real.json'), join(folder, 'link.json')];
    await writeFile(real, '1');
    await symlink(real, file);
    const { changes } = await watch([file]);
    await writeFile(real, '2');
    await changes(1);
    await writeFile(join(folder, 'new'), '3');
    await rename(join(folder, 'new'), real);
    await changes(2);
    await writeFile(join(folder, 'other.json'), '4');
    await symlink(join(folder, 'other.json'), join(folder, 'draft'));
    await rename(join(folder, 'draft'), file);
    await changes(3);
  });

  it('is told of when it comes and when it goes', async () => {
    const file = join(await createFolder(), 'keys.json');
    const { changes } = await watch([file]);
    await writeFile(file, '1');
    await changes(1);
    await rm(file);
    await changes(2);
  });

  it('is not told of when it was only touched', async () => {
    const file = join(await createFolder(), 'config.json');
    await writeFile(file, '1');
    const { watched, count } = await watch([file]);
    await utimes(file, 1, 1);
    await watched.look();
    expect(count()).toBe(0);
  });

  it('is told of once for all that changed while it was being told', async () => {
    const file = join(await createFolder(), 'config.json');
    await writeFile(file, '1');
    let [running, most] = [0, 0];
    const watched = await watchContents([file], async () => {
      most = Math.max(most, ++running);
      await writeFile(file, '3');
      running--;
    });
    onTestFinished(() => watched.close());
    await writeFile(file, '2');
    await Promise.all([watched.look(), watched.look()]);
    await watched.look();
    expect(most).toBe(1);
  });

  it('is not looked at any more after close', async () => {
    const file = join(await createFolder(), 'config.json');
    await writeFile(file, '1');
    const { watched, count } = await watch([file]);
    watched.close();
    await writeFile(file, '2');
    await watched.look();
    expect(count()).toBe(0);
  });
});

async function watch(files: readonly string[]) {
  let told = 0;
  const watched = await watchContents(files, () => void told++, { intervalMs: 20 });
  onTestFinished(() => watched.close());
  return {
    watched,
    count: () => told,
    changes: (count: number) => expect.poll(() => told, { interval: 10, timeout: 10_000 }).toBe(count),
  };
}
