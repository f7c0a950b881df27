import { createHash } from 'node:crypto';
import { mkdir, mkdtemp, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { type Watch, type WatchOptions, watchFiles } from '../../src/manifest/watch.js';

const watches: Watch[] = [];
const folders: string[] = [];

afterEach(async () => {
  for (const watch of watches.splice(0)) watch.close();
  for (const folder of folders.splice(0)) await rm(folder, { recursive: true, force: true });
});

async function createFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'watch-'));
  folders.push(folder);
  return folder;
}

/** Counts changes; `change` resolves with the next one. */
async function watching(paths: readonly string[], options: WatchOptions = {}) {
  let changes = 0;
  const watch = watchFiles(paths, () => changes++, { debounceMs: 20, pollMs: 50, ...options });
  watches.push(watch);
  await watch.ready;
  const change = async (number = 1) => {
    await expect.poll(() => changes, { interval: 10, timeout: 10_000 }).toBe(number);
  };
  return { change, count: () => changes };
}

describe('watching', () => {
  it('sees a file that is written in place, and one that is renamed over it', async () => {
    const folder = await createFolder();
    const script = join(folder, 'a.py');
    await writeFile(script, 'one');
    const { change } = await watching([script]);
    await writeFile(script, 'two');
    await change(1);
    await writeFile(join(folder, 'a.py~'), 'three');
    await rename(join(folder, 'a.py~'), script);
    await change(2);
  });

  it('does not see content that is the same, nor files that were not named', async () => {
    const folder = await createFolder();
    const script = join(folder, 'a.py');
    await writeFile(script, 'one');
    const { change, count } = await watching([script]);
    await writeFile(script, 'one');
    await writeFile(join(folder, 'other.txt'), 'x');
    await writeFile(join(folder, 'b.py'), 'x');
    await writeFile(script, 'two');
    await change(1);
    expect(count()).toBe(1);
  });

  it('sees new, changed and removed scripts of a folder, and of folders made below it', async () => {
    const folder = await createFolder();
    const { change } = await watching([folder]);
    await writeFile(join(folder, 'a.py'), 'one');
    await change(1);
    await writeFile(join(folder, 'a.py'), 'two');
    await change(2);
    await mkdir(join(folder, 'below'));
    await writeFile(join(folder, 'below', 'b.py'), 'one');
    await change(3);
    await writeFile(join(folder, 'below', 'b.py'), 'two');
    await change(4);
    await rm(join(folder, 'a.py'));
    await change(5);
  });

  it('sees a file that appears where none was', async () => {
    const folder = await createFolder();
    const file = join(folder, 'requirements.txt');
    const { change } = await watching([file]);
    await writeFile(file, 'rich');
    await change(1);
  });

  it('sees what changed before it began, where it is told what was known', async () => {
    const folder = await createFolder();
    const script = join(folder, 'a.py');
    await writeFile(script, 'new');
    const hash = (text: string) => createHash('sha256').update(text).digest('hex');
    const { change } = await watching([script], { known: new Map([[script, hash('old')]]) });
    await change(1);
    const same = await watching([script], { known: new Map([[script, hash('new')]]) });
    expect(same.count()).toBe(0);
  });

  it('goes on when the folder is taken away and comes back', async () => {
    const folder = await createFolder();
    const inner = join(folder, 'inner');
    const script = join(inner, 'a.py');
    await mkdir(inner);
    await writeFile(script, 'one');
    const { change } = await watching([script]);
    await rm(inner, { recursive: true });
    await change(1);
    await mkdir(inner);
    await writeFile(script, 'two');
    await change(2);
    await writeFile(script, 'three');
    await change(3);
  });

  it('is silent once closed', async () => {
    const folder = await createFolder();
    const script = join(folder, 'a.py');
    await writeFile(script, 'one');
    const closed = await watching([script]);
    const open = await watching([script]);
    watches[0]?.close();
    await writeFile(script, 'two');
    await open.change(1);
    expect(closed.count()).toBe(0);
  });
});
