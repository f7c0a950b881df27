import { type AddressInfo, createServer } from 'node:net';
import { describe, expect, it } from 'vitest';
import { failure, recordLog, textOf, until } from '../harness.js';
import { entry, openServers } from './harness.js';

const secret = 'a-very-secret-value-1234';
const bystander = entry('bystander', 'sdk_server.mjs');

const deadPort = await closedPort();

async function closedPort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}

describe('a server in trouble', () => {
  it.each([
    [
      'a command that does not exist',
      entry('bad', '', { command: 'no-such-program-here' }),
      'could not be started: there is no such program; check its name and the PATH',
    ],
    ['a folder that does not exist', entry('bad', '', { cwd: '/no/such/folder' }), 'the folder that it is to run in'],
    [
      'a server that hangs at its start',
      entry('bad', 'hangs_at_start.mjs', {}, { startTimeoutMs: 500 }),
      'did not introduce itself within 500 ms',
    ],
    ['a server that dies at its start', entry('bad', 'dies_at_start.mjs'), 'ended with exit code 7'],
    [
      'an address where nobody listens',
      entry('bad', '', {}, { target: { kind: 'url', url: `http://127.0.0.1:${deadPort}/mcp` } }),
      'could not be reached: ECONNREFUSED',
    ],
    ['an address that is none', entry('bad', '', {}, { target: { kind: 'url', url: 'nowhere' } }), 'begins with http'],
  ])('for %s says so by its name, and the others work', async (_what, bad, sentence) => {
    const servers = openServers([bad, bystander]);
    const works = servers.call('bystander', 'echo', { a: 1 });
    const errors = await Promise.all([failure(servers.list('bad')), failure(servers.call('bad', 'work', {}))]);
    for (const error of errors) {
      expect(error.message).toContain(sentence);
      expect(error.message).toMatch(/^MCP server bad: /);
      expect(error.message.match(/MCP server bad: /g)).toHaveLength(1);
    }
    expect(textOf(await works)).toBe('{"a":1}');
  });

  it('that dies at its start is told of with its last words, without secrets and what steers a terminal', async () => {
    const { log, text } = recordLog();
    const env = { SECRET: secret, HOW: 'dies' };
    const servers = openServers([entry('bad', 'tells_its_secret.mjs', { env })], { log });
    const error = await failure(servers.list('bad'));
    expect(error.message).toBe(
      'MCP server bad: The MCP server node ended with exit code 5 before it answered. It wrote last:\n  first line\n  the key [redacted SECRET] is refused',
    );
    expect(error.details).toMatchObject({ exitCode: 5, reference: expect.any(String) });
    expect(text()).toContain('[redacted SECRET]');
    expect(text()).toContain('"server":"bad"');
    expect(`${text()}${JSON.stringify(error)}${error.stack}${String(error.cause)}`).not.toContain(secret);
  });

  it('that hides its secret where a long line is cut tells no part of it', async () => {
    const env = { SECRET: secret, HOW: 'dies', BEFORE: '282' };
    const servers = openServers([entry('bad', 'tells_its_secret.mjs', { env })]);
    const { message } = await failure(servers.list('bad'));
    expect(message).toContain('xxxx');
    expect(message).not.toContain(secret.slice(0, 6));
  });

  it('that hangs at its start is told of with its last words', async () => {
    const env = { SECRET: secret, HOW: 'hangs' };
    const servers = openServers([entry('bad', 'tells_its_secret.mjs', { env })], { startTimeoutMs: 3000 });
    const { message } = await failure(servers.list('bad'));
    expect(message).toContain('It wrote last:\n  first line\n  the key [redacted SECRET] is refused');
  });

  it('that dies in a call is told of with its last words', async () => {
    const servers = openServers([entry('bad', 'tells_its_secret.mjs', { env: { SECRET: secret } })]);
    const { message } = await failure(servers.call('bad', 'work', {}));
    expect(message).toContain('ended with exit code 9 before it answered');
    expect(message).toContain('last word of [redacted SECRET]');
    expect(message).not.toContain(secret);
  });

  it.each(['fails', 'refuses'])('that %s in a call tells why without its secret', async (how) => {
    const servers = openServers([entry('bad', 'tells_its_secret.mjs', { env: { SECRET: secret, HOW: how } })]);
    const result = await servers.call('bad', 'work', {});
    expect(result.isError).toBe(true);
    expect(textOf(result)).toContain('denied for [redacted SECRET]');
  });

  it('that gives what happens to be in its entry as the result gives it whole', async () => {
    const servers = openServers([entry('one', 'tells_its_secret.mjs', { env: { SECRET: secret, HOW: 'tells' } })]);
    expect(textOf(await servers.call('one', 'work', {}))).toBe(secret);
  });

  it('that writes garbage is heard all the same', async () => {
    const servers = openServers([entry('one', 'writes_garbage.mjs')]);
    expect(textOf(await servers.call('one', 'work', {}))).toBe('clean');
  });

  it.each(['half', 'not_a_number', 'id_at_the_end', 'no_utf8'])(
    'that answers with what is no JSON (%s) fails that call at once, and the next one works',
    async (tool) => {
      const servers = openServers([entry('one', 'answers_with_bad_json.mjs')]);
      expect(await failure(servers.call('one', tool, {}))).toMatchObject({
        code: 'SERVER_FAILED',
        message: 'MCP server one: The MCP server node answered with a line that is no valid JSON',
      });
      expect(textOf(await servers.call('one', 'work', {}))).toBe('fine');
      expect(servers.toolbox('one').status()).toMatchObject({ starts: 1, crashes: 0 });
    },
  );

  it('loses only the entries of its list that nobody could use', async () => {
    const { log, entries } = recordLog();
    const servers = openServers([entry('one', 'lists_odd_tools.mjs')], { log });
    expect((await servers.list('one')).tools).toEqual([
      { name: 'fine', inputSchema: { type: 'object' } },
      { name: 'bare', inputSchema: { type: 'object' } },
      { name: 'odd_output', inputSchema: { type: 'object' } },
    ]);
    const noted = entries.find(({ leftOut }) => leftOut !== undefined);
    expect(noted).toMatchObject({ server: 'one', leftOut: 13 });
    expect(noted?.reasons).toContain('nested deeper than 100 levels');
  });

  it('with 10,000 tools is listed whole', async () => {
    const servers = openServers([entry('many', 'lists_pages.mjs')]);
    expect((await servers.list('many')).tools).toHaveLength(10_000);
  });
});

describe('an answer', () => {
  it('of 50 MB is given whole', async () => {
    const servers = openServers([entry('large', 'answers_with_megabytes.mjs')]);
    const answer = textOf(await servers.call('large', 'much', { megabytes: 50 }));
    expect(answer.length).toBe(50 * 1024 * 1024);
  });

  it.each(['much', 'number_last'])(
    'that is larger than allowed (%s) fails its own call, and others go on on the same process',
    async (tool) => {
      const servers = openServers([entry('large', 'answers_with_megabytes.mjs')], { maxMessageBytes: 1024 * 1024 });
      const pid = textOf(await servers.call('large', 'pid', {}));
      const waits = servers.call('large', 'wait', {});
      await until(() => servers.toolbox('large').status().busy === 1);
      expect(await failure(servers.call('large', tool, { megabytes: 3 }))).toMatchObject({
        code: 'SERVER_FAILED',
        message: 'MCP server large: The MCP server node wrote a message of more than 1048576 bytes, which is the limit',
      });
      expect(textOf(await waits)).toBe('waited');
      expect(textOf(await servers.call('large', 'pid', {}))).toBe(pid);
    },
  );

  it('that is too large, and of which it cannot be told whose it is, is that of the only call', async () => {
    const servers = openServers([entry('large', 'answers_with_megabytes.mjs')], { maxMessageBytes: 1024 * 1024 });
    await servers.list('large');
    const call = servers.call('large', 'number_hidden', { megabytes: 2 });
    expect((await failure(call)).message).toContain('more than 1048576 bytes');
    expect(servers.toolbox('large').status()).toMatchObject({ starts: 1, crashes: 0 });
  });

  it('is not harmed by a notification that is too large', async () => {
    const servers = openServers([entry('large', 'answers_with_megabytes.mjs')], { maxMessageBytes: 1024 * 1024 });
    expect(textOf(await servers.call('large', 'notification', { megabytes: 2 }))).toBe('told');
  });

  it('without an end ends the process', async () => {
    const servers = openServers([entry('large', 'writes_an_endless_line.mjs')], { maxMessageBytes: 1024 * 1024 });
    expect((await failure(servers.call('large', 'work', {}))).message).toContain('more than 1048576 bytes');
    await until(() => servers.toolbox('large').status().crashes === 1);
  });
});
