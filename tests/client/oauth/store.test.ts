import { chmod, mkdir, readdir, readFile, stat, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { loginsFolder } from '../../../src/client/oauth/folder.js';
import { type KeptLogin, keyOfServer } from '../../../src/client/oauth/kept-login.js';
import { createLogins } from '../../../src/client/oauth/logins.js';
import { createPlace } from './harness.js';

const server = new URL('https://shop.example/mcp');
const hasModes = process.getuid !== undefined;

function loginWith(accessToken: string): KeptLogin {
  return {
    version: 1,
    server: 'https://shop.example/mcp',
    loggedInAt: '2026-01-01T00:00:00.000Z',
    authorizationServer: { url: 'https://login.example' },
    client: { client_id: 'me' },
    tokens: { access_token: accessToken, token_type: 'Bearer' },
  };
}

describe('the folder of logins', () => {
  it.each([
    [{ MCP_EXECUTION_LOGINS_DIR: '/named', XDG_DATA_HOME: '/data' }, '/named'],
    [{ XDG_DATA_HOME: '/data', HOME: '/home/ada' }, '/data/mcp-execution/logins'],
    [{ XDG_DATA_HOME: 'relative', HOME: '/home/ada' }, '/home/ada/.local/share/mcp-execution/logins'],
    [{ HOME: '/home/ada' }, '/home/ada/.local/share/mcp-execution/logins'],
  ])('of %j is %s', (environment, folder) => {
    expect(loginsFolder(environment)).toBe(folder);
  });

  it.runIf(hasModes)('is for its user alone, with all that is in it', async () => {
    const { logins, folder } = await createPlace();
    await logins.keep(server, loginWith('a'));
    expect((await stat(folder)).mode & 0o777).toBe(0o700);
    const names = await readdir(folder);
    expect(names).toEqual([`${keyOfServer(server)}.json`]);
    for (const name of names) expect((await stat(join(folder, name))).mode & 0o777).toBe(0o600);
  });

  it.runIf(hasModes)('is closed to others where it was open to them, with a note', async () => {
    const { logins, folder, notes } = await createPlace();
    await logins.keep(server, loginWith('a'));
    const file = join(folder, `${keyOfServer(server)}.json`);
    await chmod(folder, 0o755);
    await chmod(file, 0o644);
    expect(await logins.find(server)).toEqual(loginWith('a'));
    await logins.keep(server, loginWith('b'));
    expect([(await stat(folder)).mode & 0o777, (await stat(file)).mode & 0o777]).toEqual([0o700, 0o600]);
    expect(notes).toEqual([
      expect.stringContaining('kept login was open'),
      expect.stringContaining('folder of logins was open'),
    ]);
  });

  it.each([
    ['nothing', ''],
    ['half a file', '{"version": 1, "server": "ht'],
    ['another thing', '[1, 2]'],
    ['another version', JSON.stringify({ ...loginWith('a'), version: 2 })],
    ['more than any login', JSON.stringify({ ...loginWith('a'), name: 'x'.repeat(300_000) })],
  ])('with %s in the place of a login sets it aside with a note, and takes a new one', async (_, text) => {
    const { logins, folder, notes } = await createPlace();
    const file = `${keyOfServer(server)}.json`;
    await mkdir(folder);
    await writeFile(join(folder, file), text, { mode: 0o600 });
    expect(await logins.find(server)).toBeUndefined();
    expect(notes).toEqual([expect.stringMatching(/was damaged and is not used; it was moved to .*\.damaged-\d+$/)]);
    await logins.keep(server, loginWith('new'));
    expect(await logins.list()).toEqual([loginWith('new')]);
    const [, aside = ''] = await readdir(folder);
    expect(await readFile(join(folder, aside), 'utf8')).toBe(text);
  });

  it('with a folder in the place of a login counts it as none, and says so once', async () => {
    const { logins, folder, notes } = await createPlace();
    await mkdir(join(folder, `${keyOfServer(server)}.json`), { recursive: true });
    expect(await logins.find(server)).toBeUndefined();
    expect(await logins.find(server)).toBeUndefined();
    expect(notes.filter((note) => note.includes('EISDIR'))).toHaveLength(1);
  });

  it.runIf(process.platform === 'linux')(
    'that cannot be made is an error of whoever wants to keep something',
    async () => {
      const logins = createLogins({ folder: '/proc/nowhere/logins' });
      expect(await logins.find(server)).toBeUndefined();
      expect(await logins.list()).toEqual([]);
      await expect(logins.keep(server, loginWith('a'))).rejects.toThrow(/ENOENT/);
    },
  );

  it('forgets a login, and only that one', async () => {
    const { logins } = await createPlace();
    const other = new URL('https://other.example/mcp');
    await logins.keep(server, loginWith('a'));
    await logins.keep(other, loginWith('b'));
    expect(await logins.forget(server)).toEqual(loginWith('a'));
    expect(await logins.forget(server)).toBeUndefined();
    expect(await logins.list()).toEqual([loginWith('b')]);
  });

  it('takes over the lock of a process that is gone', async () => {
    const { logins, folder } = await createPlace();
    await logins.keep(server, loginWith('a'));
    const lock = join(folder, `${keyOfServer(server)}.lock`);
    await writeFile(lock, 'elsewhere 1 token\n');
    const longAgo = new Date(Date.now() - 3_600_000);
    await utimes(lock, longAgo, longAgo);
    await logins.keep(server, loginWith('b'));
    expect(await logins.find(server)).toEqual(loginWith('b'));
    expect(await readdir(folder)).toEqual([`${keyOfServer(server)}.json`]);
  });

  it('removes what a process left that died while it wrote', async () => {
    const { logins, folder } = await createPlace();
    await logins.keep(server, loginWith('a'));
    const left = join(folder, `${keyOfServer(server)}.json.x.tmp`);
    await writeFile(left, 'half');
    const longAgo = new Date(Date.now() - 3_600_000);
    await utimes(left, longAgo, longAgo);
    await logins.keep(server, loginWith('b'));
    expect(await readdir(folder)).toEqual([`${keyOfServer(server)}.json`]);
  });

  it('gives back what was kept last, whatever else is kept at once', async () => {
    const servers = ['https://a.example/', 'https://b.example/mcp?key=1', 'https://b.example/mcp?key=2'];
    const step = fc.record({ at: fc.constantFrom(...servers), token: fc.string({ minLength: 1 }) });
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 12 }), async (steps) => {
        const { logins } = await createPlace();
        const last = new Map<string, string>();
        await Promise.all(
          servers.map(async (at) => {
            for (const { token } of steps.filter((one) => one.at === at)) {
              await logins.keep(new URL(at), loginWith(token));
              last.set(at, token);
            }
          }),
        );
        for (const at of servers) {
          expect((await logins.find(new URL(at)))?.tokens?.access_token).toBe(last.get(at));
        }
      }),
      { numRuns: 20 },
    );
  });
});
