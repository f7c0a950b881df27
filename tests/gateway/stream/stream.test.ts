import { describe, expect, it } from 'vitest';
import { ScriptError } from '../../../src/errors.js';
import { FakeToolbox, text } from '../../server/fake-toolbox.js';
import { createFakeServices } from '../harness.js';
import { listen, said } from './listener.js';
import { createPuppet, startStreams } from './streaming.js';

describe('a stream', () => {
  it('begins with its id and the address of its POSTs, in headers that no proxy holds back', async () => {
    const { open } = await startStreams(new FakeToolbox());
    const { listener, stream } = await open();
    expect(listener.headers['content-type']).toBe('text/event-stream');
    expect(listener.headers['x-accel-buffering']).toBe('no');
    expect(listener.events[0]).toEqual({
      event: 'stream',
      id: `${stream}.0`,
      data: JSON.stringify({ stream, service: 'demo', post: `/api/v1/mcp/demo?stream=${stream}` }),
    });
    expect(stream).toMatch(/^[\w-]{24}$/);
  });

  it('carries the output of a call as it is written, then its result', async () => {
    const puppet = createPuppet();
    const { open } = await startStreams(puppet.toolbox);
    const { listener, call, answer } = await open();
    const accepted = await call('a', 'work');
    expect(accepted.status).toBe(202);
    expect(await accepted.json()).toEqual({ id: 'a', request: accepted.headers.get('x-request-id') });
    await puppet.begun;
    puppet.print('one');
    const partial = await listener.next((event) => event.data.includes('"one"'));
    expect(said(partial)).toEqual({ jsonrpc: '2.0', id: 'a', partial: true, data: 'one' });
    puppet.finish({ ...text('done'), structuredContent: { result: 1 } });
    expect(await answer('a')).toEqual({
      jsonrpc: '2.0',
      id: 'a',
      result: { content: [{ type: 'text', text: 'done' }], structuredContent: { result: 1 } },
    });
  });

  it('says progress, values, logs, stderr and the place in the queue as partial frames', async () => {
    const toolbox = new FakeToolbox({
      work: async (_args, { onEvent }) => {
        await onEvent?.({ type: 'queued', position: 3 });
        await onEvent?.({ type: 'progress', done: 1, total: 2 });
        await onEvent?.({ type: 'value', value: [1] });
        await onEvent?.({ type: 'log', level: 'info', message: 'hm' });
        await onEvent?.({ type: 'output', stream: 'stderr', line: 'oh' });
        return text('');
      },
    });
    const { open } = await startStreams(toolbox);
    const { listener, call, answer } = await open();
    await call(1, 'work');
    await answer(1);
    const partials = listener.events.map(said).filter(({ partial }) => partial === true);
    expect(partials.map(({ jsonrpc: _rpc, id: _id, partial: _partial, ...part }) => part)).toEqual([
      { queued: 3 },
      { progress: { done: 1, total: 2 } },
      { value: [1] },
      { log: { level: 'info', message: 'hm' } },
      { data: 'oh', stream: 'stderr' },
    ]);
  });

  it('says a failed tool and a thrown error as events called error', async () => {
    const toolbox = new FakeToolbox({
      fails: () => ({
        ...text('EXCEPTION: ValueError: bad\n\nTraceback …'),
        isError: true,
        code: 'EXCEPTION',
        output: { stdout: 'x', stderr: '' },
      }),
      throws: () => {
        throw new ScriptError('PROCESS_FAILED', 'It went away', { stdout: 'so far', traceback: 'here' });
      },
      breaks: () => {
        throw new Error('a secret path');
      },
    });
    const { open } = await startStreams(toolbox);
    const { listener, call, answer } = await open();
    await call(1, 'fails');
    expect((await answer(1)).error).toMatchObject({
      code: -32_000,
      message: 'ValueError: bad',
      data: { code: 'EXCEPTION', output: { stdout: 'x' }, content: [{ type: 'text' }] },
    });
    await call(2, 'throws');
    expect((await answer(2)).error).toMatchObject({
      code: -32_000,
      message: 'It went away',
      data: { code: 'PROCESS_FAILED', output: { stdout: 'so far', stderr: '' }, traceback: 'here' },
    });
    await call(3, 'breaks');
    expect(await answer(3)).toMatchObject({ error: { code: -32_603, message: /^Internal error/ } });
    await call(4, 'nothing');
    expect(await answer(4)).toMatchObject({ error: { code: -32_602, data: { code: 'UNKNOWN_TOOL' } } });
    expect(JSON.stringify(listener.events)).not.toContain('secret');
    expect(listener.events.filter(({ event }) => event === 'error')).toHaveLength(4);
  });

  it('lists the tools and answers a ping', async () => {
    const { open } = await startStreams(new FakeToolbox({ work: () => text('') }));
    const { post, answer } = await open();
    await post({ jsonrpc: '2.0', id: 1, method: 'tools/list' });
    expect((await answer(1)).result).toEqual({ tools: [{ name: 'work', inputSchema: { type: 'object' } }] });
    await post({ jsonrpc: '2.0', id: 2, method: 'ping' });
    expect((await answer(2)).result).toEqual({});
  });

  it('gets the frames of its own requests alone, also where two clients use the same ids', async () => {
    const toolbox = new FakeToolbox({ echo: ({ word }) => text(String(word)) });
    const { open } = await startStreams(toolbox);
    const [one, other] = [await open(), await open()];
    await Promise.all([one.call(1, 'echo', { word: 'mine' }), other.call(1, 'echo', { word: 'yours' })]);
    expect(JSON.stringify(await one.answer(1))).toContain('mine');
    expect(JSON.stringify(await other.answer(1))).toContain('yours');
    expect([one, other].map(({ listener }) => listener.events.length)).toEqual([2, 2]);
  });

  it('gets no frames of a POST that names it in the header of another service', async () => {
    const services = createFakeServices({ demo: new FakeToolbox(), other: new FakeToolbox() });
    const { app, open } = await startStreams(new FakeToolbox(), { parts: { services } });
    const { stream } = await open();
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'ping' });
    const headers = { 'content-type': 'application/json', 'x-stream-id': stream };
    const ofOther = await fetch(`${app.url}/api/v1/mcp/other`, { method: 'POST', headers, body });
    expect(ofOther.status).toBe(404);
    const ofItself = await fetch(`${app.url}/api/v1/mcp/demo`, { method: 'POST', headers, body });
    expect(ofItself.status).toBe(202);
  });

  it('is unknown to every other client', async () => {
    const { app, open } = await startStreams(new FakeToolbox());
    const { stream, listener, post } = await open('', { headers: { 'x-test-client': 'alice' } });
    const asMallory = { 'x-test-client': 'mallory' };
    const refused = await post({ jsonrpc: '2.0', id: 7, method: 'ping' }, asMallory);
    expect(refused.status).toBe(404);
    expect(await refused.json()).toMatchObject({ jsonrpc: '2.0', id: 7, error: { data: { code: 'UNKNOWN_SERVICE' } } });
    const overheard = await listen(`${app.url}/api/v1/stream/demo`, {
      headers: { ...asMallory, 'last-event-id': listener.lastId },
    });
    expect(overheard.status).toBe(404);
    const ended = await fetch(`${app.url}/api/v1/stream/demo/${stream}`, { method: 'DELETE', headers: asMallory });
    expect(ended.status).toBe(404);
  });

  it('passes on what the headers of the POST ask for, and keeps a session of its own', async () => {
    const toolbox = new FakeToolbox({ work: () => text('') });
    const { open, app } = await startStreams(toolbox);
    const { post, answer, stream } = await open();
    const message = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'work', arguments: null } };
    const traceparent = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01';
    const headers = { 'x-timeout-ms': '500', 'x-priority': '-2', 'idempotency-key': 'k', traceparent };
    const { request } = (await (await post(message, headers)).json()) as { request: string };
    await answer(1);
    expect(toolbox.calls[0]?.args).toEqual({});
    expect(toolbox.calls[0]?.options).toMatchObject({
      id: request,
      transport: 'stream',
      timeoutMs: 500,
      priority: -2,
      idempotencyKey: 'k',
      traceparent,
      session: `anonymous stream-${stream}`,
    });
    await post({ ...message, id: 2 }, { 'x-session': 'mine' });
    await answer(2);
    expect(toolbox.calls[1]?.options.session).toBe('anonymous mine');
    await fetch(`${app.url}/api/v1/stream/demo/${stream}`, { method: 'DELETE' });
    expect(Reflect.get(app.parts.services, 'endedSessions')).toEqual([`anonymous stream-${stream}`]);
  });

  it('gets heartbeats while nothing happens', async () => {
    const { open } = await startStreams(new FakeToolbox(), { settings: { heartbeatMs: 20 } });
    const { listener } = await open();
    await listener.commented(3);
  });

  it('ends with its service', async () => {
    const services = createFakeServices({ demo: new FakeToolbox() });
    const { open } = await startStreams(new FakeToolbox(), { parts: { services } });
    const { listener, post } = await open();
    await services.remove('demo');
    await listener.closed;
    expect((await post({ jsonrpc: '2.0', id: 1, method: 'ping' })).status).toBe(404);
  });
});
