import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { build } from 'esbuild';
import { describe, expect, it } from 'vitest';
import { discover } from '../../src/manifest/discover.js';
import { type ExploreOptions, explore } from '../../src/manifest/explore.js';
import { createFolder } from '../interpreter/scripts.js';

const adds = 'def add(a: int, b: int = 2) -> int:\n    """Adds two numbers."""\n    return a + b\n';
/** With these no Python can be found, so whatever works does without. */
const withoutPython = { python: '/nowhere/python' };

describe('an exploration', () => {
  it('finds the functions of a script', async () => {
    const { folder, options } = await scene({ 'adds.py': adds });
    const script = join(folder, 'adds.py');
    const { manifest, problems, fromCache, notes } = await explore([script], options);
    expect(manifest.scripts).toMatchObject([{ path: script, files: [], importEffects: [] }]);
    expect(manifest.tools).toMatchObject([
      {
        name: 'add',
        description: 'Adds two numbers.',
        inputSchema: { type: 'object', required: ['a'], additionalProperties: false },
        run: { kind: 'function', script, function: 'add' },
        enabled: true,
        line: 1,
      },
    ]);
    expect({ problems, notes, fromCache }).toEqual({ problems: [], notes: [], fromCache: false });
  });

  it('says what is no tool, and why', async () => {
    const { folder, options } = await scene({ 'adds.py': `${adds}def _hidden(): ...\n` });
    const { leftOut } = await explore([folder], options);
    expect(leftOut).toMatchObject([
      { script: join(folder, 'adds.py'), name: '_hidden', line: 4, why: expect.any(String) },
    ]);
  });

  it('finds the tools of many scripts in two processes, in the order of the scripts', async () => {
    const names = Array.from({ length: 70 }, (_, index) => `s${String(index).padStart(2, '0')}`);
    const files = Object.fromEntries(names.map((name) => [`${name}.py`, `def ${name}(): ...\n`]));
    const { folder, options } = await scene(files);
    const { manifest } = await explore([folder], options);
    expect(manifest.tools.map(({ name }) => name)).toEqual(names);
  });

  it('keeps the names of several scripts apart and applies the selection to them', async () => {
    const { folder, options } = await scene({ 'a.py': adds, 'b.py': `${adds}def other(): ...\n` });
    const { manifest } = await explore([folder], { ...options, only: ['a_add', 'other'] });
    expect(manifest.tools.map(({ name, enabled }) => [name, enabled])).toEqual([
      ['a_add', true],
      ['b_add', false],
      ['other', true],
    ]);
  });

  it('reports a script with a syntax error and shows the others', async () => {
    const { folder, options } = await scene({ 'a.py': adds, 'broken.py': 'def add(:\n' });
    const { manifest, problems } = await explore([folder], options);
    expect(manifest.tools.map(({ name }) => name)).toEqual(['add']);
    expect(problems).toMatchObject([
      { path: join(folder, 'broken.py'), error: { code: 'SYNTAX_ERROR', details: { line: 1 } } },
    ]);
    await expect(discover(folder, options)).rejects.toMatchObject({ code: 'SYNTAX_ERROR' });
  });

  it('is refused when it was cancelled before', async () => {
    const { folder, options } = await scene({ 'a.py': adds });
    await expect(explore([folder], { ...options, signal: AbortSignal.abort() })).rejects.toMatchObject({
      code: 'CANCELLED',
    });
  });

  it('loads nothing heavy on the way to what the cache knows', async () => {
    const entryPoints = { explore: join(import.meta.dirname, '../../src/manifest/explore.ts') };
    const options = { bundle: true, splitting: true, write: false, metafile: true, outdir: 'out' } as const;
    const { metafile } = await build({ ...options, entryPoints, platform: 'node', format: 'esm' });
    const eager = new Set<string>();
    const follow = (output: string) => {
      for (const input of Object.keys(metafile.outputs[output]?.inputs ?? {})) eager.add(input);
      for (const { path, kind } of metafile.outputs[output]?.imports ?? []) {
        if (kind === 'import-statement' && path in metafile.outputs) follow(path);
        else if (kind === 'import-statement') eager.add(path);
      }
    };
    follow('out/explore.js');
    expect([...eager].filter((name) => /zod|child_process|process\.ts|interpreter/.test(name))).toEqual([]);
    expect(eager.size).toBeGreaterThan(5);
  });
});

describe('what was found once', () => {
  it('is known without Python', async () => {
    const { folder, options } = await scene({ 'adds.py': adds });
    const first = await explore([folder], options);
    const again = await explore([folder], { ...options, ...withoutPython });
    expect(again).toEqual({ ...first, fromCache: true });
  });

  it.each([
    ['the script changes', 'adds.py', `${adds}def more(): ...\n`],
    ['a file changes that its types are in', 'kinds.py', 'from enum import Enum\nclass Kind(Enum):\n    B = "b"\n'],
    ['requirements.txt appears', 'requirements.txt', 'requests\n'],
    ['a module appears that it imports', 'later.py', 'class Later: ...\n'],
  ])('is looked at again when %s', async (_, name, text) => {
    const { folder, options } = await scene({
      'adds.py': `from kinds import Kind\nfrom later import Later\n${adds}def kind(k: Kind, l: Later): ...\n`,
      'kinds.py': 'from enum import Enum\nclass Kind(Enum):\n    A = "a"\n',
    });
    const script = join(folder, 'adds.py');
    await explore([script], options);
    expect((await explore([script], options)).fromCache).toBe(true);
    await writeFile(join(folder, name), text);
    expect((await explore([script], options)).fromCache).toBe(false);
    expect((await explore([script], options)).fromCache).toBe(true);
  });

  it('is looked at again when a module that could not be parsed is mended', async () => {
    const { folder, options } = await scene({
      'adds.py': 'from kinds import Kind\ndef kind(k: Kind): ...\n',
      'kinds.py': 'class Kind(:\n',
    });
    await explore([join(folder, 'adds.py')], options);
    await writeFile(join(folder, 'kinds.py'), 'from enum import Enum\nclass Kind(Enum):\n    B = "b"\n');
    const { manifest } = await explore([join(folder, 'adds.py')], options);
    expect(JSON.stringify(manifest.tools[0]?.inputSchema)).toContain('"b"');
  });

  it('is known when another script beside it is new', async () => {
    const { folder, options } = await scene({ 'adds.py': adds });
    await explore([folder], options);
    await writeFile(join(folder, 'new.py'), 'def new(): ...\n');
    const { manifest, fromCache } = await explore([folder], options);
    expect(manifest.tools.map(({ name }) => name)).toEqual(['add', 'new']);
    expect(fromCache).toBe(false);
  });

  it('is not a syntax error: that is told every time', async () => {
    const { folder, options } = await scene({ 'broken.py': 'def add(:\n' });
    for (const _ of [1, 2]) expect((await explore([folder], options)).problems).toHaveLength(1);
  });

  it.each(['', 'rubbish', '{}'])('is found again where the cache is damaged: %j', async (text) => {
    const { folder, options } = await scene({ 'adds.py': adds });
    const first = await explore([folder], options);
    await changeCache(options, () => text);
    expect(await explore([folder], options)).toEqual(first);
  });

  it('is found again where one letter of the cache was changed', async () => {
    const { folder, options } = await scene({ 'adds.py': adds });
    await explore([folder], options);
    await changeCache(options, (text) => text.replace('Adds two', 'Adds 200'));
    const { manifest } = await explore([folder], options);
    expect(manifest.tools[0]?.description).toBe('Adds two numbers.');
  });

  it('is neither used nor kept without the cache', async () => {
    const { folder, options } = await scene({ 'adds.py': adds });
    await explore([folder], { ...options, useCache: false });
    await expect(readdir(join(options.cacheDir, 'manifests'))).rejects.toMatchObject({ code: 'ENOENT' });
    await explore([folder], options);
    expect((await explore([folder], { ...options, useCache: false })).fromCache).toBe(false);
  });

  it('is forgotten with the script', async () => {
    const { folder, options } = await scene({ 'adds.py': adds });
    await explore([join(folder, 'adds.py')], options);
    await rm(join(folder, 'adds.py'));
    await expect(explore([join(folder, 'adds.py')], options)).rejects.toMatchObject({ code: 'INVALID_SCRIPT' });
  });
});

async function scene(files: Readonly<Record<string, string>>) {
  const home = await createFolder();
  const folder = join(home, 'scripts');
  await mkdir(folder);
  for (const [name, text] of Object.entries(files)) await writeFile(join(folder, name), text);
  return { folder, options: { cacheDir: join(home, 'cache') } satisfies ExploreOptions };
}

async function changeCache(
  { cacheDir }: { readonly cacheDir: string },
  change: (text: string) => string,
): Promise<void> {
  const folder = join(cacheDir, 'manifests');
  for (const name of await readdir(folder)) {
    await writeFile(join(folder, name), change(await readFile(join(folder, name), 'utf8')));
  }
}
