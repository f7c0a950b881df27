import { afterEach, describe, expect, it, vi } from 'vitest';
import { startAccessApp } from './access-app.js';
import { bearer, createSigningKey, resource, startIssuer, startWithIssuer } from './issuer.js';

const now = () => Math.floor(Date.now() / 1000);

afterEach(() => {
  vi.useRealTimers();
});

describe('the keys of the issuer', () => {
  it('a new one is fetched when a token first needs it, once', async () => {
    vi.useFakeTimers({ toFake: ['Date'] });
    const { issuer, key, app } = await startWithIssuer();
    expect((await app.ask('/call', bearer(await key.sign()))).status).toBe(200);
    vi.setSystemTime(Date.now() + 31_000);
    const second = await issuer.addKey('two');
    const tokens = await Promise.all([1, 2, 3].map((jti) => second.sign({ jti: String(jti) })));
    const answers = await Promise.all(tokens.map((token) => app.ask('/call', bearer(token))));
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200]);
    expect(issuer.asked).toEqual(['/keys', '/keys']);
  });

  it('tokens of keys that do not exist do not make it ask again and again', async () => {
    const { issuer, key, app } = await startWithIssuer();
    await app.ask('/call', bearer(await key.sign()));
    for (let each = 0; each < 10; each++) {
      const foreign = await createSigningKey(issuer.url, `made-up-${each}`);
      expect((await app.ask('/call', bearer(await foreign.sign()))).status).toBe(401);
    }
    expect(issuer.asked).toEqual(['/keys']);
  });

  it('one that was withdrawn stops counting when the keys are fetched again', async () => {
    vi.useFakeTimers({ toFake: ['Date'] });
    const { issuer, key, app } = await startWithIssuer();
    const token = await key.sign({ exp: now() + 86_400 });
    expect((await app.ask('/call', bearer(token))).status).toBe(200);
    issuer.keys.length = 0;
    await issuer.addKey('two');
    vi.setSystemTime(Date.now() + 601_000);
    expect((await app.ask('/call', bearer(token))).status).toBe(401);
  });

  it.each<[string, number | object]>([
    ['fails', 500],
    ['redirects', 302],
    ['gives something else', { hello: 'world' }],
  ])(
    'an issuer that %s makes 503 and not 401, is left alone for a while, and is asked again',
    async (_what, answer) => {
      vi.useFakeTimers({ toFake: ['Date'] });
      const { issuer, key, app } = await startWithIssuer();
      issuer.answers.set('/keys', answer);
      const token = await key.sign();
      for (let each = 0; each < 3; each++) {
        const refused = await app.ask('/call', bearer(token));
        expect(refused).toMatchObject({ status: 503, json: { error: { code: 'UNAVAILABLE' } } });
        expect(refused.headers['retry-after']).toBe('5');
      }
      expect(issuer.asked).toEqual(['/keys']);
      expect(app.logged.filter((line) => line.includes('the keys of the issuer cannot be had'))).toHaveLength(1);
      issuer.answers.clear();
      vi.setSystemTime(Date.now() + 5001);
      expect((await app.ask('/call', bearer(token))).status).toBe(200);
    },
  );

  it('an issuer that cannot be reached makes 503, in JSON-RPC at MCP addresses', async () => {
    const { issuer, key, app } = await startWithIssuer();
    await issuer.close();
    const answer = await app.ask('/mcp', { method: 'POST', ...bearer(await key.sign()) });
    expect(answer).toMatchObject({ status: 503, json: { jsonrpc: '2.0', error: { data: { code: 'UNAVAILABLE' } } } });
    expect(answer.text).not.toContain('ECONNREFUSED');
    expect((await app.ask('/open', bearer(await key.sign()))).json).toMatchObject({ id: 'nobody' });
  });

  it('they may be given in the configuration', async () => {
    const key = await createSigningKey('https://idp.example.com', 'one', 'RS256');
    const oauth = { issuer: 'https://idp.example.com', jwks: { keys: [key.publicJwk] }, resource };
    const app = await startAccessApp({ oauth });
    expect((await app.ask('/call', bearer(await key.sign()))).status).toBe(200);
    app.change({ oauth: { ...oauth, algorithms: ['ES256'] } });
    const refused = await app.ask('/call', bearer(await key.sign()));
    expect(refused).toMatchObject({ status: 401, json: { error: { message: expect.stringContaining('algorithm') } } });
  });

  it.each(['', '/realms/x'])('are found by the metadata of the issuer%s', async (path) => {
    for (const at of [
      `/.well-known/oauth-authorization-server${path}`,
      `/.well-known/openid-configuration${path}`,
      `${path}/.well-known/openid-configuration`,
    ]) {
      const issuer = await startIssuer(path);
      issuer.answers.set(at, { issuer: issuer.url, jwks_uri: issuer.jwksUri });
      const key = await issuer.addKey('one');
      const app = await startAccessApp({ oauth: { issuer: issuer.url, resource } });
      for (let each = 0; each < 2; each++) {
        expect((await app.ask('/call', bearer(await key.sign({ jti: String(each) })))).status).toBe(200);
      }
      expect(issuer.asked.filter((asked) => asked === at)).toHaveLength(1);
    }
  });

  it.each<[string, (issuer: string) => object]>([
    ['speaks for another issuer', () => ({ issuer: 'https://evil.example.com', jwks_uri: 'https://evil.example.com' })],
    ['sends us over the network in the clear', (issuer) => ({ issuer, jwks_uri: 'http://keys.example.com/' })],
    ['says nothing', () => ({})],
  ])('metadata that %s is not followed', async (_what, metadata) => {
    const issuer = await startIssuer();
    issuer.answers.set('/.well-known/oauth-authorization-server', metadata(issuer.url));
    const key = await issuer.addKey('one');
    const app = await startAccessApp({ oauth: { issuer: issuer.url, resource } });
    expect((await app.ask('/call', bearer(await key.sign()))).status).toBe(503);
    expect(issuer.asked).not.toContain('/keys');
  });
});
