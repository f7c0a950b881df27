import { readdir, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { hashOf, pruneFound, recallFound, rememberFound } from '../../src/manifest/cache.js';
import type { FoundScript } from '../../src/manifest/found.js';
import { createFolder } from '../interpreter/scripts.js';

describe('what is remembered of scripts', () => {
  it('is recalled as it was', async () => {
    const { folder, found } = await scene('def f(): ...\n');
    await rememberFound(folder, found);
    expect(recallFound(folder, found.script.path)).toEqual(found);
  });

  it('is another thing for the same text at another place', async () => {
    const { folder, found } = await scene('def f(): ...\n');
    await rememberFound(folder, found);
    const other = join(await createFolder(), 'a.py');
    await writeFile(other, 'def f(): ...\n');
    expect(recallFound(folder, other)).toBeUndefined();
  });

  it('is not what was found in a text that has changed since', async () => {
    const { folder, found } = await scene('def f(): ...\n');
    await writeFile(found.script.path, 'def g(): ...\n');
    await rememberFound(folder, found);
    expect(recallFound(folder, found.script.path)).toBeUndefined();
  });

  it('goes, the oldest first, where there is too much of it', async () => {
    const folder = await createFolder();
    const names = Array.from({ length: 20 }, (_, index) => `e${String(index).padStart(2, '0')}`);
    for (const [age, name] of names.entries()) {
      await writeFile(join(folder, name), '');
      await utimes(join(folder, name), age, age);
    }
    await pruneFound(folder, 20);
    expect(await readdir(folder)).toHaveLength(20);
    await pruneFound(folder, 10);
    expect((await readdir(folder)).sort()).toEqual(names.slice(11));
  });

  it('may have no place to be kept', async () => {
    const { found } = await scene('def f(): ...\n');
    await rememberFound('/proc/nowhere', found);
    await pruneFound('/proc/nowhere');
    expect(recallFound('/proc/nowhere', found.script.path)).toBeUndefined();
  });
});

async function scene(text: string) {
  const folder = await createFolder();
  const path = join(folder, 'a.py');
  await writeFile(path, text);
  const script = { path, sha256: hashOf(text), files: [], importEffects: [] };
  const found: FoundScript = { script, tools: [], leftOut: [] };
  return { folder: join(folder, 'cache'), found };
}
