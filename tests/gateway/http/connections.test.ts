import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { Area, EventStream, Metrics } from '../../../src/gateway/parts.js';
import type { GatewaySettingsInput } from '../../../src/gateway/settings.js';
import { until } from '../../engine/processes.js';
import { noMetrics, startApp } from '../harness.js';

describe('an event stream', () => {
  it('begins with its headers and a first byte before there is anything to say', async () => {
    const { url } = await startStreams();
    const response = await fetch(`${url}/open`);
    expect(response.headers.get('content-type')).toBe('text/event-stream');
    expect(response.headers.get('x-accel-buffering')).toBe('no');
    expect(response.headers.get('cache-control')).toBe('no-cache, no-transform');
    expect(await firstText(response)).toBe(': open\n\n');
  });

  it('is never compressed, whatever the client takes', async () => {
    const { url } = await startStreams();
    const response = await fetch(`${url}/open`, { headers: { 'accept-encoding': 'br, gzip' } });
    expect(response.headers.get('content-encoding')).toBeNull();
    await response.body?.cancel();
  });

  it('beats while nothing is said', async () => {
    const { url } = await startStreams({ heartbeatMs: 20 });
    const response = await fetch(`${url}/open`);
    const text = await textUntil(response, (seen) => seen.split(': beat').length > 3);
    expect(text).toContain(': beat\n\n: beat\n\n');
  });

  it('carries text of several lines as one event, and keeps ids and names to one line', async () => {
    const { url, opened } = await startStreams();
    const response = await fetch(`${url}/open`);
    opened[0]?.send({ event: 'a\nevent: b', id: '1\n2', data: 'one\ntwo\r\nthree' });
    const text = await textUntil(response, (seen) => seen.includes('three'));
    expect(text).toBe(': open\n\nevent: aevent: b\nid: 12\ndata: one\ndata: two\ndata: three\n\n');
  });

  it('tells when its client is gone', async () => {
    const { url, opened } = await startStreams();
    const ended = new AbortController();
    const response = await fetch(`${url}/open`, { signal: ended.signal });
    await firstText(response);
    ended.abort();
    await until(() => opened[0]?.closed.aborted === true);
  });

  it('makes its giver wait while the client does not read, and goes on when it does', async () => {
    const { url, opened } = await startStreams({ maxUnsentBytes: 64 * 1024 * 1024 });
    const socket = await openRaw(url);
    socket.pause();
    const [stream] = opened;
    const room = fill(stream);
    socket.resume();
    await room;
    expect(stream?.closed.aborted).toBe(false);
  });

  it('is cut when more waits for its client than is permitted', async () => {
    const cuts: string[] = [];
    const metrics: Metrics = { ...noMetrics, cut: (kind) => cuts.push(kind) };
    const { url, opened } = await startStreams({ maxUnsentBytes: 1024 * 1024 }, metrics);
    const socket = await openRaw(url);
    socket.pause();
    const [stream] = opened;
    while (stream && !stream.closed.aborted) stream.send({ data: 'x'.repeat(64 * 1024) });
    expect(cuts).toEqual(['stream']);
  });

  it('carries an event that is larger than what may wait', async () => {
    const { url, opened } = await startStreams({ maxUnsentBytes: 64 * 1024 });
    const response = await fetch(`${url}/open`);
    const large = 'é'.repeat(4 * 1024 * 1024);
    const room = opened[0]?.send({ data: large });
    const sent = room?.then(() => opened[0]?.send({ data: 'after' }));
    const text = await textUntil(response, (seen) => seen.includes('after'));
    await sent;
    expect(text).toBe(`: open\n\ndata: ${large}\n\ndata: after\n\n`);
  });

  it('is cut when its client reads nothing for several heartbeats', async () => {
    const { url, opened } = await startStreams({ heartbeatMs: 20, maxUnsentBytes: 64 * 1024 * 1024 });
    const socket = await openRaw(url);
    socket.pause();
    fill(opened[0]);
    await until(() => opened[0]?.closed.aborted === true);
  });

  it('is counted while it is open', async () => {
    let count = 0;
    const metrics: Metrics = {
      ...noMetrics,
      connected: () => {
        count++;
        return () => count--;
      },
    };
    const { url } = await startStreams({}, metrics);
    const response = await fetch(`${url}/open`);
    expect(count).toBe(1);
    await response.body?.cancel();
    await until(() => count === 0);
  });
});

describe('the streams of a client', () => {
  it('are limited, and make room again when they close', async () => {
    const { url, opened } = await startStreams({ maxStreamsPerClient: 1 });
    const first = await fetch(`${url}/open`);
    const second = await fetch(`${url}/open`);
    expect(second.status).toBe(429);
    expect(second.headers.get('retry-after')).toBe('1');
    expect((await fetch(`${url}/open`, { headers: { 'x-test-client': 'another' } })).status).toBe(200);
    await first.body?.cancel();
    await until(() => opened[0]?.closed.aborted === true);
    expect((await fetch(`${url}/open`)).status).toBe(200);
  });

  it('end when the gateway ends', async () => {
    const { url, close } = await startStreams();
    const response = await fetch(`${url}/open`);
    const text = response.text();
    await close();
    expect(await text).toBe(': open\n\n');
  });
});

describe('an answer made for the web', () => {
  it('is passed on as it comes, and cancelled when the client goes', async () => {
    let isCancelled = false;
    const { url } = await startApp([
      (app, { connections }) => {
        app.get('/web', (request, reply) => {
          const body = new ReadableStream<Uint8Array>({
            start: (controller) => controller.enqueue(Buffer.from('data: 1\n\n')),
            cancel: () => {
              isCancelled = true;
            },
          });
          const headers = { 'content-type': 'text/event-stream', 'mcp-session-id': 'x' };
          return connections.respond(request, reply, new Response(body, { headers }), 'mcp');
        });
      },
    ]);
    const ended = new AbortController();
    const response = await fetch(`${url}/web`, { signal: ended.signal });
    expect(response.headers.get('mcp-session-id')).toBe('x');
    await textUntil(response, (seen) => seen.includes('data: 1'));
    ended.abort();
    await until(() => isCancelled);
  });
});

async function startStreams(settings: GatewaySettingsInput = {}, metrics = noMetrics) {
  const opened: EventStream[] = [];
  const area: Area = (app, { connections }) => {
    app.get('/open', (request, reply) => {
      opened.push(connections.open(request, reply, { kind: 'stream' }));
    });
  };
  const app = await startApp([area], { settings, parts: { metrics } });
  return { ...app, opened };
}

/** More than the system takes over for a client that does not read. */
function fill(stream: EventStream | undefined): Promise<void> | undefined {
  return stream?.send({ data: 'x'.repeat(32 * 1024 * 1024) });
}

async function openRaw(url: string): Promise<Socket> {
  const socket = connect(Number(new URL(url).port), '127.0.0.1');
  onTestFinished(() => void socket.destroy());
  socket.write('GET /open HTTP/1.1\r\nhost: localhost\r\n\r\n');
  await once(socket, 'data');
  return socket;
}

async function firstText(response: Response): Promise<string> {
  return textUntil(response, () => true);
}

async function textUntil(response: Response, isEnough: (seen: string) => boolean): Promise<string> {
  const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
  let seen = '';
  while (reader && !(seen !== '' && isEnough(seen))) {
    const { value, done } = await reader.read();
    if (done) break;
    seen += value;
  }
  reader?.releaseLock();
  return seen;
}
