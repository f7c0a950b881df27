import { describe, expect, it } from 'vitest';
import { checkArguments } from '../../../src/manifest/check/check.js';
import { longestTextFor } from '../../../src/manifest/check/repetition.js';

describe('a pattern that could take for ever to refuse a text', () => {
  it.each([
    '^(a+)+$',
    '^(a|aa)+$',
    '(x+x+)+y',
    '^(?:a*)*$',
    '^((ab)*c?)*$',
    '^(\\w+\\s?)*$',
    '(a)\\1',
    '^([a-z]{2,})+$',
    '^(a|aa){30}$',
    '^((a|aa){5}){20}$',
  ])('is not tried here: %s', (pattern) => {
    expect(longestTextFor(pattern)).toBe(0);
    const schema = { type: 'object', properties: { x: { type: 'string', pattern } } };
    expect(checkArguments(schema, { x: `${'a'.repeat(50)}!` })).toEqual({ x: `${'a'.repeat(50)}!` });
  });

  it('is one where the text is long and many parts repeat', () => {
    expect(longestTextFor('^a*b*c*$')).toBeLessThan(longestTextFor('^a*$'));
    const schema = { type: 'object', properties: { x: { type: 'string', pattern: '^.*.*.*.*=$' } } };
    const x = 'a'.repeat(100_000);
    expect(checkArguments(schema, { x })).toEqual({ x });
  });
});

describe('a text that is tried', () => {
  it.each(['^a*a*a*a*b$', 'a*a*b', 'a*b', '^(a*){6}b$', '^(a*a*){3}b$'])(
    'is so short that it is refused at once: %s',
    (pattern) => {
      const text = 'a'.repeat(longestTextFor(pattern));
      const startedAt = performance.now();
      expect(new RegExp(pattern, 'u').test(text)).toBe(false);
      expect(text.length).toBeGreaterThan(20);
      expect(performance.now() - startedAt).toBeLessThan(5000);
    },
  );
});

describe('any other pattern', () => {
  it.each([
    '^[a-z]+$',
    '^(abc)+$',
    '^\\d{3}-\\d{4}$',
    '^(red|blue)$',
    '^[(+*)]+$',
    '\\(a+\\)',
    '^(?:no|yes)?$',
    '^(a{2}){3}$',
    '^(\\d+\\.){3}\\d+$',
    '^(?:[a-z]{1,63}\\.)+$',
  ])('is tried: %s', (pattern) => {
    const schema = { type: 'object', properties: { x: { type: 'string', pattern } } };
    expect(() => checkArguments(schema, { x: '<>' })).toThrow('x');
  });
});
