import { chmodSync, readFileSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { Servers } from '../../../src/client/servers/servers.js';
import { failure, recordLog, textOf, until } from '../harness.js';
import { entry, type FileServer, fileServer, filesIn, folder, openServers } from './harness.js';

const secret = 'a-very-secret-value-1234';
const namesOf = async (servers: Servers, fresh = false) =>
  (await servers.list('files', { fresh })).tools.map(({ name }) => name);

/** A run that lists the tools once, and is over. */
async function listOnce({ entry }: FileServer, cacheDir: string): Promise<void> {
  const servers = openServers([entry], { cacheDir });
  await servers.list(entry.name);
  await servers.close();
}

describe('a list that was asked for in an earlier run', () => {
  it('is given without starting the server, until it is asked for anew', async () => {
    const server = fileServer(['one', 'two']);
    const cacheDir = join(folder(), 'lists');
    await listOnce(server, cacheDir);
    expect(server.asked()).toEqual(['start', 'list']);
    const servers = openServers([server.entry], { cacheDir });
    expect(await servers.list('files')).toEqual({
      tools: ['one', 'two'].map((name) => ({ name, inputSchema: { type: 'object' } })),
      title: 'raw',
      isRemembered: true,
    });
    expect(server.asked()).toEqual([]);
    server.offer(['three']);
    expect(await namesOf(servers)).toEqual(['one', 'two']);
    expect(await namesOf(servers, true)).toEqual(['three']);
    expect(await servers.list('files')).toMatchObject({ isRemembered: false });
    expect(server.asked()).toEqual(['start', 'list']);
  });

  it('is forgotten where the entry is another, the scripts that it names included', async () => {
    const cacheDir = folder();
    const script = join(folder(), 'server.mjs');
    const real = join(import.meta.dirname, '../servers/sdk_server.mjs');
    writeFileSync(
      script,
      `import { serveStdio } from ${JSON.stringify(import.meta.resolve('@modelcontextprotocol/server/stdio'))};
import { createServer } from ${JSON.stringify(real)};
serveStdio(createServer);
`,
    );
    const isRemembered = async (env: Record<string, string> = {}) => {
      const servers = openServers([entry('files', '', { args: [script], env })], { cacheDir });
      const listed = await servers.list('files');
      await servers.close();
      return listed.isRemembered;
    };
    expect(await isRemembered()).toBe(false);
    expect(await isRemembered()).toBe(true);
    expect(await isRemembered({ SOME: 'variable' })).toBe(false);
    utimesSync(script, 1, 1);
    expect(await isRemembered()).toBe(false);
  });

  it('is in a file of the user alone, which tells nothing of the secrets of the entry', async () => {
    const server = fileServer(['one'], 'files', { SECRET: secret });
    const cacheDir = join(folder(), 'lists');
    await listOnce(server, cacheDir);
    const [file = '', ...others] = filesIn(cacheDir);
    expect(others).toEqual([]);
    expect(file).toMatch(/^[0-9a-f]{64}\.json$/);
    expect(statSync(join(cacheDir, 'tool-lists')).mode & 0o777).toBe(0o700);
    expect(statSync(join(cacheDir, 'tool-lists', file)).mode & 0o777).toBe(0o600);
    expect(readFileSync(join(cacheDir, 'tool-lists', file), 'utf8')).not.toContain(secret);
  });

  it('is not kept where the server put a secret of its entry into it', async () => {
    const { log, text } = recordLog();
    const cacheDir = folder();
    const servers = openServers([entry('one', 'tells_its_secret.mjs', { env: { SECRET: secret } })], { cacheDir, log });
    await servers.list('one');
    await servers.close();
    expect(filesIn(cacheDir)).toEqual([]);
    expect(text()).toContain('the list of tools is not remembered');
    expect(text()).not.toContain(secret);
  });

  it.each([
    ['is cut off', (text: string) => text.slice(0, -1)],
    ['was edited', (text: string) => text.replace('"one"', '"own"')],
    ['is another kind of file', () => '{"tools":[]}'],
    ['is empty', () => ''],
  ])('counts as none where its file %s', async (_how, damage) => {
    const server = fileServer(['one']);
    const cacheDir = folder();
    await listOnce(server, cacheDir);
    const [file = ''] = filesIn(cacheDir);
    const path = join(cacheDir, 'tool-lists', file);
    writeFileSync(path, damage(readFileSync(path, 'utf8')));
    expect(await openServers([server.entry], { cacheDir }).list('files')).toMatchObject({ isRemembered: false });
  });

  it('costs nobody anything where the folder cannot be used', async () => {
    const server = fileServer(['one']);
    const shared = folder();
    chmodSync(shared, 0o777);
    const file = join(folder(), 'file');
    writeFileSync(file, '');
    for (const cacheDir of [shared, file]) {
      const { log, text } = recordLog();
      expect(await namesOf(openServers([server.entry], { cacheDir, log }))).toEqual(['one']);
      expect(text()).toContain('lists of tools are not remembered');
    }
    expect(filesIn(shared)).toEqual([]);
  });

  it('is not kept where the server says that it holds for no time', async () => {
    const server = fileServer([]);
    const cacheDir = folder();
    await listOnce(server, cacheDir);
    expect(filesIn(cacheDir)).toHaveLength(1);
    server.offer(['one', 'work'], { ttlMs: 0 });
    const servers = openServers([server.entry], { cacheDir });
    await servers.list('files', { fresh: true });
    await servers.list('files');
    server.asked();
    await servers.list('files');
    await servers.call('files', 'work', {});
    expect(server.asked()).toEqual(['list', 'call work']);
    await servers.close();
    expect(filesIn(cacheDir)).toEqual([]);
  });
});

describe('a remembered list that is wrong by now', () => {
  const remembering = async (tools: readonly string[]) => {
    const server = fileServer(tools);
    const cacheDir = folder();
    await listOnce(server, cacheDir);
    server.asked();
    const servers = openServers([server.entry], { cacheDir });
    const told: string[] = [];
    servers.onToolsChanged((name) => told.push(name));
    return { server, servers, told, cacheDir };
  };

  it('is asked for again at a call of a tool that it does not name', async () => {
    const { server, servers, told } = await remembering(['one']);
    server.offer(['one', 'two']);
    expect(textOf(await servers.call('files', 'two', {}))).toBe('two');
    expect(server.asked()).toEqual(['start', 'list', 'call two']);
    expect(told).toEqual(['files']);
    expect(await failure(servers.call('files', 'tvo', {}))).toMatchObject({
      code: 'UNKNOWN_TOOL',
      message: 'MCP server files: The MCP server has no tool "tvo". Did you mean two?',
    });
  });

  it('is asked for again when the server refuses a tool that it names', async () => {
    const { server, servers, told } = await remembering(['one', 'two']);
    server.offer(['two']);
    expect(await failure(servers.call('files', 'one', {}))).toMatchObject({
      code: 'UNKNOWN_TOOL',
      message: 'MCP server files: The MCP server has no tool "one". It has: two.',
    });
    expect(told).toEqual(['files']);
    expect(await namesOf(servers)).toEqual(['two']);
  });

  it('is seen to be so when the server is started for a call, and told of once', async () => {
    const { server, servers, told, cacheDir } = await remembering(['one']);
    server.offer(['one', 'new']);
    expect(textOf(await servers.call('files', 'one', {}))).toBe('one');
    await until(() => told.length > 0);
    expect(await namesOf(servers)).toEqual(['one', 'new']);
    expect(told).toEqual(['files']);
    await servers.close();
    const later = openServers([server.entry], { cacheDir });
    expect(await namesOf(later)).toEqual(['one', 'new']);
    expect(await later.list('files')).toMatchObject({ isRemembered: true });
  });

  it('does not keep a call from its answer', async () => {
    const { servers, told } = await remembering(['one']);
    expect(textOf(await servers.call('files', 'one', {}))).toBe('one');
    await servers.list('files', { fresh: true });
    expect(told).toEqual([]);
  });
});

describe('a server that says that its tools changed', () => {
  it('is asked again, and what was remembered is gone', async () => {
    const server = fileServer(['tell', 'one']);
    const cacheDir = folder();
    const servers = openServers([server.entry], { cacheDir });
    const told: string[] = [];
    const stop = servers.onToolsChanged((name) => told.push(name));
    expect(await namesOf(servers)).toEqual(['tell', 'one']);
    server.offer(['tell', 'two']);
    await Promise.all([servers.call('files', 'tell', {}), servers.call('files', 'tell', {})]);
    await until(() => filesIn(cacheDir).length === 0);
    expect(told).toEqual(['files']);
    expect(await namesOf(servers)).toEqual(['tell', 'two']);
    stop();
    await servers.call('files', 'tell', {});
    await until(() => filesIn(cacheDir).length === 0);
    expect(told).toEqual(['files']);
  });

  it('is asked again after it died', async () => {
    const server = fileServer(['die', 'one']);
    const servers = openServers([server.entry]);
    const told: string[] = [];
    servers.onToolsChanged((name) => told.push(name));
    await servers.list('files');
    await failure(servers.call('files', 'die', {}));
    server.offer(['die', 'one', 'two']);
    await servers.call('files', 'one', {});
    await until(() => told.length === 1);
    expect(await namesOf(servers)).toEqual(['die', 'one', 'two']);
  });
});
