import fc from 'fast-check';
import { expect, it } from 'vitest';
import { networkOf } from '../../../src/gateway/access/limits.js';
import { createRateLimiter } from '../../../src/gateway/access/rate-limit.js';

const windowMs = 10_000;

function limiterAt(start = 0, maxClients?: number) {
  const clock = { now: start };
  return { clock, ...createRateLimiter({ windowMs, now: () => clock.now, ...(maxClients && { maxClients }) }) };
}

it('a client may use all requests of a window at once, and then has to wait for the next one', () => {
  const { take, clock } = limiterAt();
  for (let each = 0; each < 20; each++) expect(take('a', 20)).toBeUndefined();
  expect(take('a', 20)).toBe(500);
  clock.now += 500;
  expect(take('a', 20)).toBeUndefined();
  expect(take('a', 20)).toBe(500);
});

it('one client takes nothing from another', () => {
  const { take } = limiterAt();
  take('a', 1);
  expect(take('a', 1)).toBeDefined();
  expect(take('b', 1)).toBeUndefined();
});

it('whoever waits as long as was said gets in, and nobody gets more than burst and rate permit', () => {
  const steps = fc.array(fc.nat(3000), { minLength: 1, maxLength: 300 });
  fc.assert(
    fc.property(steps, fc.integer({ min: 1, max: 50 }), (pauses, quota) => {
      const { take, clock } = limiterAt();
      let passed = 0;
      for (const pause of pauses) {
        clock.now += pause;
        const waitMs = take('a', quota);
        if (waitMs === undefined) passed++;
        else {
          clock.now += waitMs;
          expect(take('a', quota)).toBeUndefined();
          passed++;
        }
        expect(passed).toBeLessThanOrEqual(quota + (clock.now / windowMs) * quota + 1e-6);
      }
    }),
  );
});

it('a client that comes back after a window has all its requests again, whatever others did', () => {
  const { take, clock } = limiterAt();
  for (let each = 0; each < 5; each++) take('a', 5);
  for (clock.now = 0; clock.now <= 2 * windowMs; clock.now += 1000) take('b', 5);
  for (let each = 0; each < 5; each++) expect(take('a', 5)).toBeUndefined();
  expect(take('a', 5)).toBeDefined();
});

it('what a client has used is not forgotten while the window turns', () => {
  const { take, clock } = limiterAt();
  clock.now = windowMs - 1;
  for (let each = 0; each < 5; each++) take('a', 5);
  clock.now = windowMs + 1;
  expect(take('a', 5)).toBeDefined();
});

it('a flood of clients does not free the one that is busy', () => {
  const { take } = limiterAt(0, 10);
  for (let each = 0; each < 5; each++) take('busy', 5);
  for (let each = 0; each < 1000; each++) {
    take(`flood ${each}`, 5);
    expect(take('busy', 5)).toBeDefined();
  }
});

it.each([
  ['10.0.0.1', '10.0.0.1'],
  ['::ffff:10.0.0.1', '10.0.0.1'],
  ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
  ['2001:db8:1:2::6', '2001:db8:1:2::/64'],
  ['2001:db8::6', '2001:db8:0:0::/64'],
  ['::1', '0:0:0:0::/64'],
  [undefined, 'unknown'],
  ['anything else, however long', 'unknown'],
])('%s counts as %s', (ip, network) => {
  expect(networkOf(ip)).toBe(network);
});
