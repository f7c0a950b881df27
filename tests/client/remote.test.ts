import { createServer as createHttpServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createMcpHandler } from '@modelcontextprotocol/server';
import { afterEach, describe, expect, it } from 'vitest';
import { createServerToolbox, type ServerToolbox, type ServerToolboxOptions } from '../../src/client/client.js';
import type { CallEvent } from '../../src/toolbox.js';
import { failure, keep, textOf, until } from './harness.js';
import { type Handle, legacySse, serve, withSessions } from './http-servers.js';
import { createServer } from './servers/sdk_server.mjs';

const listening: Server[] = [];
afterEach(async () => {
  await Promise.all(
    listening.splice(0).map((server) => {
      server.closeAllConnections();
      return new Promise((resolve) => server.close(resolve));
    }),
  );
});

describe('a server at an address', () => {
  it.each([
    ['of the newer revision', () => createMcpHandler(createServer, { legacy: 'reject' }).fetch],
    ['with sessions', () => withSessions().handle],
    ['of the older kind, with a stream by GET', () => legacySse()],
  ])('%s lists, answers, tells progress and passes failures on', async (_name, make) => {
    const toolbox = await reach(make());
    expect((await toolbox.listTools()).map(({ name }) => name)).toContain('echo');
    expect(textOf(await toolbox.call('echo', { a: [1] }))).toBe('{"a":[1]}');
    expect(await toolbox.call('fails', {})).toMatchObject({ isError: true });
    const events: CallEvent[] = [];
    await toolbox.call('steps', {}, { onEvent: (event) => void events.push(event) });
    expect(events.map((event) => event.type === 'progress' && event.message)).toEqual(['step 1', 'step 2', 'step 3']);
    await toolbox.probe();
  });

  it('gets the headers that were given', async () => {
    const seen: (string | null)[] = [];
    const { handle } = withSessions();
    const toolbox = await reach(
      (request) => {
        seen.push(request.headers.get('authorization'));
        return handle(request);
      },
      { authorization: 'Bearer abc' },
    );
    await toolbox.call('echo', {});
    expect(new Set(seen)).toEqual(new Set(['Bearer abc']));
  });

  it.each([307, 308])('that answers at another path of its own (%i) is followed there', async (status) => {
    const { handle } = withSessions();
    const toolbox = await reach(async (request) =>
      new URL(request.url).pathname === '/mcp/'
        ? handle(request)
        : new Response(null, { status, headers: { location: `${new URL(request.url).origin}/mcp/` } }),
    );
    expect(textOf(await toolbox.call('echo', { a: 1 }))).toBe('{"a":1}');
  });

  it.each([301, 302, 303, 307, 308])(
    'that sends requests on to another server (%i) is not followed',
    async (status) => {
      const asked: string[] = [];
      const { handle } = withSessions();
      const inside = await listenFor(async (request) => {
        asked.push(request.method);
        return handle(request);
      });
      const toolbox = await reach(async () => new Response(null, { status, headers: { location: inside } }), {
        'x-api-key': 'abc',
      });
      const error = await failure(toolbox.call('echo', {}));
      expect(error).toMatchObject({ code: 'SERVER_FAILED' });
      expect(error.message).toContain('which is not followed');
      expect(asked).toEqual([]);
    },
  );

  it('has one session of its own for each of ours, which ends with it', async () => {
    const { handle, sessions } = withSessions();
    const toolbox = await reach(handle);
    await toolbox.call('echo', {}, { session: 'one' });
    await toolbox.call('echo', {}, { session: 'other' });
    await toolbox.call('echo', {}, { session: 'one' });
    expect(sessions.size).toBe(2);
    await toolbox.endSession('one');
    expect(sessions.size).toBe(1);
  });

  it('that forgot the session is called once more in a new one', async () => {
    const { handle, sessions } = withSessions();
    const toolbox = await reach(handle);
    await toolbox.call('echo', {});
    sessions.clear();
    expect(textOf(await toolbox.call('echo', { again: true }))).toBe('{"again":true}');
    sessions.clear();
    await toolbox.probe();
    sessions.clear();
    await toolbox.recycle();
    expect((await toolbox.listTools()).length).toBeGreaterThan(0);
  });

  it('that breaks the connection in a call fails that call, and the next one works', async () => {
    const { handle } = withSessions();
    const toolbox = await reach(handle);
    await toolbox.call('echo', {});
    const call = toolbox.call(
      'waits',
      {},
      {
        onEvent({ type }) {
          if (type === 'progress') for (const server of listening) server.closeAllConnections();
        },
      },
    );
    expect(await failure(call)).toMatchObject({ code: 'SERVER_FAILED', message: expect.stringContaining('lost') });
    expect(textOf(await toolbox.call('echo', { a: 1 }))).toBe('{"a":1}');
  });

  it('is told of a call that is cancelled, and its stream is closed', async () => {
    const { handle } = withSessions();
    let isClosed = false;
    const toolbox = await reach(async (request) => {
      const isWait = request.method === 'POST' && (await request.clone().text()).includes('"waits"');
      if (isWait) request.signal.addEventListener('abort', () => (isClosed = true));
      return handle(request);
    });
    const aborter = new AbortController();
    const call = toolbox.call(
      'waits',
      {},
      {
        signal: aborter.signal,
        onEvent({ type }) {
          if (type === 'progress') aborter.abort();
        },
      },
    );
    expect((await failure(call)).code).toBe('CANCELLED');
    await until(() => isClosed);
  });

  it('whose answer is larger than allowed fails the call', async () => {
    const { handle } = withSessions();
    const toolbox = await reach(handle, {}, { maxMessageBytes: 64 * 1024 });
    expect((await failure(toolbox.call('echo', { text: 'x'.repeat(100_000) }))).code).toBe('SERVER_FAILED');
    expect(textOf(await toolbox.call('echo', {}))).toBe('{}');
  });

  it.each([401, 403, 500])('that answers %i says so', async (status) => {
    const toolbox = await reach(async () => new Response('no', { status }));
    const error = await failure(toolbox.listTools());
    expect(error).toMatchObject({ code: 'SERVER_FAILED' });
    expect(error.message).toContain(String(status));
  });

  it('that is not found at / says what may be meant, and of another path that it is not found', async () => {
    const url = new URL(await listenFor(async () => new Response('no', { status: 404 })));
    const said = async (path: string) => {
      const toolbox = keep(createServerToolbox({ kind: 'url', url: new URL(path, url).href }));
      return (await failure(toolbox.listTools())).message.replace(/.*(?=status)/, '');
    };
    expect(await said('/?token=geheim')).toBe(`status 404; is its address ${url.origin}/mcp?`);
    expect(await said('/other')).toBe('status 404');
  });

  it('at a port that is not asked says so', async () => {
    const toolbox = keep(createServerToolbox({ kind: 'url', url: 'http://127.0.0.1:9/mcp' }));
    expect((await failure(toolbox.listTools())).message).toBe('The MCP server could not be reached: bad port');
  });

  it('where nobody listens says so', async () => {
    const toolbox = await reach(async () => new Response());
    await Promise.all(listening.splice(0).map((server) => new Promise((resolve) => server.close(resolve))));
    expect(await failure(toolbox.listTools())).toMatchObject({
      code: 'SERVER_FAILED',
      message: expect.stringContaining('ECONNREFUSED'),
    });
  });

  it.each(['ftp://example.com', 'nowhere', 'http://me:secret@example.com'])('is refused where it is %s', (url) => {
    const make = () => createServerToolbox({ kind: 'url', url });
    expect(make).toThrowError(expect.objectContaining({ code: 'INVALID_CONFIG' }));
  });
});

async function reach(
  handle: Handle,
  headers: Readonly<Record<string, string>> = {},
  options: ServerToolboxOptions = {},
): Promise<ServerToolbox> {
  return keep(createServerToolbox({ kind: 'url', url: await listenFor(handle), headers }, options));
}

async function listenFor(handle: Handle): Promise<string> {
  const server = createHttpServer((request, response) => void serve(handle, request, response));
  listening.push(server);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return `http://127.0.0.1:${port}/mcp`;
}
