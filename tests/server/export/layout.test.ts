import { describe, expect, it } from 'vitest';
import { commonFolder, layOut } from '../../../src/server/export/layout.js';

describe.skipIf(process.platform === 'win32')('the places of files in a bundle', () => {
  it('keep the files of one script as they lie to each other', () => {
    const [places] = layOut([['/home/a/tool.py', '/home/a/lib/one.py', '/home/a/lib/deep/two.py']]);
    expect([...(places?.values() ?? [])]).toEqual(['scripts/tool.py', 'scripts/lib/one.py', 'scripts/lib/deep/two.py']);
  });

  it('keep scripts of one tree as they lie to each other', () => {
    const places = layOut([['/home/a/one.py'], ['/home/b/c/two.py']]);
    expect(places.flatMap((each) => [...each.values()])).toEqual(['scripts/a/one.py', 'scripts/b/c/two.py']);
  });

  it('are a folder each for scripts that share nothing but the disk, with names kept apart', () => {
    const places = layOut([
      ['/one/src/a.py'],
      ['/two/src/a.py'],
      ['/one/src/b.py', '/one/src/lib.py'],
      ['/one/src/c.py'],
    ]);
    expect(places.flatMap((each) => [...each.values()])).toEqual([
      'scripts/src/a.py',
      'scripts/src-2/a.py',
      'scripts/src/b.py',
      'scripts/src/lib.py',
      'scripts/src/c.py',
    ]);
  });

  it('stay inside the bundle where one script takes files from all over the disk', () => {
    const [places] = layOut([['/app/tool.py', '/data/big.csv']]);
    expect([...(places?.values() ?? [])]).toEqual(['scripts/files/app/tool.py', 'scripts/files/data/big.csv']);
  });

  it.each([
    [['/a/b.py'], '/a'],
    [['/a/b.py', '/a/c/d.py'], '/a'],
    [['/ab/x.py', '/abc/x.py'], undefined],
    [['/x.py', '/y.py'], '/'],
  ])('have the common folder of %j: %j', (files, folder) => {
    expect(commonFolder(files)).toBe(folder);
  });
});
