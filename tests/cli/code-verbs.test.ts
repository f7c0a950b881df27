import { once } from 'node:events';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { afterEach, describe, expect, it, onTestFinished } from 'vitest';
import { serve, withSessions } from '../client/http-servers.js';
import { processesLeft } from '../engine/harness.js';
import { createFolder } from '../interpreter/scripts.js';
import { type Scene, say } from './fake.js';

const shop = join(import.meta.dirname, '..', 'client', 'servers', 'keeps_a_shop.mjs');

afterEach(() => expect(processesLeft()).toEqual([]));

/** The verbs as they are, on a server and a workspace of their own. */
async function project() {
  const folder = await createFolder();
  const config = join(folder, 'config.json');
  const entry = { command: process.execPath, args: [shop], env: { SHOP_TOKEN: 'a-secret-value' } };
  await writeFile(config, JSON.stringify({ mcpServers: { shop: entry, gone: { command: 'no-such-program' } } }));
  const cache = join(folder, 'cache');
  await mkdir(cache);
  const environment = { PATH: process.env.PATH, HOME: folder, MCP_EXECUTION_CACHE_DIR: cache };
  const workspace = join(folder, 'work');
  return {
    folder,
    workspace,
    async script(...lines: readonly string[]) {
      const path = join(folder, 'script.py');
      await writeFile(path, lines.join('\n'));
      return path;
    },
    exec: (words: readonly string[], scene: Scene = {}) =>
      say([...words, '--config', config, '--workspace', workspace], { environment, ...scene }),
  };
}

describe('the verbs of code execution, on a real server', () => {
  it('list, generate, run and count', { timeout: 60_000 }, async () => {
    const { exec, script, workspace } = await project();
    const listed = await exec(['list-tools', 'shop', '--search', 'order an item']);
    expect(listed).toMatchObject({ exitCode: 0, stdout: expect.stringMatching(/^shop +order +Orders an item\.$/m) });

    const generated = await exec(['generate']);
    expect(generated.exitCode).toBe(1);
    expect(generated.stdout).toMatch(/^shop +shop +8 /m);
    expect(generated.stderr).toMatch(/SERVER_FAILED: .*gone[\s\S]*from servers\.shop import order/);

    const path = await script(
      'import sys',
      'from mcp_execution import result',
      'from servers.shop import order',
      'print(sys.argv[1:], context)',
      'result(order(item="tea"))',
    );
    const ran = await exec(['run', path, 'a', '--b', '--context', '{"c":1}', '--save', 'tea', '--verbose']);
    expect(ran.stdout).toBe('[\'a\', \'--b\'] {\'c\': 1}\n{\n  "number": 1,\n  "item": "tea"\n}\n');
    expect(ran.stderr).toMatch(/shop\/order +done\nSaved: mcp-exec run tea runs it again\.\n$/);
    expect((await exec(['run', 'tea', 'again'])).stdout).toMatch(/^\['again'\] \{\}\n/);

    const { stdout } = await exec(['runs', '--json']);
    expect(JSON.parse(stdout).operations).toMatchObject({
      execute_script: { done: 2, calls: 2 },
      generate_wrappers: { done: 1 },
    });
    expect(await readFile(join(workspace, 'runs', 'log.jsonl'), 'utf8')).not.toContain('a-secret-value');
  });

  it('call a tool, and end with the code of what went wrong', { timeout: 60_000 }, async () => {
    const { exec } = await project();
    expect(await exec(['call', 'shop', 'order', 'item=7'])).toMatchObject({ exitCode: 0, stderr: '' });
    const failed = await exec(['call', 'shop', 'fail']);
    expect([failed.exitCode, failed.stderr]).toEqual([1, expect.stringContaining('the shop is closed')]);
    const unknown = await exec(['call', 'shop', 'ordr']);
    expect([unknown.exitCode, unknown.stderr]).toEqual([2, expect.stringMatching(/UNKNOWN_TOOL: .*order/)]);
    const nowhere = await exec(['call', 'shp', 'order']);
    expect([nowhere.exitCode, nowhere.stderr]).toEqual([2, expect.stringMatching(/UNKNOWN_SERVER: .*shop/)]);
    const denied = await exec(['call', 'shop', 'order', 'item=a', '--deny-tools', 'shop']);
    expect([denied.exitCode, denied.stderr]).toEqual([2, expect.stringContaining('NOT_ALLOWED')]);
  });

  it('call a tool at an address, and keep what may be secret in it out of the run log', {
    timeout: 60_000,
  }, async () => {
    const { exec, workspace } = await project();
    const url = await address();
    const called = await exec(['call', `${url}?key=a-secret-value`, 'echo', 'text=hello']);
    expect(called).toMatchObject({ exitCode: 0, stdout: expect.stringContaining('hello') });
    const log = await readFile(join(workspace, 'runs', 'log.jsonl'), 'utf8');
    expect(log).toContain(`${url}/echo`);
    expect(log).not.toContain('a-secret-value');
  });

  it('end with 130 and leave nothing behind on Ctrl-C, in the middle of a call', { timeout: 60_000 }, async () => {
    const { exec, script } = await project();
    const path = await script('from mcp_execution import call_tool', 'print("go")', 'call_tool("shop", "hang", {})');
    const interruption = new AbortController();
    const onText = (text: string) => text === 'go\n' && interruption.abort();
    expect((await exec(['run', path], { interrupt: interruption.signal, onText })).exitCode).toBe(130);
  });

  it('refuse a workspace that cannot be one before anything is started', async () => {
    const { exec, folder } = await project();
    await writeFile(join(folder, 'work'), '');
    for (const words of [['generate'], ['list-tools'], ['schemas'], ['call', 'shop', 'order', 'item=a']]) {
      expect(await exec(words)).toMatchObject({ exitCode: 2, stderr: expect.stringContaining('INVALID_WORKSPACE') });
    }
  });
});

/** An MCP server over HTTP, until the test is over. */
async function address(): Promise<string> {
  const { handle } = withSessions();
  const server = createServer((request, response) => void serve(handle, request, response));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const place = server.address();
  return `http://127.0.0.1:${typeof place === 'object' ? place?.port : ''}/mcp`;
}
