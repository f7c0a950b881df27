import { describe, expect, it } from 'vitest';
import { failure, guards, hasGuard, isAlive, open, recordLog, textOf, until } from './harness.js';

describe.each(await guards())('a server $name', ({ python }) => {
  it('answers calls, and is gone after close', async () => {
    const toolbox = open('answers_with_its_process.mjs', {}, { python });
    const first = JSON.parse(textOf(await toolbox.call('pid', {})));
    const second = JSON.parse(textOf(await toolbox.call('pid', {})));
    expect(second).toEqual({ pid: first.pid, calls: 2 });
    await toolbox.close();
    expect(isAlive(first.pid)).toBe(false);
    await expect(toolbox.call('pid', {})).rejects.toMatchObject({ code: 'CLOSED' });
  });

  it('that dies in a call fails that call alone, and the next one works', async () => {
    const { log, text } = recordLog();
    const toolbox = open('dies_in_the_call.mjs', {}, { python, log });
    const first = textOf(await toolbox.call('pid', {}));
    const error = await failure(toolbox.call('work', {}));
    expect(error.code).toBe('SERVER_FAILED');
    expect(error.message).toContain('ended with exit code 3 before it answered');
    expect(error.details).toMatchObject({ exitCode: 3, reference: expect.any(String) });
    expect(error.message).not.toContain('very wrong');
    expect(text()).toContain('something is very wrong');
    expect(text()).toContain(error.details.reference);
    expect(textOf(await toolbox.call('pid', {}))).not.toBe(first);
    expect(toolbox.status()).toMatchObject({ starts: 2, crashes: 1 });
  });

  it('that a signal ends is told of by its name', async () => {
    const error = await failure(open('dies_in_the_call.mjs', {}, { python }).call('work', { signal: 'SIGSEGV' }));
    expect(error.message).toContain('ended by SIGSEGV');
    expect(error.details.signal).toBe('SIGSEGV');
  });

  it('that writes what is no message is heard all the same', async () => {
    const { log, text } = recordLog();
    const toolbox = open('writes_garbage.mjs', {}, { python, log });
    expect(textOf(await toolbox.call('work', {}))).toBe('clean');
    for (const line of ['Server started!', 'not json', 'a line on stderr']) await until(() => text().includes(line));
  });

  it('that stops in half a line fails the call and says so', async () => {
    const { log, text } = recordLog();
    const error = await failure(open('stops_in_half_a_line.mjs', {}, { python, log }).call('work', {}));
    expect(error.message).toContain('in the middle of a message');
    expect(text()).toContain('the MCP server ended in the middle of a line');
  });

  it('that writes a line of 100 MB is cut off, and memory stays bounded', async () => {
    const before = process.memoryUsage().rss;
    const toolbox = open('writes_an_endless_line.mjs', {}, { python, maxMessageBytes: 1024 * 1024 });
    const error = await failure(toolbox.call('work', {}));
    expect(error.message).toContain('more than 1048576 bytes');
    expect(process.memoryUsage().rss - before).toBeLessThan(60 * 1024 * 1024);
    await until(() => toolbox.status().idle + toolbox.status().busy === 0);
  });

  it('that answers what nobody asked, or twice, confuses nobody', async () => {
    const { log, entries } = recordLog();
    const toolbox = open('answers_what_nobody_asked.mjs', {}, { python, log });
    expect(textOf(await toolbox.call('work', {}))).toBe('first');
    expect(textOf(await toolbox.call('work', {}))).toBe('first');
    expect(entries.filter(({ event }) => String(event).includes('not asked')).length).toBeGreaterThanOrEqual(4);
  });

  it('that answers out of order gives each call its own answer', async () => {
    const toolbox = open('answers_out_of_order.mjs', { stateless: true, maxProcesses: 1 }, { python });
    const values = Array.from({ length: 10 }, (_, index) => `value ${index}`);
    const results = await Promise.all(values.map((value) => toolbox.call('work', { value, of: values.length })));
    expect(results.map(textOf)).toEqual(values);
  });

  it('that dies at start fails with its exit code', async () => {
    const { log, text } = recordLog();
    const error = await failure(open('dies_at_start.mjs', {}, { python, log }).call('work', {}));
    expect(error.message).toContain('ended with exit code 7');
    expect(text()).toContain('no configuration found');
  });

  it('that hangs at start is given up and ended', async () => {
    const toolbox = open('hangs_at_start.mjs', {}, { python, startTimeoutMs: 300 });
    const error = await failure(toolbox.listTools());
    expect(error).toMatchObject({ code: 'SERVER_FAILED', message: expect.stringContaining('within 300 ms') });
    expect(toolbox.status()).toMatchObject({ idle: 0, busy: 0 });
  });

  it.each([
    ['a program that does not exist', { command: 'no-such-program-here' }, 'there is no such program'],
    [
      'a whole line in the place of a program',
      { command: 'node ./server.mjs --token abc' },
      'there is no such program; a command is the program alone: write command: node, and what follows as args',
    ],
    ['a file that may not be executed', { command: import.meta.filename }, 'it may not be executed'],
    ['a folder that does not exist', { cwd: '/no/such/folder' }, 'the folder that it is to run in does not exist'],
    ['an argument with a zero in it', { args: ['a\0b'] }, 'could not be started'],
  ])('of %s says so', async (_what, target, sentence) => {
    const error = await failure(open('answers_with_its_process.mjs', target, { python }).call('work', {}));
    expect(error.code).toBe('SERVER_FAILED');
    expect(error.message).toContain(sentence);
    expect(error.message).not.toContain('/');
  });

  it('that heeds neither its closed input nor SIGTERM is killed', async () => {
    const toolbox = open('stays_whatever_comes.mjs', {}, { python, graceMs: 100 });
    const pid = Number(textOf(await toolbox.call('work', {})));
    await toolbox.close();
    expect(isAlive(pid)).toBe(false);
  });

  it('takes what stayed in its group along', async () => {
    const toolbox = open('forks_a_daemon.mjs', {}, { python });
    const { pid, daemon } = JSON.parse(textOf(await toolbox.call('work', { leavesGroup: false })));
    await toolbox.close();
    await until(() => !isAlive(pid) && !isAlive(daemon));
  });

  it('sees a safe environment and what it was given', async () => {
    process.env.CLIENT_TEST_SECRET = 'hidden';
    const toolbox = open('sdk_server.mjs', { env: { GIVEN: 'yes' } }, { python });
    const environment = JSON.parse(textOf(await toolbox.call('environment', {})));
    delete process.env.CLIENT_TEST_SECRET;
    expect(environment).toMatchObject({ GIVEN: 'yes', PATH: process.env.PATH });
    expect(environment.CLIENT_TEST_SECRET).toBeUndefined();
  });
});

describe('a guard', () => {
  it.skipIf(!hasGuard).each(['/no/such/python', '/bin/false'])('that is %s is told from the server', async (python) => {
    const error = await failure(open('answers_with_its_process.mjs', {}, { python }).call('pid', {}));
    expect(error.message).toContain('the Python that guards it does not run');
  });
});
