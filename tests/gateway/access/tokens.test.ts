import type { JWTPayload } from 'jose';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { keyFor } from './access-app.js';
import { bearer, resource, startWithIssuer } from './issuer.js';

const now = () => Math.floor(Date.now() / 1000);

afterEach(() => {
  vi.useRealTimers();
});

describe('a good token', () => {
  it('lets in whom it names, with the scopes that it has', async () => {
    const { issuer, key, app } = await startWithIssuer();
    const { status, json } = await app.ask('/call', bearer(await key.sign()));
    expect(status).toBe(200);
    expect(json).toEqual({ id: `oauth:${issuer.url}#ada`, name: 'ada', scopes: ['call'] });
  });

  it('is checked once and then known, and the keys are fetched once for all tokens', async () => {
    const { issuer, key, app } = await startWithIssuer();
    const token = await key.sign();
    for (let each = 0; each < 5; each++) expect((await app.ask('/call', bearer(token))).status).toBe(200);
    for (let each = 0; each < 5; each++) await app.ask('/call', bearer(await key.sign({ jti: String(each) })));
    expect(issuer.asked).toEqual(['/keys']);
  });

  it('is not good any more when it has expired, though it was known', async () => {
    vi.useFakeTimers({ toFake: ['Date'] });
    const { key, app } = await startWithIssuer();
    const token = await key.sign({ exp: now() + 10 });
    expect((await app.ask('/call', bearer(token))).status).toBe(200);
    vi.setSystemTime(Date.now() + 41_000);
    expect((await app.ask('/call', bearer(token))).status).toBe(401);
  });

  it.each<[string, JWTPayload, readonly string[]]>([
    ['in a text', { scope: 'mcp:call mcp:upload' }, ['call', 'upload']],
    ['in a list', { scope: ['mcp:call'] }, ['call']],
    ['as scp in a list', { scope: undefined, scp: ['mcp:upload', 'mcp:call'] }, ['upload', 'call']],
    ['as scp in a text', { scope: undefined, scp: 'mcp:call other' }, ['call']],
    ['of an administrator', { scope: 'mcp:call mcp:admin' }, ['call', 'upload', 'admin']],
    ['of no type', { scope: ['mcp:call', 7, null, { a: 1 }] }, ['call']],
  ])('may have its scopes %s', async (_where, claims, scopes) => {
    const { key, app } = await startWithIssuer();
    const path = scopes.includes('call') ? '/call' : '/upload';
    expect((await app.ask(path, bearer(await key.sign(claims)))).json).toMatchObject({ scopes });
  });

  it('may have scopes of other names, where they are mapped', async () => {
    const { key, app, oauth } = await startWithIssuer();
    app.change({ oauth: { ...oauth, scopeMap: { 'tools.use': 'call', 'tools.put': 'upload' } } });
    expect((await app.ask('/call', bearer(await key.sign({ scope: 'tools.use' })))).status).toBe(200);
    expect((await app.ask('/call', bearer(await key.sign({ scope: 'mcp:call __proto__ constructor' })))).status).toBe(
      403,
    );
  });

  it('works beside keys', async () => {
    const { key, app, oauth } = await startWithIssuer();
    const ours = keyFor();
    app.change({ oauth, keys: [ours.entry] });
    expect((await app.ask('/call', bearer(await key.sign()))).status).toBe(200);
    expect((await app.ask('/call', { headers: ours.bearer })).status).toBe(200);
    expect((await app.ask('/call', bearer(keyFor().key))).status).toBe(401);
  });

  it('with a long name of its owner gives a short id that is never that of another', async () => {
    const { key, app } = await startWithIssuer();
    const ids = new Set<unknown>();
    for (const end of ['a', 'b']) {
      const { json } = await app.ask('/call', bearer(await key.sign({ sub: 'x'.repeat(500) + end })));
      expect(json).toMatchObject({ id: expect.stringMatching(/^oauth:sha256:[0-9a-f]{64}$/) });
      ids.add((json as { readonly id: unknown }).id);
    }
    expect(ids.size).toBe(2);
  });
});

describe('what a token is meant for', () => {
  it.each<[unknown, string, number]>([
    [resource, '/api/v1/services/sales', 200],
    [`${resource}/`, '/api/v1/services/sales', 200],
    [['https://other', resource], '/api/v1/services/sales', 200],
    [`${resource}/mcp`, '/api/v1/services/sales', 200],
    [`${resource}/api/v1/mcp/sales`, '/api/v1/services/sales', 200],
    [`${resource}/api/v1/mcp/sales`, '/api/v1/services/hr', 404],
    [`${resource}/api/v1/mcp/*`, '/api/v1/services/hr', 401],
    [`${resource}/elsewhere`, '/api/v1/services/sales', 401],
    [`${resource}.evil.com`, '/api/v1/services/sales', 401],
    ['http://localhost', '/api/v1/services/sales', 401],
    ['https://other.example.com', '/api/v1/services/sales', 401],
    [[], '/api/v1/services/sales', 401],
    [7, '/api/v1/services/sales', 401],
    [undefined, '/api/v1/services/sales', 401],
  ])('aud %j at %s is answered with %i', async (aud, path, status) => {
    const { key, app } = await startWithIssuer();
    const token = await key.sign({ aud: aud as string });
    expect((await app.ask(path, bearer(token))).status).toBe(status);
  });

  it('one that is for a service makes nobody an administrator', async () => {
    const { key, app } = await startWithIssuer();
    const token = await key.sign({ aud: `${resource}/api/v1/mcp/sales`, scope: 'mcp:call mcp:admin' });
    expect((await app.ask('/call', bearer(token))).json).toMatchObject({ scopes: ['call'], services: ['sales'] });
    expect((await app.ask('/admin', bearer(token))).status).toBe(403);
  });

  it('the audience that is configured counts alone', async () => {
    const { key, app, oauth } = await startWithIssuer();
    app.change({ oauth: { ...oauth, audience: ['api://mcp', 'api://two'] } });
    expect((await app.ask('/call', bearer(await key.sign({ aud: 'api://two' })))).status).toBe(200);
    expect((await app.ask('/call', bearer(await key.sign()))).status).toBe(401);
  });

  it('without a configured address it is the one that was asked, at the names that the gateway has', async () => {
    const { key, app, oauth } = await startWithIssuer();
    app.change({ oauth: { ...oauth, resource: undefined } });
    const own = await key.sign({ aud: `http://localhost:${app.port}` });
    const at = (host: string) => ({ headers: { host, authorization: `Bearer ${own}` } });
    expect((await app.ask('/call', at(`localhost:${app.port}`))).status).toBe(200);
    expect((await app.ask('/call', at(`LOCALHOST:${app.port}`))).status).toBe(200);
    expect((await app.ask('/call', at('localhost:1'))).status).toBe(401);
    expect((await app.ask('/call', at('evil.com'))).status).toBe(403);
  });
});
