import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createKey, createKeyring, keyEntriesSchema, keyEntrySchema } from '../../../src/gateway/access/keys.js';

const { key, entry } = createKey({ name: 'ada', scopes: ['call', 'upload'], services: ['team-*'] });

describe('createKey', () => {
  it('a new key has its id, 256 bits of secret, and an entry that keeps only the hash', () => {
    expect(key).toMatch(/^mcpx_[0-9a-f]{16}_[\w-]{43}$/);
    expect(key).toContain(entry.id);
    expect(entry.hash).toBe(`sha256:${createHash('sha256').update(key).digest('hex')}`);
    expect(JSON.stringify(entry)).not.toContain(key.slice(-43));
  });

  it('a new key may call, and nothing else, unless said', () => {
    expect(createKey({ name: 'x' }).entry.scopes).toEqual(['call']);
  });

  it('an entry passes through JSON and its schema unchanged', () => {
    expect(keyEntrySchema.parse(JSON.parse(JSON.stringify(entry)))).toEqual(entry);
  });

  it.each([
    ['no name', { name: '' }, /name/],
    ['no scope', { name: 'x', scopes: [] }, /scopes/],
    ['no service', { name: 'x', services: [] }, /services/],
    ['admin of some services', { name: 'x', scopes: ['admin'], services: ['a'] }, /admin sees all services/],
    ['a quota of nothing', { name: 'x', quotas: { requestsPerSecond: 0 } }, /quotas\.requestsPerSecond/],
  ] as const)('%s is refused', (_what, options, sentence) => {
    expect(() => createKey(options)).toThrow(expect.objectContaining({ code: 'INVALID_SETTING' }));
    expect(() => createKey(options)).toThrow(sentence);
  });
});

describe('keyEntrySchema', () => {
  it.each([
    ['a hash of another kind', { ...entry, hash: 'md5:abc' }],
    ['a hash in capitals', { ...entry, hash: entry.hash.toUpperCase() }],
    ['an id with the sign that ends it', { ...entry, id: 'a_b' }],
    ['an unknown field', { ...entry, key }],
    ['an unknown scope', { ...entry, scopes: ['root'] }],
  ])('%s is refused', (_what, given) => {
    expect(keyEntrySchema.safeParse(given).success).toBe(false);
  });

  it('two keys of one id are refused', () => {
    expect(keyEntriesSchema.safeParse([entry, entry]).success).toBe(false);
  });
});

describe('createKeyring', () => {
  const others = Array.from({ length: 50 }, (_, index) => createKey({ name: `other ${index}` }).entry);
  const keyring = createKeyring([...others, entry]);

  it('a key is found among many, with all that its entry says', () => {
    expect(keyring.find(key)).toEqual({
      id: `key:${entry.id}`,
      name: 'ada',
      scopes: new Set(['call', 'upload']),
      services: ['team-*'],
    });
  });

  it('a key with the scope admin has every scope', () => {
    const made = createKey({ name: 'root', scopes: ['admin'] });
    expect(createKeyring([made.entry]).find(made.key)?.scopes).toEqual(new Set(['call', 'upload', 'admin']));
  });

  it('any other text than the key is refused', () => {
    const letter = fc.constantFrom(...'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_ =.\0é');
    const mutated = fc.oneof(
      fc.tuple(fc.nat(key.length - 1), letter).map(([at, put]) => key.slice(0, at) + put + key.slice(at + 1)),
      fc.tuple(fc.nat(key.length), letter).map(([at, put]) => key.slice(0, at) + put + key.slice(at)),
      fc.nat(key.length - 1).map((at) => key.slice(0, at) + key.slice(at + 1)),
      fc.constantFrom(...others).map(({ id }) => key.replace(entry.id, id)),
      fc.constantFrom(key.toUpperCase(), key.toLowerCase(), `${key}${key}`, entry.hash, entry.id, ''),
      fc.string(),
    );
    fc.assert(
      fc.property(mutated, (text) => text === key || keyring.find(text) === undefined),
      { numRuns: 2000 },
    );
  });

  it('the hash of nobody lets nobody in', () => {
    const zeros = { ...entry, hash: `sha256:${'0'.repeat(64)}` };
    expect(createKeyring([zeros]).find(key)).toBeUndefined();
    expect(createKeyring([]).find(key)).toBeUndefined();
  });
});
