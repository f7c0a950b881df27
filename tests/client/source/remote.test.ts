import { createServer as createHttpServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createMcpHandler } from '@modelcontextprotocol/server';
import { afterEach, describe, expect, it } from 'vitest';
import type { ServerEntry } from '../../../src/client/config/config.js';
import { failure, recordLog, textOf } from '../harness.js';
import { type Handle, serve, withSessions } from '../http-servers.js';
import { createServer } from '../servers/sdk_server.mjs';
import { entry, folder, openServers } from './harness.js';

const token = 'a-very-secret-token-1234';
const listening: Server[] = [];
afterEach(async () => {
  await Promise.all(
    listening.splice(0).map((server) => {
      server.closeAllConnections();
      return new Promise((resolve) => server.close(resolve));
    }),
  );
});

async function remote(handle: Handle): Promise<ServerEntry> {
  const server = createHttpServer((request, response) => void serve(handle, request, response));
  listening.push(server);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const headers = { authorization: `Bearer ${token}` };
  return entry('far', '', {}, { target: { kind: 'url', url: `http://127.0.0.1:${port}/mcp`, headers } });
}

/** A server of the newer revision, by hand: it says of its tools what it likes. */
function modern(tools: readonly unknown[], more: object): { readonly handle: Handle; readonly asked: string[] } {
  const asked: string[] = [];
  const sdk = createMcpHandler(createServer, { legacy: 'reject' });
  return {
    asked,
    async handle(request) {
      const body = await request.clone().text();
      const { method, id } = body === '' ? { method: '', id: 0 } : JSON.parse(body);
      asked.push(method);
      if (method !== 'tools/list') return sdk.fetch(request);
      return Response.json({ jsonrpc: '2.0', id, result: { resultType: 'complete', tools, ...more } });
    },
  };
}

describe('a server at an address', () => {
  it('has one session for all calls, and a new one where it forgot it', async () => {
    const { handle, sessions } = withSessions();
    const servers = openServers([await remote(handle)]);
    await Promise.all([
      servers.list('far'),
      ...['a', 'b'].map((caller) => servers.call('far', 'echo', {}, { caller })),
    ]);
    expect(sessions.size).toBe(1);
    sessions.clear();
    expect(textOf(await servers.call('far', 'echo', { again: true }))).toBe('{"again":true}');
    await servers.close();
    expect(sessions.size).toBe(0);
  });

  it('of the newer revision loses only the odd entries of its list', async () => {
    const odd = [null, { name: 4 }, { name: 'text', inputSchema: 'no' }, { name: 'bare', annotations: 'none' }];
    const { handle } = modern([...odd, { name: 'echo', inputSchema: { type: ['object'] } }], { ttlMs: 'long' });
    const servers = openServers([await remote(handle)]);
    const { tools } = await servers.list('far');
    expect(tools).toEqual([
      { name: 'bare', inputSchema: { type: 'object' } },
      { name: 'echo', inputSchema: { type: ['object'] } },
    ]);
    expect(textOf(await servers.call('far', 'echo', { a: 1 }))).toBe('{"a":1}');
  });

  it.each([
    ['for no time', 0, 2],
    ['for an hour', 3_600_000, 1],
  ])('that says that its list holds %s is taken at its word', async (_time, ttlMs, lists) => {
    const { handle, asked } = modern([{ name: 'echo', inputSchema: { type: 'object' } }], {
      ttlMs,
      cacheScope: 'private',
    });
    const far = await remote(handle);
    const cacheDir = folder();
    for (const run of [1, 2]) {
      const servers = openServers([far], { cacheDir });
      expect(await servers.list('far')).toMatchObject({ isRemembered: run > lists });
      await servers.close();
    }
    expect(asked.filter((method) => method === 'tools/list')).toHaveLength(lists);
  });

  it('that refuses says so by its name, and shows nothing of its headers', async () => {
    const { log, text } = recordLog();
    const echo: Handle = async (request) => new Response(request.headers.get('authorization'), { status: 500 });
    const servers = openServers([await remote(echo)], { log });
    const error = await failure(servers.list('far'));
    expect(error).toMatchObject({ code: 'SERVER_FAILED', message: expect.stringContaining('MCP server far: ') });
    expect(`${error.message}${JSON.stringify(error)}${error.stack}${text()}`).not.toContain(token);
  });

  it('whose answer is larger than allowed fails that call alone', async () => {
    const servers = openServers([await remote(withSessions().handle)], { maxMessageBytes: 64 * 1024 });
    const calls = [
      failure(servers.call('far', 'echo', { text: 'x'.repeat(100_000) })),
      servers.call('far', 'echo', { a: 1 }),
    ] as const;
    expect((await calls[0]).message).toMatch(/^MCP server far: .*more than 65536 bytes/);
    expect(textOf(await calls[1])).toBe('{"a":1}');
  });
});
