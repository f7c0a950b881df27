import { describe, expect, it } from 'vitest';
import { createAdmission } from '../../../src/gateway/access/admission.js';
import { local } from '../../../src/gateway/access/authentication.js';
import { createKey, createKeyring, type KeyEntry } from '../../../src/gateway/access/keys.js';
import { type OAuthOptions, oauthSchema } from '../../../src/gateway/access/oauth.js';
import type { Principal } from '../../../src/gateway/access/principal.js';

const { key, entry } = createKey({ name: 'ci', services: ['sales'] });
const other = createKey({ name: 'other' }).entry;
const principal = createKeyring([entry]).find(key);
const oauth = oauthSchema.parse({ issuer: 'https://login.example.com' });

describe('what a key has proven', () => {
  it.each<[string, readonly KeyEntry[], boolean, boolean]>([
    ['holds while the key is there', [other, entry], true, true],
    ['holds when only its name and quotas change', [{ ...entry, name: 'CI', quotas: { maxRunning: 1 } }], true, true],
    ['ends with the key', [other], false, false],
    ['ends when the key has another secret', [{ ...entry, hash: other.hash }], false, true],
    ['ends when the key is for other services', [{ ...entry, services: ['hr'] }], false, true],
    ['ends when the key permits something else', [{ ...entry, scopes: ['upload'] }], false, true],
  ])('%s', (_sentence, keys, holds, mayReturn) => {
    const admission = admissionOf(keys);
    expect([principal && admission.holds(principal), admission.mayReturn(`key:${entry.id}`)]).toEqual([
      holds,
      mayReturn,
    ]);
  });
});

describe('what a token has proven', () => {
  const holder = (expiresAt: number): Principal => ({
    id: 'oauth:https://login.example.com#ada',
    name: 'ada',
    scopes: new Set(['call']),
    expiresAt,
  });

  it('holds until the token expires, and its holder may return with another', () => {
    const admission = admissionOf([], oauth);
    expect(admission.holds(holder(Date.now() + 60_000))).toBe(true);
    expect(admission.holds(holder(Date.now() - 1))).toBe(false);
    expect(admission.mayReturn(holder(0).id)).toBe(true);
  });

  it('ends when tokens are not taken any more', () => {
    const admission = admissionOf([other]);
    expect(admission.holds(holder(Date.now() + 60_000))).toBe(false);
    expect(admission.mayReturn(holder(0).id)).toBe(false);
  });
});

describe('whoever asks without a key', () => {
  it('is let in until there is one', () => {
    expect(admissionOf([]).holds(local)).toBe(true);
    expect(admissionOf([entry]).holds(local)).toBe(false);
    expect(admissionOf([], oauth).holds(local)).toBe(false);
    expect(admissionOf([], undefined, '0.0.0.0').holds(local)).toBe(false);
  });
});

function admissionOf(keys: readonly KeyEntry[], tokens?: OAuthOptions, host = '127.0.0.1') {
  return createAdmission({ keys: () => keys, oauth: () => tokens, settings: () => ({ host }) });
}
