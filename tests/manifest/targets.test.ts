import { mkdirSync, truncateSync, writeFileSync } from 'node:fs';
import { symlink } from 'node:fs/promises';
import { dirname, join, relative } from 'node:path';
import { describe, expect, it } from 'vitest';
import { findTargets } from '../../src/manifest/targets.js';
import { createFolder } from '../interpreter/scripts.js';

describe('targets', () => {
  it('are files as they are given, whatever they are called', async () => {
    const folder = await folderWith('b.py', 'a.py', 'tool', 'test_it.py');
    expect(found(folder, 'b.py', 'a.py', 'tool', 'test_it.py')).toEqual(['b.py', 'a.py', 'tool', 'test_it.py']);
  });

  it('that are .json are manifests', async () => {
    const folder = await folderWith('a.py', 'tools.json');
    expect(findTargets([join(folder, 'a.py'), join(folder, 'tools.json')])).toEqual({
      scripts: [join(folder, 'a.py')],
      manifests: [join(folder, 'tools.json')],
    });
  });

  it('of a folder are its scripts and those of the folders in it, by name', async () => {
    const folder = await folderWith(
      'b.py',
      'a.py',
      'sub/d.py',
      'package/__init__.py',
      'package/c.py',
      'notes.txt',
      'tools.json',
    );
    expect(found(folder, '.')).toEqual(['a.py', 'b.py', 'package/c.py', 'sub/d.py']);
  });

  it('of a folder are neither hidden, nor empty, nor tests, nor installed', async () => {
    const left = [
      '.hidden.py',
      '.git/x.py',
      '.venv/x.py',
      'venv/x.py',
      'node_modules/x.py',
      '__pycache__/x.py',
      'tests/x.py',
    ];
    const others = [
      'site-packages/x.py',
      'test_x.py',
      'x_test.py',
      'conftest.py',
      'setup.py',
      'env/pyvenv.cfg',
      'empty.py',
      'env/x.py',
    ];
    const folder = await folderWith('a.py', ...left, ...others);
    expect(found(folder, '.')).toEqual(['a.py']);
  });

  it('count once, by whatever way they are reached', async () => {
    const folder = await folderWith('a.py', 'b.py');
    await symlink(join(folder, 'a.py'), join(folder, 'z.py'));
    await symlink(folder, join(folder, 'round'));
    expect(found(folder, 'a.py', '.', 'a.py')).toEqual(['a.py', 'b.py']);
  });

  it('may be links', async () => {
    const folder = await folderWith('x/a.py');
    await symlink(join(folder, 'x/a.py'), join(folder, 'link.py'));
    expect(found(folder, 'link.py')).toEqual(['link.py']);
  });

  it.each([
    ['wordcount.py', /There is no file .*; did you mean .*word_count\.py\?/],
    ['zzz', /There is no file .*zzz$/],
    ['none/a.py', /: its folder does not exist/],
    ['empty', /The folder .*empty has no script/],
    ['', /"" is no path/],
    ['a\0b', /is no path/],
  ])('that are wrong are errors that say what is: %j', async (name, message) => {
    const folder = await folderWith('word_count.py', 'empty/readme.txt');
    const path = name === '' || name.includes('\0') ? name : join(folder, name);
    expect(() => findTargets([path])).toThrow(
      expect.objectContaining({ code: 'INVALID_SCRIPT', message: expect.stringMatching(message) }),
    );
  });

  it('that are links to nothing or to themselves are refused, and passed over in a folder', async () => {
    const folder = await folderWith('a.py');
    await symlink(join(folder, 'nowhere.py'), join(folder, 'dangling.py'));
    await symlink(join(folder, 'loop.py'), join(folder, 'loop.py'));
    for (const name of ['dangling.py', 'loop.py']) {
      expect(() => found(folder, name)).toThrow(`${join(folder, name)} is a link that leads to no file`);
    }
    expect(found(folder, '.')).toEqual(['a.py']);
    expect(() => found(folder, 'a.py/b.py')).toThrow('There is no file');
  });

  it('that are far too large to be scripts are refused, and passed over in a folder', async () => {
    const folder = await folderWith('a.py', 'data.py');
    truncateSync(join(folder, 'data.py'), 64 * 1024 * 1024 + 1);
    expect(() => found(folder, 'data.py')).toThrow('has 67108865 bytes, and a script or manifest at most 67108864');
    expect(found(folder, '.')).toEqual(['a.py']);
  });

  it('must be named', () => {
    expect(() => findTargets([])).toThrow('No script is named');
  });

  it('of a folder are bounded in number', async () => {
    const folder = await folderWith('a.py', 'b.py', 'sub/c.py', 'sub/d.py');
    expect(() => findTargets([folder], 3)).toThrow('more than 3 scripts');
  });
});

async function folderWith(...names: readonly string[]): Promise<string> {
  const folder = await createFolder();
  for (const name of names) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), name.includes('empty') ? '' : '# not empty');
  }
  return folder;
}

function found(folder: string, ...names: readonly string[]): readonly string[] {
  const { scripts } = findTargets(names.map((name) => join(folder, name)));
  return scripts.map((script) => relative(folder, script).replaceAll('\\', '/'));
}
