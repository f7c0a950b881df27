import { execFileSync } from 'node:child_process';
import { constants } from 'node:fs';
import { mkdir, open, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { readConfigText } from '../../src/configfile/text.js';
import { createFolder } from '../interpreter/scripts.js';

describe('the text of a config file', () => {
  it('is read up to its limit, without the mark of byte order', async () => {
    const file = join(await createFolder(), 'c.json');
    await writeFile(file, '\uFEFF12345');
    expect(await readConfigText(file, { maxBytes: 8 })).toBe('12345');
    await expect(readConfigText(file, { maxBytes: 7 })).rejects.toThrow(
      /c\.json cannot be read: it has more than 7 bytes/,
    );
  });

  it('is read of what has no size, and no further than its limit', async () => {
    await expect(readConfigText('/dev/zero', { maxBytes: 100_000 })).rejects.toThrow(/more than 100000 bytes/);
    expect(await readConfigText('/dev/null')).toBe('');
  });

  it('is read of a pipe whatever the pace of who writes it, and waited for only until that is given up', async () => {
    const pipe = join(await createFolder(), 'pipe');
    execFileSync('mkfifo', [pipe]);
    const givenUp = new AbortController();
    const waiting = readConfigText(pipe, { signal: givenUp.signal });
    givenUp.abort();
    await expect(waiting).rejects.toThrow(/pipe cannot be read: The operation was aborted/);
    const holder = await open(pipe, constants.O_RDWR);
    const reading = readConfigText(pipe);
    await holder.write('first, ');
    await new Promise((resolve) => setImmediate(resolve));
    await holder.write('second');
    await holder.close();
    expect(await reading).toBe('first, second');
  });

  it('that cannot be read says why, and what to do where that is known', async () => {
    const folder = await createFolder();
    await mkdir(join(folder, 'inner'));
    await writeFile(join(folder, 'odd'), Buffer.from([0x7b, 0xff]));
    const adviceOn = (code: string) => (code === 'EISDIR' ? 'name a file' : undefined);
    const read = (name: string) => readConfigText(join(folder, name), { adviceOn });
    await expect(read('none')).rejects.toMatchObject({
      code: 'INVALID_CONFIG',
      details: { file: join(folder, 'none') },
    });
    await expect(read('none')).rejects.toThrow(/there is no such file$/);
    await expect(read('inner')).rejects.toThrow(/it is a folder; name a file$/);
    await expect(read('odd')).rejects.toThrow(/it is not text in UTF-8$/);
  });
});
