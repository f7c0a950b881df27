import { once } from 'node:events';
import { connect } from 'node:net';
import { describe, expect, it } from 'vitest';
import { HostError, LimitError } from '../../../src/errors.js';
import type { Area } from '../../../src/gateway/parts.js';
import type { GatewaySettingsInput } from '../../../src/gateway/settings.js';
import { startApp } from '../harness.js';

const echo: Area = (app) => {
  app.post('/echo', (request, reply) => reply.send({ body: request.body }));
  app.get('/things/:thing', () => ({ found: true }));
  app.delete('/things/:thing', () => ({ found: true }));
};

describe('an address', () => {
  it.each([
    ['that is not there is answered with 404', 'GET', '/nothing', 404],
    ['is not asked with another method', 'POST', '/things/1', 405],
    ['that cannot be decoded is answered with 400', 'GET', '/things/%E0%A4%A', 400],
  ])('%s', async (_sentence, method, path, status) => {
    const { url } = await startApp([echo]);
    const response = await fetch(`${url}${path}`, { method });
    expect(response.status).toBe(status);
    expect(await response.json()).toMatchObject({ error: { code: 'INVALID_REQUEST', message: expect.any(String) } });
  });

  it('that is asked with a wrong method says which ones it takes', async () => {
    const { url } = await startApp([echo]);
    const response = await fetch(`${url}/things/1`, { method: 'PUT' });
    expect(response.headers.get('allow')?.split(', ').sort()).toEqual(['DELETE', 'GET', 'HEAD']);
  });

  it('may end in a slash', async () => {
    const { url } = await startApp([echo]);
    expect((await fetch(`${url}/things/1/`)).status).toBe(200);
  });
});

describe('a body', () => {
  it.each([
    ['that is broken JSON is refused with 400', 'application/json', '{"a":', 400, 'INVALID_REQUEST'],
    ['that is empty is refused with 400', 'application/json', '', 400, 'INVALID_REQUEST'],
    ['of another type is refused with 415', 'text/csv', 'a,b', 415, 'INVALID_REQUEST'],
    ['that is text is refused with 415', 'text/plain', '{}', 415, 'INVALID_REQUEST'],
    ['that is too large is refused with 413', 'application/json', JSON.stringify('x'.repeat(2000)), 413, 'TOO_LARGE'],
  ])('%s', async (_sentence, type, body, status, code) => {
    const { url } = await startApp([echo], { settings: { maxBodyBytes: 1024 } });
    const response = await fetch(`${url}/echo`, { method: 'POST', headers: { 'content-type': type }, body });
    expect(response.status).toBe(status);
    expect(await response.json()).toMatchObject({ error: { code } });
  });

  it('may name things that mean something to JavaScript', async () => {
    const { url } = await startApp([echo]);
    const body = '{"__proto__":{"a":1},"constructor":{"prototype":{"b":2}}}';
    const headers = { 'content-type': 'application/json' };
    const response = await fetch(`${url}/echo`, { method: 'POST', headers, body });
    expect(await response.text()).toBe(`{"body":${body}}`);
  });

  it('that does not come is given up', async () => {
    const { url } = await startApp([echo], { settings: { bodyTimeoutMs: 200 } });
    const socket = connect(Number(new URL(url).port), '127.0.0.1');
    socket.write(
      'POST /echo HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\ncontent-length: 9\r\n\r\n{',
    );
    const [answer] = await once(socket, 'data');
    expect(String(answer)).toMatch(/^HTTP\/1\.1 408 /);
    socket.destroy();
  });
});

describe('an answer', () => {
  it('carries the id of its request', async () => {
    const { url } = await startApp([echo]);
    const ids = await Promise.all([1, 2].map(async () => (await fetch(`${url}/things/1`)).headers.get('x-request-id')));
    expect(new Set(ids).size).toBe(2);
  });

  it.each(['br', 'gzip'])('that is large is compressed with %s, where the client takes it', async (encoding) => {
    const { url } = await startLarge();
    const response = await fetch(`${url}/large`, { headers: { 'accept-encoding': encoding } });
    expect(response.headers.get('content-encoding')).toBe(encoding);
    expect(await response.json()).toEqual({ text: 'x'.repeat(20_000) });
  });

  it('that is small, or not to be compressed, is sent as it is', async () => {
    const { url } = await startLarge();
    const small = await fetch(`${url}/small`, { headers: { 'accept-encoding': 'gzip' } });
    const plain = await fetch(`${url}/large`, { headers: { 'accept-encoding': 'identity' } });
    expect([small, plain].map(({ headers }) => headers.get('content-encoding'))).toEqual([null, null]);
  });
});

describe('a failure', () => {
  it('has the status, code, sentence and advice of its row of the table', async () => {
    const { url } = await startFailing(new LimitError('TIMEOUT', 'Too slow'));
    const response = await fetch(`${url}/fail`);
    expect(response.status).toBe(504);
    expect(await response.json()).toEqual({
      error: { code: 'TIMEOUT', message: 'Too slow', advice: expect.stringContaining('timeoutMs') },
    });
  });

  it('that passes says when to try again, and fills no log', async () => {
    const { url, logged } = await startFailing(new HostError('QUEUE_FULL', 'Full', { retryAfterMs: 2100 }));
    const response = await fetch(`${url}/fail`);
    expect([response.status, response.headers.get('retry-after')]).toEqual([503, '3']);
    expect(logged.filter((line) => !line.includes('"level":"debug"'))).toEqual([]);
  });

  it('that nobody foresaw leaves as a reference, and its detail is in the log', async () => {
    const { url, logged } = await startFailing(new Error('the password is 123'));
    const response = await fetch(`${url}/fail`);
    const text = await response.text();
    expect(response.status).toBe(500);
    expect(text).not.toContain('password');
    const { reference } = JSON.parse(text).error;
    expect(logged.find((line) => line.includes(reference))).toContain('the password is 123');
  });
});

function startLarge(settings: GatewaySettingsInput = {}) {
  return startApp(
    [
      (app) => {
        app.get('/large', () => ({ text: 'x'.repeat(20_000) }));
        app.get('/small', () => ({ text: 'x' }));
      },
    ],
    { settings },
  );
}

function startFailing(error: Error) {
  return startApp([
    (app) => {
      app.get('/fail', async () => {
        throw error;
      });
    },
  ]);
}
