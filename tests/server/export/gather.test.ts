import { mkdir, rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { gather } from '../../../src/server/export/gather.js';
import { folderWith, manifestOf, sha256Of } from './scene.js';

const made: string[] = [];
afterEach(async () => {
  for (const folder of made.splice(0)) await rm(folder, { recursive: true, force: true });
});

async function gathered(
  files: Readonly<Record<string, string>>,
  { include, fields, leaveOut }: { include?: string[]; fields?: object; leaveOut?: string } = {},
) {
  const folder = await folderWith(files);
  made.push(folder);
  const manifest = await manifestOf([join(folder, 'tool.py')], fields);
  const outside = leaveOut === undefined ? undefined : join(folder, leaveOut);
  const { scripts, warnings } = await gather(manifest, { include, leaveOut: outside });
  const names = scripts[0]?.files.map((file) => file.slice(folder.length + 1).replaceAll('\\', '/'));
  return { names, warnings, folder };
}

describe('what a script needs to run', () => {
  it('is itself where it imports only what is installed', async () => {
    const { names } = await gathered({ 'tool.py': 'import json\nimport requests\n', 'other.py': '' });
    expect(names).toEqual(['tool.py']);
  });

  it('is the modules beside it, directly or through another, and in a circle', async () => {
    const { names } = await gathered({
      'tool.py': 'import one',
      'one.py': 'from two import x',
      'two.py': 'import one, tool',
      'three.py': '',
    });
    expect(names).toEqual(['one.py', 'tool.py', 'two.py']);
  });

  it('is a package with all that is in it, and what the package imports', async () => {
    const { names } = await gathered({
      'tool.py': 'from kit.deep import x',
      'kit/__init__.py': '',
      'kit/deep/__init__.py': 'import beside',
      'kit/words.txt': 'words',
      'kit/__pycache__/deep.pyc': '',
      'kit/.secret': '',
      'beside.py': '',
    });
    expect(names).toEqual(['beside.py', 'kit/__init__.py', 'kit/deep/__init__.py', 'kit/words.txt', 'tool.py']);
  });

  it('is the Python files alone of a folder that is no package', async () => {
    const { names } = await gathered({ 'tool.py': 'import lib.a', 'lib/a.py': '', 'lib/huge.bin': '' });
    expect(names).toEqual(['lib/a.py', 'tool.py']);
  });

  it('is no virtual environment, whatever its name', async () => {
    const files = { 'tool.py': 'import env', 'env/pyvenv.cfg': '', 'env/lib/x.py': '' };
    expect((await gathered(files)).names).toEqual(['tool.py']);
  });

  it('is a compiled module too, with a warning', async () => {
    const { names, warnings } = await gathered({
      'tool.py': 'import fast',
      'fast.cpython-312-x86_64-linux-gnu.so': '',
    });
    expect(names).toEqual(['fast.cpython-312-x86_64-linux-gnu.so', 'tool.py']);
    expect(warnings).toEqual([expect.stringContaining('is compiled for this machine')]);
  });

  it('is the files that discovery followed', async () => {
    const folder = await folderWith({ 'tool.py': '', 'types/shapes.py': '' });
    made.push(folder);
    const shapes = join(folder, 'types/shapes.py');
    const manifest = await manifestOf([join(folder, 'tool.py')], {
      files: [{ path: shapes, sha256: await sha256Of(shapes) }],
    });
    expect((await gather(manifest, {})).scripts[0]?.files).toContain(shapes);
  });

  it('is requirements.txt with the files that it names, where it is used', async () => {
    const files = {
      'tool.py': '',
      'requirements.txt': '-r more/base.txt\nrequests\n-c https://x/c.txt',
      'more/base.txt': 'click',
    };
    const fields = { dependencies: { source: 'requirements', packages: ['requests', 'click'] } };
    expect((await gathered(files, { fields })).names).toEqual(['more/base.txt', 'requirements.txt', 'tool.py']);
    expect((await gathered(files)).names).toEqual(['tool.py']);
  });

  it('warns of an environment beside it whose packages nobody named', async () => {
    const { warnings } = await gathered({ 'tool.py': '', '.venv/pyvenv.cfg': '' });
    expect(warnings).toEqual([expect.stringMatching(/\.venv is not exported: name its packages/)]);
  });

  it.skipIf(process.platform === 'win32')('ends where links go in a circle', async () => {
    const folder = await folderWith({ 'tool.py': 'import kit', 'kit/__init__.py': '' });
    made.push(folder);
    await symlink(join(folder, 'kit'), join(folder, 'kit', 'again'));
    const { scripts } = await gather(await manifestOf([join(folder, 'tool.py')]), {});
    expect(scripts[0]?.files.length).toBe(2);
  });

  it('is refused where the script is another than the one that was discovered', async () => {
    const folder = await folderWith({ 'tool.py': 'x = 1' });
    made.push(folder);
    const manifest = await manifestOf([join(folder, 'tool.py')]);
    await writeFile(join(folder, 'tool.py'), 'x = 2');
    await expect(gather(manifest, {})).rejects.toThrow(/changed while it was exported/);
    await rm(join(folder, 'tool.py'));
    await mkdir(join(folder, 'tool.py'));
    await expect(gather(manifest, {})).rejects.toThrow(/cannot be read/);
  });
});

describe('--include', () => {
  const files = {
    'tool.py': '',
    'data/a.csv': '',
    'data/b.json': '',
    'data/deep/c.csv': '',
    'data/.env': '',
    'with [brackets].txt': '',
    'out/old/tool.py': '',
    'out/a.csv': '',
  };

  it.each([
    ['data/*.csv', ['data/a.csv']],
    ['data/**/*.csv', ['data/a.csv', 'data/deep/c.csv']],
    ['data', ['data/a.csv', 'data/b.json', 'data/deep/c.csv']],
    ['da*', ['data/a.csv', 'data/b.json', 'data/deep/c.csv']],
    ['data/?.{csv,json}', ['data/a.csv', 'data/b.json']],
    ['data/.env', ['data/.env']],
    ['with [brackets].txt', ['with [brackets].txt']],
    ['./data/a.csv', ['data/a.csv']],
    ['**/*.csv', ['data/a.csv', 'data/deep/c.csv']],
  ])('%s means %j', async (pattern, names) => {
    const found = await gathered(files, { include: [pattern], leaveOut: 'out' });
    expect(found.names).toEqual([...names, 'tool.py'].sort());
  });

  it.each(['nothing/*.csv', 'dta', 'data/a.csv/*', '*.exe'])(
    '%s is refused, because it means nothing',
    async (pattern) => {
      await expect(gathered(files, { include: [pattern] })).rejects.toMatchObject({
        code: 'INVALID_ARGUMENTS',
        message: expect.stringContaining(`--include: ${pattern} matches no file`),
      });
    },
  );
});
