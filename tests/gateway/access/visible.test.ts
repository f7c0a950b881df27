import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { Principal } from '../../../src/gateway/access/principal.js';
import { maySee } from '../../../src/gateway/access/visible.js';

const who = (services?: readonly string[]): Principal => ({ id: 'x', name: 'x', scopes: new Set(['call']), services });

it.each([
  [undefined, 'anything', true],
  [[], 'anything', false],
  [['sales'], 'sales', true],
  [['sales'], 'sales2', false],
  [['sales'], 'Sales', false],
  [['team-*'], 'team-', true],
  [['team-*'], 'team-a', true],
  [['team-*'], 'a-team-a', false],
  [['*-dev'], 'sales-dev', true],
  [['*-dev'], 'sales-dev2', false],
  [['a*b*c'], 'abc', true],
  [['a*b*c'], 'a-b-b-c', true],
  [['a*b*c'], 'a-c', false],
  [['a*a'], 'a', false],
  [['*'], '', true],
  [['x', 'y*'], 'yes', true],
  [['a.c'], 'abc', false],
])('services %j: %s is seen: %s', (services, id, isSeen) => {
  expect(maySee(who(services), id)).toBe(isSeen);
});

it('an administrator sees all services', () => {
  expect(maySee({ ...who(['a']), scopes: new Set(['admin']) }, 'b')).toBe(true);
});

it('a pattern means what the regular expression with .* for each star means', () => {
  const ids = fc.string({ unit: fc.constantFrom('a', 'b', '-'), maxLength: 12 });
  const patterns = fc.string({ unit: fc.constantFrom('a', 'b', '-', '*'), minLength: 1, maxLength: 8 });
  fc.assert(
    fc.property(patterns, ids, (pattern, id) => {
      expect(maySee(who([pattern]), id)).toBe(new RegExp(`^${pattern.replaceAll('*', '.*')}$`).test(id));
    }),
    { numRuns: 2000 },
  );
});
