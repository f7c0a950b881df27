import { readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { createKeyring } from '../../src/gateway/access/keys.js';
import { parseGatewayConfig } from '../../src/gateway/config/read.js';
import { readKeptKeys } from '../../src/gateway/uploads/kept-keys.js';
import { createFolder } from '../interpreter/scripts.js';
import { say } from './fake.js';

describe('mcp-exec key', () => {
  it('prints the key alone to stdout, and the entry to stderr', async () => {
    const { exitCode, stdout, stderr } = await say(['key', 'ada']);
    expect(exitCode).toBe(0);
    expect(stdout).toMatch(/^mcpx_[0-9a-f]+_[\w-]{43}\n$/);
    const entry = JSON.parse(stderr.slice(stderr.indexOf('{')));
    expect(entry).toMatchObject({ name: 'ada', scopes: ['call'] });
    expect(stderr).not.toContain(stdout.trim());
    const config = parseGatewayConfig(JSON.stringify({ keys: [entry] }), 'x.json', {});
    expect(createKeyring(config.keys).find(stdout.trim())).toMatchObject({ name: 'ada' });
  });

  it('keeps every key of several that are made at once', async () => {
    const data = join(await createFolder(), 'data');
    const names = ['one', 'two', 'three', 'four', 'five', 'six'];
    await Promise.all(names.map((name) => say(['key', name, '--data', data])));
    expect((await readKeptKeys(data)).map(({ name }) => name).sort()).toEqual([...names].sort());
    expect(await readdir(data)).toEqual(['keys.json']);
  });

  it.runIf(process.platform === 'linux').each([
    ['in a place where no folder can be made', () => '/proc/none/data'],
    ['that is a file', (folder: string) => join(folder, 'file')],
    ['below a file', (folder: string) => join(folder, 'file', 'data')],
  ])('refuses a data folder %s', async (_, dataIn) => {
    const folder = await createFolder();
    await writeFile(join(folder, 'file'), '');
    const { exitCode, stdout, stderr } = await say(['key', 'one', '--data', dataIn(folder)]);
    expect({ exitCode, stdout }).toEqual({ exitCode: 2, stdout: '' });
    expect(stderr).toMatch(/^INVALID_ARGUMENTS: --data: the key cannot be kept: E/);
  });

  it('adds the entry to the keys of a data folder, which may be new', async () => {
    const data = join(await createFolder(), 'data');
    await say(['key', 'one', '--data', data]);
    const { stdout, stderr } = await say([
      'key',
      'two',
      '--data',
      data,
      '--scopes',
      'call,upload',
      '--services',
      'ci-*',
    ]);
    const keys = await readKeptKeys(data);
    expect(keys).toMatchObject([{ name: 'one' }, { name: 'two', scopes: ['call', 'upload'], services: ['ci-*'] }]);
    expect(createKeyring(keys).find(stdout.trim())).toMatchObject({ name: 'two' });
    expect(await readFile(join(data, 'keys.json'), 'utf8')).not.toContain(stdout.trim());
    expect((await stat(join(data, 'keys.json'))).mode & 0o777).toBe(0o600);
    expect(stderr).toContain(join(data, 'keys.json'));
  });

  it.each([
    ['{}', 'an empty file'],
    ['{\n  // a comment\n  "port": 9000,\n}\n', 'a file without keys'],
    ['{\n\t"keys": []\n}\n', 'a file with no key yet'],
  ])('adds the entry to %s (%s) and leaves the rest as it is', async (text) => {
    const file = join(await createFolder(), 'gateway.json');
    await writeFile(file, text);
    for (const name of ['one', 'two']) expect((await say(['key', name, '--config', file])).exitCode).toBe(0);
    const written = await readFile(file, 'utf8');
    expect(parseGatewayConfig(written, file, {}).keys).toMatchObject([{ name: 'one' }, { name: 'two' }]);
    if (text.includes('//')) expect(written).toContain('// a comment\n  "port": 9000,');
    expect((await readdir(join(file, '..'))).filter((name) => name.includes('.bak-'))).toHaveLength(2);
  });

  it.each([
    [['key'], /missing required argument 'name'/],
    [['key', 'ada', '--scopes', 'cal'], /--scopes: there is no scope "cal"; did you mean call\?/],
    [['key', 'ada', '--data', 'a', '--config', 'b'], /--data or --config, not both/],
    [['key', ''], /A key cannot have this name/],
    [['key', 'ada', '--scopes', 'admin', '--services', 'a'], /scope admin sees all services/],
    [['key', 'ada', '--data', '/dev/null/data'], /--data: the key cannot be kept: ENOTDIR/],
    [['key', 'ada', '--config', '/nowhere/gateway.json'], /does not exist; make it first/],
  ])('refuses %j with exit code 2', async (words, message) => {
    const { exitCode, stdout, stderr } = await say(words);
    expect([exitCode, stdout]).toEqual([2, '']);
    expect(stderr).toMatch(message);
  });

  it('leaves a config file that is broken as it is, and says where', async () => {
    const file = join(await createFolder(), 'gateway.json');
    await writeFile(file, '{ "keys": {} }');
    const { exitCode, stderr } = await say(['key', 'ada', '--config', file]);
    expect(exitCode).toBe(2);
    expect(stderr).toMatch(/line 1, column 3: keys: expected a list/);
    expect(await readFile(file, 'utf8')).toBe('{ "keys": {} }');
  });
});
