import { homedir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { CallerError, HostError, LimitError, ScriptError } from '../../src/errors.js';
import { createLog } from '../../src/log.js';
import type { CallOptions, JsonObject, RunFigures, ToolResult } from '../../src/toolbox.js';
import { FakeToolbox, text, untilCancelled } from './fake-toolbox.js';
import { connectTo, eras } from './sdk-client.js';

const figures: RunFigures = {
  queueMs: 0,
  wallMs: 1,
  cpuMs: 1,
  peakMemoryBytes: 1,
  addedMemoryBytes: 1,
  isolation: 'call',
  launcher: 'fork',
  python: '3.12.1',
  profile: 'trusted',
  enforced: { files: 'none', network: 'none', processes: 'none', memory: 'none', cpu: 'none', disk: 'none' },
};

describe.each(eras)('a client of %s', (era) => {
  it('sees who the server is and what its tools are', async () => {
    const inputSchema = { type: 'object', properties: { n: { type: 'integer' } }, required: ['n'] };
    const outputSchema = { type: 'object', properties: { result: { type: 'integer' } }, required: ['result'] };
    const annotations = { readOnlyHint: true };
    const tool = {
      title: 'Double',
      description: 'Doubles.',
      inputSchema,
      outputSchema,
      annotations,
      work: () => text(''),
    };
    const identity = { name: 'demo', version: '1.2.3', instructions: 'Use it well.' };
    const { client } = await connectTo(new FakeToolbox({ double: tool }), era, identity);
    expect(client.getServerCapabilities()).toMatchObject({ tools: { listChanged: true }, resources: {}, logging: {} });
    expect(client.getInstructions()).toBe('Use it well.');
    expect((await client.listTools()).tools).toEqual([
      { name: 'double', title: 'Double', description: 'Doubles.', inputSchema, outputSchema, annotations },
    ]);
    await client.close();
  });

  it('gets text, structured content, figures and what was printed, each in its place', async () => {
    const result: ToolResult = {
      content: [{ type: 'text', text: '4' }],
      structuredContent: { result: 4 },
      output: { stdout: 'two\n', stderr: '' },
      figures,
    };
    const outputSchema = { type: 'object', properties: { result: { type: 'integer' } }, required: ['result'] };
    const box = new FakeToolbox({ double: { outputSchema, work: () => result } });
    const { client } = await connectTo(box, era);
    await client.listTools();
    const answer = await client.callTool({ name: 'double', arguments: { n: 2 } });
    expect(answer).toMatchObject({
      content: [{ type: 'text', text: '4' }],
      structuredContent: { result: 4 },
      _meta: { 'mcp-execution/figures': figures, 'mcp-execution/output': { stdout: 'two\n' } },
    });
    expect(answer.isError).toBeUndefined();
    expect(box.calls).toMatchObject([{ name: 'double', args: { n: 2 } }]);
    await client.close();
  });

  it('names one session in all its calls, and nobody else does', async () => {
    const box = new FakeToolbox({ a: () => text('') });
    const one = await connectTo(box, era);
    const other = await connectTo(box, era);
    for (const { client } of [one, one, other]) await client.callTool({ name: 'a' });
    const sessions = box.calls.map(({ options }) => options.session);
    expect(sessions[0]).toBe(sessions[1]);
    expect(sessions[2]).not.toBe(sessions[0]);
  });

  it('has eight calls at once answered in the order in which they finish', async () => {
    const finish: (() => void)[] = [];
    const wait = ({ n }: JsonObject) =>
      new Promise<ToolResult>((resolve) => {
        finish[Number(n)] = () => resolve(text(String(n)));
        if (finish.length === 8) setImmediate(() => finish.toReversed().map((end) => end()));
      });
    const { client } = await connectTo(new FakeToolbox({ wait }), era);
    const order: unknown[] = [];
    await Promise.all(
      [0, 1, 2, 3, 4, 5, 6, 7].map(async (n) => {
        const { content } = await client.callTool({ name: 'wait', arguments: { n } });
        expect(content).toEqual([{ type: 'text', text: String(n) }]);
        order.push(n);
      }),
    );
    expect(order).toEqual([7, 6, 5, 4, 3, 2, 1, 0]);
    await client.close();
  });

  it('gets an unknown tool as an error of the protocol, with advice', async () => {
    const { client } = await connectTo(new FakeToolbox(), era);
    await expect(client.callTool({ name: 'no' })).rejects.toMatchObject({
      code: -32602,
      message: expect.stringContaining('There is no tool no'),
      data: { code: 'UNKNOWN_TOOL', advice: expect.any(String) },
    });
  });

  it.each([
    new ScriptError('EXCEPTION', 'it broke', { traceback: 'Traceback: line 3\n', stdout: 'before\n' }),
    new LimitError('TIMEOUT', 'it took too long'),
    new CallerError('INVALID_ARGUMENTS', 'n: expected an integer'),
  ])('gets a failure of the script, a limit or wrong arguments as a result to read: $code', async (error) => {
    const { client } = await connectTo(new FakeToolbox({ fail: () => Promise.reject(error) }), era);
    const result = await client.callTool({ name: 'fail' });
    expect(result.isError).toBe(true);
    expect(result.content).toEqual([
      { type: 'text', text: expect.stringContaining(`${error.code}: ${error.message}`) },
    ]);
    if (error.details.traceback) expect(JSON.stringify(result.content)).toContain('Traceback: line 3');
    if (error.details.stdout) expect(result._meta).toMatchObject({ 'mcp-execution/output': { stdout: 'before\n' } });
  });

  it('gets a failure of the host as code, sentence and reference', async () => {
    const error = new HostError('SPAWN_FAILED', 'No process could be started (reference abc)', { reference: 'abc' });
    const { client } = await connectTo(new FakeToolbox({ fail: () => Promise.reject(error) }), era);
    await expect(client.callTool({ name: 'fail' })).rejects.toMatchObject({
      code: -32603,
      data: { code: 'SPAWN_FAILED', reference: 'abc' },
    });
  });

  it('learns nothing of the home folder from a failure of the host', async () => {
    const error = new HostError('PYTHON_NOT_FOUND', `${join(homedir(), 'bin/python3')} is 3.9.1`);
    const { client, frames } = await connectTo(new FakeToolbox({ fail: () => Promise.reject(error) }), era);
    const message = expect.stringContaining(`${join('~', 'bin/python3')} is 3.9.1`);
    await expect(client.callTool({ name: 'fail' })).rejects.toMatchObject({ message });
    expect(JSON.stringify(frames)).not.toContain(homedir());
  });

  it('learns nothing of a failure that was not foreseen but a reference, which the log has', async () => {
    const logged: string[] = [];
    const log = createLog({ level: 'error', write: (line) => logged.push(line) });
    const fail = () => Promise.reject(new TypeError('secret of /home/ada/x.ts'));
    const { client, frames } = await connectTo(new FakeToolbox({ fail }), era, { log });
    const error = await client.callTool({ name: 'fail' }).catch((caught: unknown) => caught);
    expect(error).toMatchObject({ code: -32603, data: { reference: expect.any(String) } });
    expect(JSON.stringify(frames)).not.toMatch(/secret|ada|stack|TypeError/);
    const reference = /"reference":"(\w+)"/.exec(logged.join(''))?.[1];
    expect(error).toMatchObject({ data: { reference } });
    expect(logged.join('')).toContain('secret of');
  });

  it('learns nothing of a list that could not be had', async () => {
    const box = new FakeToolbox({ a: () => text('') });
    box.listTools = () => Promise.reject(new Error('secret of /home/ada'));
    const { client, frames } = await connectTo(box, era);
    await expect(client.listTools()).rejects.toMatchObject({ code: -32603 });
    await expect(client.callTool({ name: 'a' })).rejects.toMatchObject({ code: -32603 });
    expect(JSON.stringify(frames)).not.toContain('secret');
  });

  it('cancels a call: the work is told, and no answer comes', async () => {
    let cancelled = (): void => {};
    const told = new Promise<void>((resolve) => {
      cancelled = resolve;
    });
    let started = (): void => {};
    const running = new Promise<void>((resolve) => {
      started = resolve;
    });
    const wait = untilCancelled(cancelled);
    const slow = (args: JsonObject, options: CallOptions) => {
      started();
      return wait(args, options);
    };
    const { client, frames } = await connectTo(new FakeToolbox({ slow, quick: () => text('') }), era);
    const controller = new AbortController();
    const call = client.callTool({ name: 'slow' }, { signal: controller.signal }).catch(() => {});
    await running;
    const before = frames.length;
    controller.abort();
    await Promise.all([told, call]);
    await client.callTool({ name: 'quick' });
    expect(frames).toHaveLength(before + 1);
  });

  it('is told when the tools change', async () => {
    const box = new FakeToolbox({ a: () => text('') });
    const { client, server } = await connectTo(box, era);
    await client.listTools();
    const told = new Promise<void>((resolve) => {
      client.setNotificationHandler('notifications/tools/list_changed', () => resolve());
    });
    if (era === '2026-07-28') await client.listen({ toolsListChanged: true });
    box.set('b', () => text(''));
    server.toolsChanged();
    await told;
    expect((await client.listTools()).tools.map(({ name }) => name)).toEqual(['a', 'b']);
    await client.close();
  });

  it('is refused a cursor that was never given out', async () => {
    const { client } = await connectTo(new FakeToolbox(), era);
    await expect(client.request({ method: 'tools/list', params: { cursor: 'x' } })).rejects.toMatchObject({
      code: -32602,
    });
    await expect(client.request({ method: 'resources/list', params: { cursor: 'x' } })).rejects.toMatchObject({
      code: -32602,
    });
  });

  it('ends the server by leaving', async () => {
    const { client, server } = await connectTo(new FakeToolbox(), era);
    await client.close();
    await server.closed;
  });
});
