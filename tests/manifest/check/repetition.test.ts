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
  ])('is tried: %s', (pattern) => {
    const schema = { type: 'object', properties: { x: { type: 'string', pattern } } };
    expect(() => checkArguments(schema, { x: '<>' })).toThrow('x');
  });
});
