import { createHmac, KeyObject, sign } from 'node:crypto';
import { exportSPKI, importJWK, type JWTPayload, UnsecuredJWT } from 'jose';
import { describe, expect, it } from 'vitest';
import { bearer, createSigningKey, goodClaims, startIssuer, startWithIssuer } from './issuer.js';

const now = () => Math.floor(Date.now() / 1000);

describe('a token that proves nothing', () => {
  it.each<[string, JWTPayload, RegExp]>([
    ['of another issuer', { iss: 'https://evil.example.com' }, /another issuer/],
    ['of an issuer with a slash more', { iss: 'http://127.0.0.1/' }, /another issuer/],
    ['that has expired', { exp: 1_000_000 }, /expired/],
    ['that is not valid yet', { nbf: 99_999_999_999 }, /not valid yet/],
    ['that never expires', { exp: undefined }, /when it expires/],
    ['of nobody', { sub: undefined }, /whose it is/],
    ['of an empty name', { sub: '' }, /whose it is/],
    ['of a name that is no text', { sub: 7 as unknown as string }, /whose it is/],
    ['without issuer', { iss: undefined }, /issuer/],
  ])('%s is refused with 401', async (_what, claims, sentence) => {
    const { key, app } = await startWithIssuer();
    const answer = await app.ask('/call', bearer(await key.sign(claims)));
    expect(answer.status).toBe(401);
    expect(answer.json).toMatchObject({
      error: { code: 'NOT_AUTHENTICATED', message: expect.stringMatching(sentence) },
    });
    expect(answer.headers['www-authenticate']).toMatch(/error="invalid_token", error_description="[^"]+"/);
  });

  it('a clock that is a little off is forgiven, one that is a minute off is not', async () => {
    const { key, app } = await startWithIssuer();
    expect((await app.ask('/call', bearer(await key.sign({ exp: now() - 10 })))).status).toBe(200);
    expect((await app.ask('/call', bearer(await key.sign({ nbf: now() + 10 })))).status).toBe(200);
    expect((await app.ask('/call', bearer(await key.sign({ exp: now() - 60 })))).status).toBe(401);
    expect((await app.ask('/call', bearer(await key.sign({ nbf: now() + 60 })))).status).toBe(401);
  });

  it('an unsigned one is refused', async () => {
    const { issuer, app } = await startWithIssuer();
    const none = new UnsecuredJWT(goodClaims(issuer.url)).encode();
    for (const token of [none, `${none}AAAA`, none.replace(/^[^.]+/, encoded({ alg: 'NONE' }))]) {
      expect((await app.ask('/call', bearer(token))).status).toBe(401);
    }
  });

  it('one that is signed with the public key as a shared secret is refused', async () => {
    const { issuer, key, app } = await startWithIssuer();
    const publicKey = await importJWK({ ...key.publicJwk, ext: true }, 'ES256');
    if (publicKey instanceof Uint8Array) throw new Error('not a public key');
    for (const secret of [await exportSPKI(publicKey), JSON.stringify(key.publicJwk), '']) {
      const head = `${encoded({ alg: 'HS256', kid: 'one' })}.${encoded(goodClaims(issuer.url))}`;
      const signature = createHmac('sha256', secret).update(head).digest('base64url');
      expect((await app.ask('/call', bearer(`${head}.${signature}`))).status).toBe(401);
    }
  });

  it('one of a foreign key is refused, also where it brings that key along', async () => {
    const { issuer, app } = await startWithIssuer();
    const foreign = await createSigningKey(issuer.url, 'one');
    const evil = await startIssuer();
    const headers = [
      {},
      { jwk: foreign.publicJwk },
      { jku: evil.jwksUri },
      { x5u: evil.jwksUri },
      { kid: '../../../../dev/null' },
      { kid: "one' OR 1=1" },
      { kid: evil.jwksUri },
      { kid: '__proto__' },
      { typ: 'logout+jwt' },
    ];
    for (const header of headers) {
      expect((await app.ask('/call', bearer(await foreign.sign({}, header)))).status).toBe(401);
    }
    expect(evil.asked).toEqual([]);
  });

  it('one of the right key that is no access token is refused', async () => {
    const { key, app } = await startWithIssuer();
    expect((await app.ask('/call', bearer(await key.sign({}, { typ: 'logout+jwt' })))).status).toBe(401);
    for (const typ of ['at+jwt', 'JWT', 'application/at+jwt']) {
      expect((await app.ask('/call', bearer(await key.sign({}, { typ })))).status).toBe(200);
    }
  });

  it('one of the right key that asks for more than is understood is refused', async () => {
    const { issuer, key, app } = await startWithIssuer();
    const privateKey = { key: KeyObject.from(key.privateKey), dsaEncoding: 'ieee-p1363' } as const;
    for (const [more, status] of [
      [{}, 200],
      [{ crit: ['more'], more: 1 }, 401],
      [{ crit: ['b64'], b64: false }, 401],
    ] as const) {
      const text = `${encoded({ alg: 'ES256', kid: 'one', ...more })}.${encoded(goodClaims(issuer.url))}`;
      const token = `${text}.${sign('sha256', Buffer.from(text), privateKey).toString('base64url')}`;
      expect((await app.ask('/call', bearer(token))).status).toBe(status);
    }
  });

  it('one that was changed after it was signed is refused', async () => {
    const { issuer, key, app } = await startWithIssuer();
    const [head, , signature] = (await key.sign()).split('.');
    const claims = encoded({ ...goodClaims(issuer.url), scope: 'mcp:admin' });
    expect((await app.ask('/admin', bearer(`${head}.${claims}.${signature}`))).status).toBe(401);
  });

  it.each([
    ['huge', `${'a'.repeat(5000)}.${'b'.repeat(5000)}.c`],
    ['of one part', 'abcdef'],
    ['of dots', '...'],
    ['of four parts', 'a.b.c.d'],
    ['of an encrypted form', 'a.b.c.d.e'],
    ['whose head is no JSON', 'AAAA.BBBB.CCCC'],
    ['whose head is a list', `${encoded([])}.${encoded({})}.AAAA`],
  ])('one that is %s is refused, and nothing is fetched for it', async (_what, token) => {
    const { issuer, app } = await startWithIssuer();
    expect((await app.ask('/call', bearer(token))).status).toBe(401);
    expect(issuer.asked).toEqual([]);
  });

  it('is never in the log or in the answer', async () => {
    const { key, app } = await startWithIssuer();
    const token = await key.sign({ exp: 1_000_000 });
    const answer = await app.ask('/call', bearer(token));
    const signature = token.split('.')[2] ?? '?';
    expect(app.logged.join('') + answer.text + JSON.stringify(answer.headers)).not.toContain(signature);
  });
});

function encoded(value: unknown): string {
  return Buffer.from(JSON.stringify(value)).toString('base64url');
}
