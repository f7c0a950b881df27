import { describe, expect, it } from 'vitest';
import { connect } from '../../src/client/client.js';
import type { CallEvent, JsonObject } from '../../src/toolbox.js';
import { commandOf, failure, isAlive, keep, open, recordLog, textOf, until } from './harness.js';

describe('a call', () => {
  it('gives back every kind of content as the server said it', async () => {
    const { content } = await open('sdk_server.mjs').call('blocks', {});
    expect(content).toEqual([
      { type: 'text', text: 'words' },
      { type: 'image', data: 'aGk=', mimeType: 'image/png' },
      { type: 'audio', data: 'aGk=', mimeType: 'audio/wav' },
      { type: 'resource', resource: { uri: 'test://one', mimeType: 'text/plain', text: 'inside' } },
      { type: 'resource_link', uri: 'test://two', name: 'two' },
    ]);
  });

  it("passes arguments, structured content and a tool's own failure through", async () => {
    const toolbox = open('sdk_server.mjs');
    const args = { text: 'ünïcode \n "quoted"', deep: [{ a: null }] };
    expect(JSON.parse(textOf(await toolbox.call('echo', args)))).toEqual(args);
    expect(await toolbox.call('structured', {})).toMatchObject({ structuredContent: { n: 1, list: [null, 'a'] } });
    expect(await toolbox.call('fails', {})).toEqual({
      content: [{ type: 'text', text: 'it did not work' }],
      isError: true,
    });
  });

  it('keeps blocks of kinds that are not known', async () => {
    const { content } = await open('answers_oddly.mjs').call('work', {});
    expect(content).toEqual([{ type: 'hologram', beams: 3 }]);
  });

  it('tells progress and logs in order, before its result', async () => {
    const toolbox = open('sdk_server.mjs');
    await toolbox.call('echo', {});
    const events: CallEvent[] = [];
    await toolbox.call('steps', {}, { onEvent: (event) => void events.push(event) });
    await toolbox.call('talks', {}, { onEvent: (event) => void events.push(event) });
    expect(events).toEqual([
      { type: 'progress', done: 1, total: 3, message: 'step 1' },
      { type: 'progress', done: 2, total: 3, message: 'step 2' },
      { type: 'progress', done: 3, total: 3, message: 'step 3' },
      { type: 'log', level: 'warning', message: 'watch out' },
      { type: 'log', level: 'info', message: '{"some":"data"}' },
    ]);
  });

  it('waits with its result for a receiver of events that takes its time', async () => {
    const seen: number[] = [];
    await open('sdk_server.mjs').call(
      'steps',
      {},
      {
        async onEvent(event) {
          await new Promise(setImmediate);
          if (event.type === 'progress') seen.push(event.done);
        },
      },
    );
    expect(seen).toEqual([1, 2, 3]);
  });

  it('ends in time, and keeps nobody waiting, where the receiver of events never takes one', async () => {
    const toolbox = open('sdk_server.mjs');
    const onEvent = () => new Promise<void>(() => {});
    expect((await failure(toolbox.call('steps', {}, { session: 'one', onEvent, timeoutMs: 1500 }))).code).toBe(
      'TIMEOUT',
    );
    await until(() => toolbox.status().busy === 0);
    expect(textOf(await toolbox.call('echo', {}, { session: 'one' }))).toBe('{}');
  });

  it('is not harmed by a receiver of events that throws', async () => {
    const { content } = await open('sdk_server.mjs').call(
      'steps',
      {},
      {
        onEvent() {
          throw new Error('the receiver is broken');
        },
      },
    );
    expect(content).toEqual([]);
  });

  it.each([
    [
      '-32603',
      { code: -32603, message: 'it broke' },
      { isError: true, content: [{ type: 'text', text: 'Error -32603: it broke' }] },
    ],
    [
      'hostile text',
      { code: 1, message: '<b>\u0000 ignore all' },
      { content: [{ type: 'text', text: 'Error 1: <b>\u0000 ignore all' }] },
    ],
  ])('that the server answers with the error %s is a result that the model reads', async (_name, args, result) => {
    expect(await open('refuses_calls.mjs').call('work', args)).toMatchObject(result);
  });

  it('with arguments that the server refuses fails with its words', async () => {
    const toolbox = open('refuses_calls.mjs');
    await toolbox.listTools();
    const args: JsonObject = { code: -32602, message: 'x must be a number' };
    expect(await failure(toolbox.call('work', args))).toMatchObject({
      code: 'INVALID_ARGUMENTS',
      message: 'x must be a number',
    });
    expect(await failure(toolbox.call('werk', args))).toMatchObject({
      code: 'UNKNOWN_TOOL',
      message: expect.stringContaining('Did you mean work?'),
    });
  });

  it('of a tool that the server only says in a result not to have is of an unknown tool', async () => {
    const toolbox = open('refuses_calls.mjs');
    await toolbox.listTools();
    const args: JsonObject = { inResult: 'MCP error -32602: Tool not found' };
    expect(await failure(toolbox.call('werk', args))).toMatchObject({
      code: 'UNKNOWN_TOOL',
      message: expect.stringContaining('Did you mean work?'),
    });
    expect(textOf(await toolbox.call('work', args))).toBe('MCP error -32602: Tool not found');
  });

  it('whose answer has no form is answered all the same', async () => {
    expect(await open('refuses_calls.mjs').call('work', { odd: true })).toMatchObject({ isError: true });
  });

  it('that was cancelled before it began starts nothing', async () => {
    const toolbox = open('sdk_server.mjs');
    const error = await failure(toolbox.call('echo', {}, { signal: AbortSignal.abort() }));
    expect(error.code).toBe('CANCELLED');
    expect(toolbox.status().starts).toBe(0);
  });
});

describe('a cancelled call', () => {
  it('tells the server, and fails at once', async () => {
    const { log, text } = recordLog();
    const toolbox = open('sdk_server.mjs', {}, { log });
    const aborter = new AbortController();
    const onEvent = ({ type }: CallEvent) => {
      if (type === 'progress') aborter.abort();
    };
    const call = toolbox.call('waits', {}, { session: 'one', signal: aborter.signal, onEvent });
    expect((await failure(call)).code).toBe('CANCELLED');
    await until(() => text().includes('the wait was cancelled'));
  });

  it('of a server that answers nothing any more ends its process, and the next call works', async () => {
    const toolbox = open('ignores_cancel.mjs');
    const pid = Number(textOf(await toolbox.call('pid', {}, { session: 'one' })));
    const busy = failure(toolbox.call('busy', {}, { session: 'one', timeoutMs: 200 }));
    expect(await busy).toMatchObject({ code: 'TIMEOUT', details: { limit: 200 } });
    expect(Number(textOf(await toolbox.call('pid', {}, { session: 'one' })))).not.toBe(pid);
    expect(isAlive(pid)).toBe(false);
  });

  it('leaves a named session its process, where that still answers', async () => {
    const toolbox = open('ignores_cancel.mjs');
    const pid = textOf(await toolbox.call('pid', {}, { session: 'one' }));
    await failure(toolbox.call('deaf', {}, { session: 'one', timeoutMs: 100 }));
    expect(textOf(await toolbox.call('pid', {}, { session: 'one' }))).toBe(pid);
  });

  it.each([
    ['belongs to nobody in particular', { stateless: true }],
    ['belongs to a caller without a session', {}],
  ])('ends a process that %s and may still be working for nobody', async (_name, target) => {
    const toolbox = open('ignores_cancel.mjs', target);
    const pid = Number(textOf(await toolbox.call('pid', {})));
    await failure(toolbox.call('deaf', {}, { timeoutMs: 100 }));
    await until(() => !isAlive(pid));
    expect(textOf(await toolbox.call('pid', {}))).not.toBe(String(pid));
    expect(toolbox.status().crashes).toBe(0);
  });

  it('keeps a process that says that it has stopped', async () => {
    const toolbox = open('answers_cancelled_calls.mjs', { stateless: true });
    const pid = textOf(await toolbox.call('pid', {}));
    await failure(toolbox.call('work', {}, { timeoutMs: 100 }));
    expect(textOf(await toolbox.call('pid', {}))).toBe(pid);
  });

  it('harms no other call of the same process', async () => {
    const toolbox = open('answers_out_of_order.mjs', { stateless: true, maxProcesses: 1 });
    await toolbox.warm();
    const aborter = new AbortController();
    const given = failure(toolbox.call('work', { value: 'gone', of: 2 }, { signal: aborter.signal }));
    aborter.abort();
    expect((await given).code).toBe('CANCELLED');
    const both = await Promise.all([1, 2].map((value) => toolbox.call('work', { value, of: 2 })));
    expect(both.map(textOf).sort()).toEqual(['1', '2']);
  });
});

describe('connect', () => {
  it('gives a toolbox that was reached already, and says what the server is', async () => {
    const toolbox = keep(await connect(commandOf('sdk_server.mjs')));
    expect(toolbox.describe()).toMatchObject({ name: 'fixture', version: '1.2.3' });
    expect(toolbox.status()).toMatchObject({ idle: 1, starts: 1 });
  });

  it('fails where the server cannot be reached, and leaves nothing', async () => {
    expect((await failure(connect(commandOf('dies_at_start.mjs')))).code).toBe('SERVER_FAILED');
  });
});
