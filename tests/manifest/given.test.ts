import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { explore } from '../../src/manifest/explore.js';
import type { Manifest } from '../../src/manifest/manifest.js';
import { writeManifest } from '../../src/manifest/read-write.js';
import { createFolder } from '../interpreter/scripts.js';

const adds = 'def add(a: int): ...\n\ndef take(a: int): ...\n';
const withoutPython = { python: '/nowhere/python', useCache: false };

describe('a manifest that is given instead of a script', () => {
  it('is taken at its word, without Python, while its scripts are as they were', async () => {
    const { file } = await scene((manifest) => ({
      ...manifest,
      tools: manifest.tools.map((tool) => ({ ...tool, description: 'Edited.', enabled: tool.name === 'add' })),
    }));
    const { manifest, fromCache, notes } = await explore([file], withoutPython);
    expect(manifest.tools.map(({ description, enabled }) => [description, enabled])).toEqual([
      ['Edited.', true],
      ['Edited.', false],
    ]);
    expect({ fromCache, notes }).toEqual({ fromCache: true, notes: [] });
  });

  it('is discovered again where a script changed, keeps names and what is enabled, and says so', async () => {
    const { file, folder, options } = await scene((manifest) => ({
      ...manifest,
      tools: manifest.tools.map((tool) =>
        tool.name === 'take' ? { ...tool, name: 'subtract', enabled: false } : tool,
      ),
    }));
    await writeFile(join(folder, 'adds.py'), `${adds}\ndef more(): ...\n`.replace('add(a: int)', 'add(a: str)'));
    const { manifest, notes } = await explore([file], options);
    expect(manifest.tools.map(({ name, enabled }) => [name, enabled])).toEqual([
      ['add', true],
      ['subtract', false],
      ['more', true],
    ]);
    expect(manifest.tools[0]?.inputSchema).toMatchObject({ properties: { a: { type: 'string' } } });
    expect(manifest.tools[1]?.why).toMatch(/^The manifest says that it is not enabled\. Discovery says: /);
    expect(notes).toEqual([expect.stringContaining(`${join(folder, 'adds.py')} changed after`)]);
  });

  it('may stand beside scripts, and wins over the same script', async () => {
    const { file, folder, options } = await scene((manifest) => ({
      ...manifest,
      tools: manifest.tools.map((tool) => ({ ...tool, enabled: false })),
    }));
    await writeFile(join(folder, 'other.py'), 'def other(): ...\n');
    const { manifest } = await explore([folder, file], options);
    expect(manifest.scripts).toHaveLength(2);
    expect(manifest.tools.map(({ name, enabled }) => [name, enabled])).toEqual([
      ['other', true],
      ['add', false],
      ['take', false],
    ]);
  });

  it('reports a script that cannot be parsed any more', async () => {
    const { file, folder, options } = await scene();
    await writeFile(join(folder, 'adds.py'), 'def add(:\n');
    const { manifest, problems } = await explore([file], options);
    expect(manifest.tools).toEqual([]);
    expect(problems).toMatchObject([{ error: { code: 'SYNTAX_ERROR' } }]);
  });

  it('is an error where a script is a folder by now', async () => {
    const { file, folder, options } = await scene();
    await rm(join(folder, 'adds.py'));
    await mkdir(join(folder, 'adds.py'));
    await expect(explore([file], options)).rejects.toMatchObject({
      code: 'INVALID_SCRIPT',
      message: expect.stringMatching(/names the script .*adds\.py, which is no file$/),
    });
  });

  it('is an error where a script is missing', async () => {
    const { file, folder, options } = await scene();
    await rm(join(folder, 'adds.py'));
    await writeFile(join(folder, 'add.py'), adds);
    await expect(explore([file], options)).rejects.toMatchObject({
      code: 'INVALID_SCRIPT',
      message: expect.stringMatching(
        /^The manifest .*tools\.json names the script .*adds\.py, which is missing; did you mean .*add\.py\?$/,
      ),
    });
  });
});

async function scene(edit: (manifest: Manifest) => Manifest = (manifest) => manifest) {
  const home = await createFolder();
  const folder = join(home, 'scripts');
  await mkdir(folder);
  await writeFile(join(folder, 'adds.py'), adds);
  const options = { cacheDir: join(home, 'cache') };
  const { manifest } = await explore([folder], options);
  const file = join(home, 'tools.json');
  await writeManifest(edit(manifest), file);
  return { file, folder, options };
}
