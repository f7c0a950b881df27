import { describe, expect, it } from 'vitest';
import { keyFor, startAccessApp } from './access-app.js';

const origin = 'https://app.example.com';
const preflight = {
  method: 'OPTIONS',
  headers: {
    origin,
    'access-control-request-method': 'POST',
    'access-control-request-headers': 'authorization,content-type,mcp-session-id',
  },
} as const;

describe('with an origin that may use the gateway', () => {
  it('its preflight is answered without a key, and names methods and headers', async () => {
    const app = await startAccessApp({ settings: { corsOrigins: [origin] }, keys: [keyFor().entry] });
    const { status, headers } = await app.ask('/api/v1/mcp/sales', preflight);
    expect(status).toBe(204);
    expect(headers['access-control-allow-origin']).toBe(origin);
    expect(headers['access-control-allow-methods']).toContain('DELETE');
    expect(headers['access-control-allow-headers']).toMatch(/Authorization.*Mcp-Session-Id/);
    expect(headers['access-control-allow-credentials']).toBeUndefined();
    expect(headers.vary).toContain('Origin');
  });

  it('its pages may read the answers, refusals included, and the headers that matter', async () => {
    const { entry, bearer } = keyFor();
    const app = await startAccessApp({ settings: { corsOrigins: [origin] }, keys: [entry] });
    for (const [asked, status] of [
      [{ origin, ...bearer }, 200],
      [{ origin }, 401],
    ] as const) {
      const answer = await app.ask('/call', { headers: asked });
      expect(answer.status).toBe(status);
      expect(answer.headers['access-control-allow-origin']).toBe(origin);
      for (const name of ['Mcp-Session-Id', 'X-Request-Id', 'Cache-Status', 'WWW-Authenticate', 'Retry-After']) {
        expect(answer.headers['access-control-expose-headers']).toContain(name);
      }
    }
  });

  it('another origin is refused, and gets no header that lets its page read why', async () => {
    const app = await startAccessApp({ settings: { corsOrigins: [origin] } });
    for (const options of [preflight, { headers: preflight.headers }]) {
      const answer = await app.ask('/call', {
        ...options,
        headers: { ...options.headers, origin: 'https://evil.com' },
      });
      expect(answer.status).toBe(403);
      expect(answer.headers['access-control-allow-origin']).toBeUndefined();
    }
  });
});

describe('without any such origin', () => {
  it('no page is let in, and answers to others are as ever', async () => {
    const app = await startAccessApp();
    expect((await app.ask('/call', preflight)).status).toBe(403);
    const plain = await app.ask('/call');
    expect(plain.status).toBe(200);
    expect(plain.headers['access-control-allow-origin']).toBeUndefined();
  });

  it('OPTIONS is a method that the address does not have', async () => {
    const app = await startAccessApp({ keys: [keyFor().entry] });
    expect((await app.ask('/call', { method: 'OPTIONS' })).status).toBe(405);
    expect((await app.ask('/nothing', { method: 'OPTIONS' })).status).toBe(404);
  });

  it('an origin can be added while the gateway runs', async () => {
    const app = await startAccessApp();
    app.change({ settings: { corsOrigins: [origin] } });
    expect((await app.ask('/call', preflight)).status).toBe(204);
  });
});
