import { readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { createKey } from '../../../src/gateway/access/keys.js';
import { addToKeysFile, keysFileOf, readKeysFile } from '../../../src/gateway/config/keys-file.js';
import { createFolder } from '../../interpreter/scripts.js';

describe('the file of keys in a data folder', () => {
  it('has the entries in the order in which they were added, and never a key', async () => {
    const file = keysFileOf(join(await createFolder(), 'data'));
    const [one, two] = [createKey({ name: 'one' }), createKey({ name: 'two', scopes: ['admin'] })];
    await addToKeysFile(file, one.entry);
    await addToKeysFile(file, two.entry);
    expect(await readKeysFile(file)).toEqual([one.entry, two.entry]);
    expect(await readFile(file, 'utf8')).not.toContain(one.key);
    expect((await stat(file)).mode & 0o777).toBe(0o600);
    expect(await readdir(dirname(file))).toEqual(['keys.json']);
  });

  it('is empty where it is not there', async () => {
    expect(await readKeysFile(join(await createFolder(), 'keys.json'))).toEqual([]);
  });

  it.each([
    ['{', /keys\.json: /],
    ['[]', /keys\.json: /],
    ['{"keys":[{"name":"x"}]}', /keys\.json: keys\.0\./],
  ])('that reads %s is refused, and stays as it is', async (text, message) => {
    const file = join(await createFolder(), 'keys.json');
    await writeFile(file, text);
    await expect(readKeysFile(file)).rejects.toThrow(message);
    await expect(addToKeysFile(file, createKey({ name: 'x' }).entry)).rejects.toThrow(message);
    expect(await readFile(file, 'utf8')).toBe(text);
  });
});
