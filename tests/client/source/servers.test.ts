import { describe, expect, it } from 'vitest';
import type { Servers } from '../../../src/client/servers/servers.js';
import { CallerError } from '../../../src/errors.js';
import type { ToolSource } from '../../../src/toolsource.js';
import { failure, guards, isAlive, textOf, until } from '../harness.js';
import { entry, fileServer, folder, openServers } from './harness.js';

const namesOf = async (servers: Servers, server: string) => (await servers.list(server)).tools.map(({ name }) => name);
const pidOf = async (servers: Servers, server: string) =>
  JSON.parse(textOf(await servers.call(server, 'pid', {}))).pid as number;

describe('the servers of a config', () => {
  it('are what the operations of code execution take their tools from', () => {
    const source: ToolSource = openServers([entry('one', 'sdk_server.mjs')]);
    expect(source.names).toEqual(['one']);
  });

  it('are named in order, without those that are disabled, the first of two with one name', async () => {
    const problem = new CallerError('INVALID_CONFIG', 'MCP server broken: the variable TOKEN is not set');
    const servers = openServers([
      entry('one', 'sdk_server.mjs'),
      entry('off', 'sdk_server.mjs', {}, { disabled: true }),
      entry('broken', '', {}, { target: undefined, problem }),
      entry('one', 'dies_at_start.mjs'),
    ]);
    expect(servers.names).toEqual(['one', 'broken']);
    expect(await namesOf(servers, 'one')).toContain('echo');
    await expect(servers.list('broken')).rejects.toBe(problem);
    expect(await failure(servers.list('off'))).toMatchObject({
      code: 'UNKNOWN_SERVER',
      message: 'MCP server off: it is disabled in .mcp.json. Enable it there to use it',
    });
    expect(await failure(servers.call('onee', 'echo', {}))).toMatchObject({
      code: 'UNKNOWN_SERVER',
      message: 'The config names no MCP server "onee". Did you mean one? There are: one, broken.',
    });
    expect((await failure(openServers([]).list('x'))).message).toContain('It names none.');
  });

  it('are started at their first use, once for all who use them at once, and each tells that it starts', async () => {
    const told: string[] = [];
    const servers = openServers([entry('one', 'answers_with_its_process.mjs'), entry('two', 'sdk_server.mjs')], {
      onStart: (server) => told.push(`${server} starts`),
      onStarted: (server) => told.push(`${server} is there`),
    });
    expect(told).toEqual([]);
    const [, , first, ...others] = await Promise.all([
      servers.list('one'),
      servers.list('one', { fresh: true }),
      ...Array.from({ length: 20 }, () => pidOf(servers, 'one')),
    ]);
    expect(new Set(others)).toEqual(new Set([first]));
    expect(told).toEqual(['one starts', 'one is there']);
    expect(servers.toolbox('one').status()).toMatchObject({ starts: 1 });
    expect(servers.toolbox('two').status()).toMatchObject({ starts: 0 });
  });

  it('keep what one script made there for the next, whoever asks', async () => {
    const servers = openServers([entry('one', 'answers_with_its_process.mjs')]);
    const counts: number[] = [];
    for (const caller of ['a', 'b', undefined]) {
      const { calls } = JSON.parse(textOf(await servers.call('one', 'pid', {}, { caller, session: caller })));
      counts.push(calls);
    }
    expect(counts).toEqual([1, 2, 3]);
  });

  it('are kept when a call on them is given up, as long as they answer', async () => {
    const servers = openServers([entry('one', 'answers_cancelled_calls.mjs')]);
    const pid = textOf(await servers.call('one', 'pid', {}));
    const aborter = new AbortController();
    const call = failure(servers.call('one', 'work', {}, { signal: aborter.signal }));
    await until(() => servers.toolbox('one').status().busy === 1);
    aborter.abort();
    expect(await call).toMatchObject({ code: 'CANCELLED' });
    expect(textOf(await servers.call('one', 'pid', {}))).toBe(pid);
  });

  it('are asked once whether they still answer, after a call that was given up', async () => {
    const server = fileServer(['work', 'never']);
    const servers = openServers([server.entry]);
    await servers.call('files', 'work', {});
    const aborter = new AbortController();
    const call = failure(servers.call('files', 'never', {}, { signal: aborter.signal }));
    await until(() => server.asked().includes('call never'));
    aborter.abort();
    await call;
    for (let number = 0; number < 5; number++) await servers.call('files', 'work', {});
    await servers.close();
    expect(server.asked().filter((word) => word === 'ping')).toHaveLength(1);
  });

  it('are not harmed by listeners that throw', async () => {
    const fail = () => {
      throw new Error('the listener is broken');
    };
    const server = fileServer(['tell']);
    const servers = openServers([server.entry], { onStart: fail, onStarted: fail });
    let told = 0;
    servers.onToolsChanged(fail);
    servers.onToolsChanged(() => {
      told += 1;
    });
    await servers.call('files', 'tell', {});
    await until(() => told === 1);
    await servers.call('files', 'tell', {});
  });

  it('answer calls at once over one connection, each with its own answer', async () => {
    const servers = openServers([entry('one', 'answers_out_of_order.mjs')]);
    const values = Array.from({ length: 50 }, (_, index) => `value ${index}`);
    const results = await Promise.all(values.map((value) => servers.call('one', 'work', { value, of: 50 })));
    expect(results.map(textOf)).toEqual(values);
  });

  it('share the work among several processes where the config says that they keep no state', async () => {
    const target = { stateless: true, maxProcesses: 2 };
    const servers = openServers([entry('one', 'ignores_cancel.mjs', target)]);
    const aborter = new AbortController();
    const waiting = failure(servers.call('one', 'deaf', {}, { signal: aborter.signal }));
    await servers.call('one', 'pid', {});
    await until(() => servers.toolbox('one').status().starts === 2);
    aborter.abort();
    await waiting;
  });

  it('do not count the start of a server as time of the call, unless the caller does', async () => {
    const servers = openServers([entry('slow', 'hangs_at_start.mjs')], { callTimeoutMs: 50, startTimeoutMs: 600 });
    expect((await failure(servers.list('slow'))).message).toContain('did not introduce itself within 600 ms');
    const known = openServers([entry('one', 'ignores_cancel.mjs')], { callTimeoutMs: 300 });
    await known.list('one');
    expect(await failure(known.call('one', 'deaf', {}))).toMatchObject({
      code: 'TIMEOUT',
      message: 'MCP server one: The MCP server did not answer within 300 ms',
    });
    const patient = openServers([entry('slow', 'hangs_at_start.mjs')]);
    expect(await failure(patient.call('slow', 'work', {}, { timeoutMs: 100 }))).toMatchObject({
      code: 'TIMEOUT',
      message: 'MCP server slow: The MCP server did not answer within 100 ms',
    });
  });

  it('give a call that has to start its server no more time than any other, once it is up', async () => {
    const cacheDir = folder();
    const one = entry('one', 'ignores_cancel.mjs');
    const before = openServers([one], { cacheDir });
    await before.list('one');
    await before.close();
    const servers = openServers([one], { cacheDir, callTimeoutMs: 300 });
    expect(await failure(servers.call('one', 'work', {}))).toMatchObject({
      code: 'TIMEOUT',
      message: 'MCP server one: The MCP server did not answer within 300 ms',
    });
  });

  it('take the times that an entry says', async () => {
    const servers = openServers([
      entry('one', 'ignores_cancel.mjs', {}, { timeoutMs: 200 }),
      entry('two', 'hangs_at_start.mjs', {}, { startTimeoutMs: 250 }),
    ]);
    await servers.list('one');
    expect((await failure(servers.call('one', 'deaf', {}))).message).toContain('within 200 ms');
    expect((await failure(servers.list('two'))).message).toContain('within 250 ms');
  });

  it('can be had one by one as toolboxes, whose errors name them', async () => {
    const servers = openServers([entry('one', 'sdk_server.mjs'), entry('two', 'sdk_server.mjs')]);
    const toolbox = servers.toolbox('one');
    await toolbox.warm();
    await toolbox.probe();
    expect((await toolbox.askTools()).tools).toEqual(await toolbox.listTools());
    expect(toolbox.describe()).toMatchObject({ name: 'fixture', version: '1.2.3' });
    await toolbox.restart();
    expect(textOf(await toolbox.call('echo', { a: 1 }))).toBe('{"a":1}');
    await toolbox.close();
    expect(await failure(toolbox.call('echo', {}))).toMatchObject({
      code: 'CLOSED',
      message: expect.stringContaining('MCP server one: '),
    });
    expect(textOf(await servers.call('two', 'echo', {}))).toBe('{}');
  });

  it('tell what they call themselves', async () => {
    const servers = openServers([entry('one', 'sdk_server.mjs')]);
    expect(await servers.list('one')).toMatchObject({ title: 'fixture', isRemembered: false });
  });
});

describe.each(await guards())('the processes of servers $name', ({ python }) => {
  it('are all gone after close, and nothing is started again', async () => {
    const file = fileServer(['work'], 'file');
    const servers = openServers(
      [entry('one', 'answers_with_its_process.mjs'), entry('two', 'answers_with_its_process.mjs'), file.entry],
      { python },
    );
    const pids = [await pidOf(servers, 'one'), await pidOf(servers, 'two')];
    const waiting = failure(servers.call('file', 'work', {}));
    await Promise.all([servers.close(), servers.close()]);
    expect(pids.filter(isAlive)).toEqual([]);
    expect((await waiting).code).toBe('CLOSED');
    for (const work of [servers.list('one'), servers.call('two', 'pid', {})]) {
      expect((await failure(work)).code).toBe('CLOSED');
    }
  });

  it('are replaced when they die, and the others are not touched', async () => {
    const servers = openServers([entry('one', 'dies_in_the_call.mjs'), entry('two', 'answers_with_its_process.mjs')], {
      python,
    });
    const other = await pidOf(servers, 'two');
    const first = textOf(await servers.call('one', 'pid', {}));
    expect(await failure(servers.call('one', 'work', {}))).toMatchObject({
      code: 'SERVER_FAILED',
      message:
        'MCP server one: The MCP server node ended with exit code 3 before it answered. It wrote last:\n  something is very wrong',
    });
    expect(textOf(await servers.call('one', 'pid', {}))).not.toBe(first);
    expect(await pidOf(servers, 'two')).toBe(other);
  });
});
