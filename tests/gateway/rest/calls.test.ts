import { describe, expect, it, vi } from 'vitest';
import { CallerError } from '../../../src/errors.js';
import { FakeToolbox, text, untilCancelled } from '../../server/fake-toolbox.js';
import { createFakeServices } from '../harness.js';
import { listen, said } from '../stream/listener.js';
import { post, startRest } from './resting.js';

describe('a call by POST', () => {
  it('gives content, data, output and figures', async () => {
    const toolbox = new FakeToolbox({
      add: ({ a, b }) => ({
        ...text('3'),
        structuredContent: { result: Number(a) + Number(b) },
        output: { stdout: 'adding', stderr: '' },
      }),
    });
    const { url } = await startRest(toolbox);
    const answer = await post(`${url}/api/v1/services/demo/tools/add`, '{"a":1,"b":2}');
    expect(answer.status).toBe(200);
    expect(answer.headers.get('content-type')).toBe('application/json; charset=utf-8');
    expect(await answer.json()).toEqual({
      content: [{ type: 'text', text: '3' }],
      structuredContent: { result: 3 },
      output: { stdout: 'adding', stderr: '' },
    });
  });

  it('takes no body for no arguments', async () => {
    const toolbox = new FakeToolbox({ work: () => text('') });
    const { url } = await startRest(toolbox);
    const address = `${url}/api/v1/services/demo/tools/work`;
    for (const body of [undefined, '', '{}', 'null']) expect((await post(address, body)).status).toBe(200);
    expect(toolbox.calls.map(({ args }) => args)).toEqual([{}, {}, {}, {}]);
  });

  it('passes on what the headers ask for; a session is always the own', async () => {
    const toolbox = new FakeToolbox({ work: () => text('') });
    const { url } = await startRest(toolbox);
    const answer = await post(`${url}/api/v1/services/demo/tools/work`, '{}', {
      'x-test-client': 'alice',
      'x-timeout-ms': '250',
      'x-priority': '7',
      'x-session': 'my-session',
      'idempotency-key': 'again-1',
      traceparent: '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01',
    });
    expect(toolbox.calls[0]?.options).toMatchObject({
      id: answer.headers.get('x-request-id'),
      transport: 'rest',
      principal: { id: 'alice' },
      timeoutMs: 250,
      priority: 7,
      session: 'alice my-session',
      idempotencyKey: 'again-1',
      traceparent: '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01',
    });
  });

  it('shows whether the answer was kept', async () => {
    const services = createFakeServices({});
    services.set('demo', new FakeToolbox(), {
      toolbox: {
        listTools: async () => [],
        call: async (_name, _args, { onCacheStatus }) => {
          onCacheStatus?.('mcp-execution; hit');
          return text('');
        },
      },
    });
    const { url } = await startRest(new FakeToolbox(), { parts: { services } });
    const answer = await post(`${url}/api/v1/services/demo/tools/work`);
    expect(answer.headers.get('cache-status')).toBe('mcp-execution; hit');
  });

  it('is cancelled when the client is gone', async () => {
    const cancelled = vi.fn();
    const toolbox = new FakeToolbox({ work: untilCancelled(cancelled) });
    const { url } = await startRest(toolbox);
    const leaving = new AbortController();
    const asked = fetch(`${url}/api/v1/services/demo/tools/work`, { method: 'POST', signal: leaving.signal });
    await vi.waitFor(() => expect(toolbox.calls).toHaveLength(1));
    leaving.abort();
    await expect(asked).rejects.toThrow();
    await vi.waitFor(() => expect(cancelled).toHaveBeenCalledOnce());
  });

  it('is compressed when it is large, and whole', async () => {
    const large = 'long '.repeat(100_000);
    const { url } = await startRest(new FakeToolbox({ work: () => text(large) }));
    const answer = await post(`${url}/api/v1/services/demo/tools/work`);
    expect(answer.headers.get('content-encoding')).toMatch(/br|gzip/);
    expect(((await answer.json()) as { content: { text: string }[] }).content[0]?.text).toBe(large);
  });
});

describe('a call by POST that asks for events', () => {
  const address = '/api/v1/services/demo/tools/work';

  it('gets the output as it is written, then the result', async () => {
    let finish = () => {};
    const toolbox = new FakeToolbox({
      work: async (_args, { onEvent }) => {
        await onEvent?.({ type: 'output', stream: 'stdout', line: 'one' });
        await new Promise<void>((resolve) => {
          finish = resolve;
        });
        return { ...text('done'), structuredContent: { result: 1 } };
      },
    });
    const { url } = await startRest(toolbox);
    const listener = await listen(`${url}${address}`, { method: 'POST' });
    expect(said(await listener.next(({ event }) => event === 'partial'))).toEqual({ data: 'one' });
    finish();
    expect(said(await listener.next(({ event }) => event === 'result'))).toEqual({
      content: [{ type: 'text', text: 'done' }],
      structuredContent: { result: 1 },
    });
    await listener.closed;
  });

  it('gets a failure as an event called error', async () => {
    const toolbox = new FakeToolbox({
      work: () => {
        throw new CallerError('INVALID_ARGUMENTS', 'x is missing');
      },
    });
    const { url } = await startRest(toolbox);
    const listener = await listen(`${url}${address}`, { method: 'POST' });
    await listener.closed;
    expect(listener.events.map((event) => [event.event, said(event)])).toEqual([
      ['error', { error: { code: 'INVALID_ARGUMENTS', message: 'x is missing', advice: expect.any(String) } }],
    ]);
  });

  it('is cancelled when the client is gone', async () => {
    const cancelled = vi.fn();
    const { url } = await startRest(new FakeToolbox({ work: untilCancelled(cancelled) }));
    const listener = await listen(`${url}${address}`, { method: 'POST' });
    listener.cut();
    await vi.waitFor(() => expect(cancelled).toHaveBeenCalledOnce());
  });

  it('gets JSON where it takes that too', async () => {
    const { url } = await startRest(new FakeToolbox({ work: () => text('') }));
    const answer = await post(`${url}${address}`, '{}', { accept: 'application/json, text/event-stream' });
    expect(answer.headers.get('content-type')).toContain('application/json');
  });
});
