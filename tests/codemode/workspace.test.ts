import { mkdir, readdir, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { openWorkspace, workspaceAt } from '../../src/codemode/workspace.js';
import { createFolder } from '../interpreter/scripts.js';

describe('a workspace', () => {
  it('is made with the folders above it, and keeps what is generated out of git', async () => {
    const folder = join(await createFolder(), 'a', 'b');
    const workspace = await openWorkspace(folder);
    expect(workspace).toEqual({
      folder,
      servers: join(folder, 'servers'),
      schemas: join(folder, 'schemas'),
      scripts: join(folder, 'scripts'),
      runs: join(folder, 'runs'),
      logFile: join(folder, 'runs', 'log.jsonl'),
    });
    expect((await readdir(folder)).sort()).toEqual(['runs', 'servers']);
    for (const name of ['servers', 'runs']) {
      expect(await readdir(join(folder, name))).toEqual(['.gitignore']);
      expect(await readFile(join(folder, name, '.gitignore'), 'utf8')).toBe('*\n');
    }
    expect((await stat(workspace.runs)).mode & 0o077).toBe(0);
  });

  it('opened again has everything as it was, a changed .gitignore too', async () => {
    const folder = await createFolder();
    const { servers } = await openWorkspace(folder);
    await writeFile(join(servers, '.gitignore'), 'lock.json\n');
    await openWorkspace(folder);
    expect(await readFile(join(servers, '.gitignore'), 'utf8')).toBe('lock.json\n');
  });

  it('may be named by its folder of wrappers', async () => {
    const folder = await createFolder();
    expect((await openWorkspace(join(folder, 'servers'))).folder).toBe(folder);
    expect(workspaceAt(join(folder, 'servers', ''))).toEqual(workspaceAt(folder));
  });

  it('that is called servers itself is no folder of wrappers', async () => {
    const folder = join(await createFolder(), 'servers');
    await mkdir(folder);
    await writeFile(join(folder, '.mcp.json'), '{}');
    const workspace = await openWorkspace(folder);
    expect(workspace).toMatchObject({ folder, servers: join(folder, 'servers') });
    expect(workspaceAt(workspace.folder)).toEqual(workspace);
  });

  it.each(['servers', 'runs', 'schemas', 'scripts'])('with a link in the place of %s is refused', async (name) => {
    const folder = await createFolder();
    for (const place of [await createFolder(), folder]) {
      await symlink(place, join(folder, name));
      await expect(openWorkspace(folder)).rejects.toMatchObject({
        code: 'INVALID_WORKSPACE',
        message: expect.stringContaining('is a link'),
      });
      await rm(join(folder, name));
    }
  });

  it('may itself be reached by a link', async () => {
    const place = join(await createFolder(), 'link');
    await symlink(await createFolder(), place);
    expect(await openWorkspace(place)).toMatchObject({ folder: place });
  });

  it.each(['.', 'servers', 'runs', 'schemas', 'scripts'])('with a file in the place of %s is refused', async (name) => {
    const folder = join(await createFolder(), 'w');
    if (name !== '.') await mkdir(folder);
    await writeFile(join(folder, name), '');
    const opening = openWorkspace(folder);
    await expect(opening).rejects.toMatchObject({
      code: 'INVALID_WORKSPACE',
      message: expect.stringContaining('is a file'),
    });
  });

  it('below a file is refused', async () => {
    const file = join(await createFolder(), 'file');
    await writeFile(file, '');
    await expect(openWorkspace(join(file, 'w'))).rejects.toMatchObject({
      code: 'INVALID_WORKSPACE',
      message: expect.stringMatching(/a part of the path is a file.*--workspace/),
    });
  });

  it.skipIf(process.platform !== 'linux')('where nothing can be written, even by root, is refused', async () => {
    for (const place of ['/proc/w', '/sys/kernel/w', '/proc']) {
      await expect(openWorkspace(place)).rejects.toMatchObject({ code: 'INVALID_WORKSPACE' });
    }
  });

  it('of no possible name is refused', async () => {
    await expect(openWorkspace('a\0b')).rejects.toMatchObject({ code: 'INVALID_WORKSPACE' });
    await expect(openWorkspace(join(await createFolder(), 'x'.repeat(300)))).rejects.toMatchObject({
      code: 'INVALID_WORKSPACE',
      message: expect.stringContaining('too long'),
    });
  });
});
