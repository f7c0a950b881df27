import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { Area } from '../../../src/gateway/parts.js';
import { until } from '../../engine/processes.js';
import { startApp } from '../harness.js';

describe('what is no request', () => {
  const host = 'host: localhost\r\n';
  it.each([
    ['garbage', 'hello\r\n\r\n', 400],
    ['two lengths', `POST / HTTP/1.1\r\n${host}content-length: 1\r\ncontent-length: 2\r\n\r\na`, 400],
    ['headers that are too long', `GET / HTTP/1.1\r\n${host}x: ${'a'.repeat(40_000)}\r\n\r\n`, 431],
  ])('is answered in the form of all other answers: %s', async (_what, bytes, status) => {
    const { url } = await startApp([]);
    const socket = connectTo(url);
    socket.write(bytes);
    const [head = '', body = ''] = (await text(socket)).split('\r\n\r\n');
    expect(head).toMatch(new RegExp(`^HTTP/1\\.1 ${status} .*connection: close`, 'is'));
    expect(JSON.parse(body)).toEqual({
      error: { code: 'INVALID_REQUEST', message: expect.any(String), advice: expect.any(String) },
    });
  });
});

describe('a client that still sends when it is answered', () => {
  it('is not cut off, whatever it sends, before it had time to read the answer', async () => {
    const { url } = await startApp([]);
    const socket = connect({ port: Number(new URL(url).port), host: '127.0.0.1', allowHalfOpen: true });
    onTestFinished(() => void socket.destroy());
    const errors: Error[] = [];
    let answer = '';
    socket
      .on('error', (error) => errors.push(error))
      .on('data', (bytes) => {
        answer += bytes;
      });
    socket.write(`GET / HTTP/1.1\r\nhost: localhost\r\nx: ${'a'.repeat(40_000)}`);
    await once(socket, 'end');
    expect(answer).toMatch(/^HTTP\/1\.1 431 /);
    for (let more = 0; more < 3; more++) {
      await new Promise<void>((resolve) => socket.write('a'.repeat(40_000), () => resolve()));
    }
    socket.end();
    await once(socket, 'close');
    expect(errors).toEqual([]);
  });

  it('reads the answer to a body that is too large, and may ask again', async () => {
    const area: Area = (app) => {
      app.post('/echo', () => ({}));
    };
    const { url } = await startApp([area], { settings: { maxBodyBytes: 1024 } });
    const socket = connectTo(url);
    const head = 'POST /echo HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\n';
    socket.write(`${head}content-length: 4000000\r\n\r\n${'a'.repeat(4_000_000)}`);
    socket.write(`${head}connection: close\r\ncontent-length: 2\r\n\r\n{}`);
    const statuses = (await text(socket)).match(/HTTP\/1\.1 \d+/g);
    expect(statuses).toEqual(['HTTP/1.1 413', 'HTTP/1.1 200']);
  });
});

describe('a connection that waits for its next request', () => {
  it('is kept for longer than its client is told', async () => {
    let keptMs = 0;
    const area: Area = (app) => {
      app.get('/', () => ({}));
      keptMs = app.server.keepAliveTimeout;
    };
    const { url } = await startApp([area]);
    const { headers } = await fetch(url);
    const toldMs = Number(/timeout=(\d+)/.exec(headers.get('keep-alive') ?? '')?.[1]) * 1000;
    expect(toldMs).toBeGreaterThan(60_000);
    expect(keptMs - toldMs).toBeGreaterThan(900);
  });
});

describe('an answer', () => {
  it('that its client does not take is given up', async () => {
    let isGivenUp = false;
    const { url } = await startApp(
      [
        (app) => {
          app.get('/large', (request, reply) => {
            request.raw.socket.once('close', () => {
              isGivenUp = true;
            });
            return reply.send(Buffer.alloc(64 * 1024 * 1024));
          });
        },
      ],
      { settings: { bodyTimeoutMs: 100 } },
    );
    const socket = connectTo(url);
    socket.write('GET /large HTTP/1.1\r\nhost: localhost\r\n\r\n');
    await once(socket, 'data');
    socket.pause();
    await until(() => isGivenUp);
  });

  it('leaves its connection open for the next request, however long that takes', async () => {
    const { url } = await startApp(
      [
        (app) => {
          app.get('/now', () => ({ done: true }));
          app.get('/later', () => new Promise((resolve) => setTimeout(resolve, 300, { done: true })));
        },
      ],
      { settings: { bodyTimeoutMs: 100 } },
    );
    const socket = connectTo(url);
    const both = ['/now', '/later'].map((path) => `GET ${path} HTTP/1.1\r\nhost: localhost\r\n\r\n`);
    socket.write(both.join(''));
    let seen = '';
    socket.on('data', (bytes) => {
      seen += bytes;
    });
    await until(() => seen.split('{"done":true}').length === 3);
  });

  it('that is under way when the gateway ends still reaches its client', async () => {
    let answer: ((value: object) => void) | undefined;
    const { url, close } = await startApp([
      (app) => {
        app.get(
          '/slow',
          () =>
            new Promise<object>((resolve) => {
              answer = resolve;
            }),
        );
      },
    ]);
    const asked = fetch(`${url}/slow`);
    await until(() => answer !== undefined);
    const closed = close();
    setImmediate(() => answer?.({ done: true }));
    expect(await (await asked).json()).toEqual({ done: true });
    await closed;
  });
});

function connectTo(url: string): Socket {
  const socket = connect(Number(new URL(url).port), '127.0.0.1');
  onTestFinished(() => void socket.destroy());
  return socket.on('error', () => {});
}
