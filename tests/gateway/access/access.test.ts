import { describe, expect, it } from 'vitest';
import type { Scope } from '../../../src/gateway/access/principal.js';
import { keyFor, startAccessApp } from './access-app.js';

const routes = ['open', 'call', 'upload', 'admin', 'unsaid'] as const;

describe('a gateway without keys on its own machine', () => {
  it('takes everybody for one local client that may do everything', async () => {
    const app = await startAccessApp();
    for (const route of routes) {
      const { status, json } = await app.ask(`/${route}`);
      expect(status).toBe(200);
      expect(json).toMatchObject({ id: 'local', scopes: ['call', 'upload', 'admin'] });
    }
  });

  it('does not mind a key that it did not ask for', async () => {
    const app = await startAccessApp();
    expect(await app.ask('/call', { headers: keyFor().bearer })).toMatchObject({ status: 200, json: { id: 'local' } });
  });
});

describe('a gateway with keys', () => {
  const keys = {
    caller: keyFor({ scopes: ['call'] }),
    uploader: keyFor({ scopes: ['upload'] }),
    both: keyFor({ scopes: ['call', 'upload'] }),
    admin: keyFor({ scopes: ['admin'] }),
  };
  const entries = Object.values(keys).map(({ entry }) => entry);
  const permits: Readonly<Record<keyof typeof keys, readonly (Scope | 'open' | 'unsaid')[]>> = {
    caller: ['open', 'call'],
    uploader: ['open', 'upload'],
    both: ['open', 'call', 'upload'],
    admin: routes,
  };

  it.each(Object.entries(permits))('the key %s permits %j alone', async (name, permitted) => {
    const app = await startAccessApp({ keys: entries });
    const { bearer } = keys[name as keyof typeof keys];
    for (const route of routes) {
      const { status, json, headers } = await app.ask(`/${route}`, { headers: bearer });
      expect([route, status]).toEqual([route, permitted.includes(route) ? 200 : 403]);
      if (status !== 403) continue;
      const scope = route === 'unsaid' ? 'admin' : route;
      expect(json).toMatchObject({
        error: { code: 'NOT_ALLOWED', message: expect.stringContaining(`the scope ${scope}`) },
      });
      expect(headers['www-authenticate']).toContain('error="insufficient_scope"');
    }
  });

  it('is told apart by the id of the key, in either header', async () => {
    const app = await startAccessApp({ keys: entries });
    const { key, entry, bearer } = keys.caller;
    for (const headers of [bearer, { 'x-api-key': key }, { authorization: `bearer  ${key}` }]) {
      expect(await app.ask('/call', { headers })).toMatchObject({ status: 200, json: { id: `key:${entry.id}` } });
    }
  });

  it.each<[string, Record<string, string | string[]>, RegExp, RegExp]>([
    ['nothing', {}, /asks for a key or token/, /^Bearer realm="mcp-execution"$/],
    ['an unknown key', keyFor().bearer, /not known/, /error="invalid_token"/],
    ['an unknown key as X-API-Key', { 'x-api-key': keyFor().key }, /not known/, /error="invalid_token"/],
    [
      'a known id with another secret',
      { authorization: `Bearer mcpx_${keys.admin.entry.id}_${'A'.repeat(43)}` },
      /not known/,
      /./,
    ],
    ['a hash instead of a key', { 'x-api-key': keys.admin.entry.hash }, /not known/, /./],
    ['an empty bearer', { authorization: 'Bearer ' }, /the form Bearer KEY/, /./],
    ['a password', { authorization: 'Basic cm9vdDpyb290' }, /the form Bearer KEY/, /./],
    ['a key without its scheme', { authorization: keys.admin.key }, /the form Bearer KEY/, /./],
    ['two keys in one header', { authorization: `Bearer ${keys.admin.key}, Bearer x` }, /the form Bearer KEY/, /./],
    ['a key twice', { authorization: `Bearer ${keys.admin.key}`, 'x-api-key': keys.admin.key }, /both sent/, /./],
    ['two X-API-Keys', { 'x-api-key': [keys.admin.key, keys.admin.key] }, /not known/, /./],
    ['a token where no issuer is known', { authorization: 'Bearer eyJhbGciOiJub25lIn0.e30.' }, /not known/, /./],
  ])('answers 401 to %s', async (_what, headers, sentence, challenge) => {
    const app = await startAccessApp({ keys: entries });
    const answer = await app.ask('/call', { headers });
    expect(answer.status).toBe(401);
    expect(answer.json).toMatchObject({
      error: { code: 'NOT_AUTHENTICATED', message: expect.stringMatching(sentence) },
    });
    expect(answer.headers['www-authenticate']).toMatch(challenge);
  });

  it.each(['?api_key=', '?access_token=', '?x='])('takes no key from the address (%s), and says why', async (query) => {
    const app = await startAccessApp({ keys: entries });
    const answer = await app.ask(`/call${query}${keys.admin.key}`);
    expect(answer.status).toBe(401);
    expect(answer.text).toContain('never from the address');
    expect(answer.text).not.toContain(keys.admin.key);
  });

  it('tells an open address who asks, and keeps it open for whoever proves nothing', async () => {
    const app = await startAccessApp({ keys: entries });
    const { entry, bearer } = keys.caller;
    expect((await app.ask('/open', { headers: bearer })).json).toMatchObject({ id: `key:${entry.id}` });
    for (const headers of [{}, keyFor().bearer]) {
      const { status, json } = await app.ask('/open', { headers });
      expect(status).toBe(200);
      expect(json).toMatchObject({ id: 'nobody', scopes: [], services: [] });
    }
  });

  it('logs who was refused and why, and never a key', async () => {
    const app = await startAccessApp({ keys: entries });
    const wrong = keyFor();
    await app.ask('/call', { headers: wrong.bearer });
    await app.ask('/call', { headers: { 'x-api-key': wrong.key } });
    await app.ask('/admin', { headers: keys.caller.bearer });
    expect(app.logged.filter((line) => line.includes('not let in'))).toHaveLength(2);
    expect(app.logged[0]).toContain('127.0.0.1');
    const all = app.logged.join('');
    for (const { key } of [wrong, keys.caller]) expect(all).not.toContain(key.slice(-43));
  });

  it('tells anybody that there is nothing at an address, and which methods there are', async () => {
    const app = await startAccessApp({ keys: entries });
    expect((await app.ask('/nothing')).status).toBe(404);
    expect((await app.ask('/.well-known/oauth-authorization-server')).status).toBe(404);
    const wrongMethod = await app.ask('/call', { method: 'DELETE' });
    expect(wrongMethod.status).toBe(405);
    expect(wrongMethod.headers.allow).toContain('GET');
  });

  it('answers MCP addresses in JSON-RPC, and others in plain JSON', async () => {
    const app = await startAccessApp({ keys: entries });
    for (const path of ['/mcp', '/api/v1/mcp/sales']) {
      const refused = await app.ask(path, { method: 'POST' });
      expect(refused).toMatchObject({
        status: 401,
        json: { jsonrpc: '2.0', id: null, error: { code: expect.any(Number), data: { code: 'NOT_AUTHENTICATED' } } },
      });
      expect(refused.headers['www-authenticate']).toBeDefined();
      expect(refused.headers['x-request-id']).toBeDefined();
      const notAllowed = await app.ask(path, { method: 'POST', headers: keys.uploader.bearer });
      expect(notAllowed).toMatchObject({ status: 403, json: { error: { data: { code: 'NOT_ALLOWED' } } } });
    }
    expect(await app.ask('/api/v1/services/sales')).toMatchObject({ json: { error: { code: 'NOT_AUTHENTICATED' } } });
  });

  it('takes new keys and drops old ones while it runs', async () => {
    const app = await startAccessApp({ keys: [keys.caller.entry] });
    app.change({ keys: [keys.both.entry] });
    expect((await app.ask('/call', { headers: keys.caller.bearer })).status).toBe(401);
    expect((await app.ask('/call', { headers: keys.both.bearer })).status).toBe(200);
  });

  it('lets nobody in when its last key goes and other machines reach it', async () => {
    const settings = { host: '0.0.0.0' };
    const app = await startAccessApp({ settings, keys: entries, listenOn: '0.0.0.0' });
    expect((await app.ask('/admin', { headers: keys.admin.bearer })).status).toBe(200);
    app.change({ settings, keys: [] });
    expect((await app.ask('/admin', { headers: keys.admin.bearer })).status).toBe(401);
    expect((await app.ask('/admin')).status).toBe(401);
    expect((await app.ask('/open')).status).toBe(200);
  });
});

describe('a key for some services', () => {
  const some = keyFor({ services: ['team-*', 'sales'] });

  it.each([
    ['team-a', 200],
    ['sales', 200],
    ['hr', 404],
    ['Sales', 404],
    ['sales%2F..', 404],
    ['team', 404],
    ['team-h', 404],
  ])('%s is answered with %i', async (service, status) => {
    const app = await startAccessApp({ keys: [some.entry] });
    expect((await app.ask(`/api/v1/services/${service}`, { headers: some.bearer })).status).toBe(status);
  });

  it('hears of a hidden service what it would hear of none', async () => {
    const app = await startAccessApp({ keys: [some.entry] });
    const plain = await app.ask('/api/v1/services/hr', { headers: some.bearer });
    expect(plain.json).toMatchObject({ error: { code: 'UNKNOWN_SERVICE', message: 'There is no service "hr"' } });
    const rpc = await app.ask('/api/v1/mcp/hr', { method: 'POST', headers: some.bearer });
    expect(rpc).toMatchObject({ status: 404, json: { error: { data: { code: 'UNKNOWN_SERVICE' } } } });
  });

  it('may ask to remove what is its own and does not run', async () => {
    const uploader = keyFor({ scopes: ['upload'], services: ['team-*'] });
    const app = await startAccessApp({ keys: [uploader.entry] });
    const remove = (id: string) => app.ask(`/api/v1/services/${id}`, { method: 'DELETE', headers: uploader.bearer });
    expect((await remove('team-broken')).status).toBe(200);
    expect((await remove('hr')).status).toBe(404);
  });

  it('does not hold back an administrator', async () => {
    const admin = keyFor({ scopes: ['admin'] });
    const app = await startAccessApp({ keys: [some.entry, admin.entry] });
    expect((await app.ask('/api/v1/services/hr', { headers: admin.bearer })).status).toBe(200);
  });
});

describe('limits', () => {
  it('a client beyond its rate gets 429 with the time to wait, and another does not', async () => {
    const slow = keyFor({ quotas: { requestsPerSecond: 0.3 } });
    const other = keyFor();
    const app = await startAccessApp({ keys: [slow.entry, other.entry] });
    const statuses = [];
    for (let each = 0; each < 3; each++) statuses.push((await app.ask('/call', { headers: slow.bearer })).status);
    expect(statuses).toEqual([200, 200, 200]);
    const refused = await app.ask('/call', { headers: slow.bearer });
    expect(refused).toMatchObject({ status: 429, json: { error: { code: 'TOO_MANY_REQUESTS' } } });
    expect(Number(refused.headers['retry-after'])).toBeGreaterThanOrEqual(1);
    expect(refused.headers['ratelimit-policy']).toBe('"requests";q=3;w=10');
    expect(refused.headers.ratelimit).toMatch(/^"requests";r=0;t=\d+$/);
    expect((await app.ask('/call', { headers: other.bearer })).status).toBe(200);
  });

  it('requests that prove nothing are counted by their address', async () => {
    const app = await startAccessApp({ settings: { requestsPerSecond: 1 }, keys: [keyFor().entry] });
    const statuses = [];
    for (let each = 0; each < 12; each++) statuses.push((await app.ask(each % 2 ? '/open' : '/call')).status);
    expect(statuses.filter((status) => status === 429).length).toBeGreaterThanOrEqual(1);
    expect(statuses.slice(0, 10)).not.toContain(429);
  });

  it('wrong keys are slowed down after twenty, while the right one still works', async () => {
    const right = keyFor();
    const app = await startAccessApp({ keys: [right.entry] });
    const statuses = [];
    for (let each = 0; each < 25; each++) statuses.push((await app.ask('/call', { headers: keyFor().bearer })).status);
    expect(statuses.slice(0, 20)).toEqual(Array(20).fill(401));
    expect(statuses.slice(20)).toContain(429);
    expect(app.logged.filter((line) => line.includes('not let in')).length).toBeLessThan(25);
    expect((await app.ask('/call', { headers: right.bearer })).status).toBe(200);
  });

  it('the address of the client is that of the proxy in front only where the proxy is trusted', async () => {
    const from = (ip: string) => ({ ...keyFor().bearer, 'x-forwarded-for': ip });
    const ask21 = async (app: Awaited<ReturnType<typeof startAccessApp>>) => {
      const statuses = [];
      for (let each = 0; each < 21; each++)
        statuses.push((await app.ask('/call', { headers: from(`10.0.0.${each}`) })).status);
      return statuses.at(-1);
    };
    expect(await ask21(await startAccessApp({ keys: [keyFor().entry] }))).toBe(429);
    expect(await ask21(await startAccessApp({ keys: [keyFor().entry], settings: { trustProxy: true } }))).toBe(401);
  });
});

it('nothing that a client sends becomes a header or a line of the answer', async () => {
  const app = await startAccessApp({ keys: [keyFor().entry] });
  const evil = 'x"\\, y="<script>';
  for (const path of [
    '/call',
    '/mcp',
    `/api/v1/mcp/${encodeURIComponent(evil)}`,
    `/${encodeURIComponent('a\r\nset-cookie: a=b')}`,
  ]) {
    for (const name of ['authorization', 'x-api-key', 'origin', 'x-forwarded-proto']) {
      for (const method of ['GET', 'POST']) {
        const { headers: answered } = await app.ask(path, { method, headers: { [name]: evil } });
        expect(JSON.stringify(answered)).not.toContain('<script>');
        expect(answered['set-cookie']).toBeUndefined();
      }
    }
  }
});
