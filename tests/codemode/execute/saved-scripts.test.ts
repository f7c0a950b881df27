import { execFileSync } from 'node:child_process';
import { mkdir, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { createSavedScripts } from '../../../src/codemode/execute/saved-scripts.js';
import { readScript } from '../../../src/codemode/execute/script-text.js';
import { createFolder } from '../../interpreter/scripts.js';

describe.skipIf(process.platform === 'win32')('a saved script', () => {
  it('is a file of its folder: neither a link to another one nor a pipe is read, run or listed', async () => {
    const folder = await createFolder();
    const scripts = join(folder, 'scripts');
    await mkdir(scripts);
    await writeFile(join(folder, 'private.py'), '"""Holds a secret."""\n');
    await symlink(join(folder, 'private.py'), join(scripts, 'linked.py'));
    execFileSync('mkfifo', [join(scripts, 'pipe.py')]);
    await writeFile(join(scripts, 'real.py'), '"""Is there."""\n');
    const saved = createSavedScripts({ scripts });
    expect((await saved.list()).map(({ name }) => name)).toEqual(['real']);
    for (const name of ['linked', 'pipe']) {
      await expect(readScript({ saved: name }, saved)).rejects.toMatchObject({ code: 'INVALID_SCRIPT' });
    }
    expect(await readScript({ saved: 'real' }, saved)).toMatchObject({ filename: 'real.py' });
  });
});
