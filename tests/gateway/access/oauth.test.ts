import { describe, expect, it } from 'vitest';
import { toJSONSchema } from 'zod';
import { keyEntriesSchema } from '../../../src/gateway/access/keys.js';
import { oauthSchema } from '../../../src/gateway/access/oauth.js';

describe('oauthSchema', () => {
  const issuer = 'https://idp.example.com/';

  it('an issuer is enough', () => {
    expect(oauthSchema.parse({ issuer })).toMatchObject({ issuer, scopeMap: { 'mcp:call': 'call' } });
  });

  it.each<[string, object]>([
    ['no issuer', {}],
    ['an issuer that is no address', { issuer: 'idp' }],
    ['an issuer without s whose keys have to be fetched', { issuer: 'http://idp.example.com' }],
    ['an issuer with a query', { issuer: 'https://idp.example.com/?a' }],
    ['keys without s', { issuer, jwksUri: 'http://idp.example.com/keys' }],
    ['keys in a file', { issuer, jwksUri: 'file:///keys' }],
    ['no key at all', { issuer, jwks: { keys: [] } }],
    ['a private key', { issuer, jwks: { keys: [{ kty: 'EC', crv: 'P-256', x: 'a', y: 'b', d: 'c' }] } }],
    ['a shared secret as key', { issuer, jwks: { keys: [{ kty: 'oct', k: 'a' }] } }],
    ['shared secrets', { issuer, algorithms: ['HS256'] }],
    ['no signature', { issuer, algorithms: ['none'] }],
    ['no algorithm', { issuer, algorithms: [] }],
    ['an unknown scope of ours', { issuer, scopeMap: { a: 'root' } }],
    ['a scope that breaks a header', { issuer, scopeMap: { 'a"b': 'call' } }],
    ['an unknown option', { issuer, secret: 'x' }],
    ['an empty audience', { issuer, audience: [] }],
  ])('%s is refused', (_what, given) => {
    expect(oauthSchema.safeParse(given).success).toBe(false);
  });

  it('it and the keys can be said as JSON Schema, for editors', () => {
    expect(toJSONSchema(oauthSchema, { io: 'input' })).toMatchObject({ required: ['issuer'] });
    expect(toJSONSchema(keyEntriesSchema, { io: 'input' })).toMatchObject({ type: 'array' });
  });

  it('http is enough on this machine, and where nothing is fetched from it', () => {
    expect(oauthSchema.safeParse({ issuer: 'http://localhost:9000' }).success).toBe(true);
    const jwksUri = 'https://idp.example.com/keys';
    expect(oauthSchema.safeParse({ issuer: 'http://idp.example.com', jwksUri }).success).toBe(true);
  });
});
