import { chmod, mkdir, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { cacheFolder } from '../../src/python/cache-folder.js';
import { pythonPart } from '../../src/python/part.js';
import { createFolder } from './scripts.js';

describe('the cache folder', () => {
  it('stands in XDG_CACHE_HOME and belongs to the user alone', async () => {
    const home = await createFolder();
    const folder = await cacheFolder({ environment: { XDG_CACHE_HOME: join(home, 'xdg') } });
    expect(folder).toBe(join(home, 'xdg/mcp-execution'));
    expect((await stat(join(home, 'xdg/mcp-execution'))).mode & 0o777).toBe(0o700);
  });

  it('stands in .cache of the home folder otherwise', async () => {
    const home = await createFolder();
    expect(await cacheFolder({ environment: { HOME: home } })).toBe(join(home, '.cache/mcp-execution'));
    expect(await cacheFolder({ environment: { HOME: home, XDG_CACHE_HOME: 'relative' } })).toBe(
      join(home, '.cache/mcp-execution'),
    );
  });

  it('is the one that the setting names', async () => {
    const home = await createFolder();
    const environment = { XDG_CACHE_HOME: join(home, 'xdg') };
    expect(await cacheFolder({ cacheDir: join(home, 'mine'), environment })).toBe(join(home, 'mine'));
  });

  it('is done without where it cannot be created', async () => {
    const home = await createFolder();
    await writeFile(join(home, 'file'), '');
    expect(await cacheFolder({ environment: { XDG_CACHE_HOME: join(home, 'file') } })).toBeUndefined();
  });

  it.runIf(process.platform === 'linux')('is done without in a place that takes no folders', async () => {
    expect(await cacheFolder({ environment: { HOME: '/proc' } })).toBeUndefined();
  });

  it('is refused when the setting names one that cannot be created', async () => {
    const home = await createFolder();
    await writeFile(join(home, 'file'), '');
    await expect(cacheFolder({ cacheDir: join(home, 'file') })).rejects.toMatchObject({
      code: 'INVALID_SETTING',
      details: { setting: 'cacheDir' },
    });
  });

  it('is done without where other users may write to it', async () => {
    const home = await createFolder();
    await mkdir(join(home, 'mcp-execution'));
    await chmod(join(home, 'mcp-execution'), 0o777);
    expect(await cacheFolder({ environment: { XDG_CACHE_HOME: home } })).toBeUndefined();
  });
});

it('the Python part is the folder that holds mcp_execution', async () => {
  expect((await stat(join(pythonPart(), 'mcp_execution'))).isDirectory()).toBe(true);
});
