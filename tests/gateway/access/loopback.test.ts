import { expect, it } from 'vitest';
import { isLoopback, refuseOpenBind } from '../../../src/gateway/access/loopback.js';

const own = [
  '127.0.0.1',
  '127.8.9.10',
  '::1',
  '[::1]',
  '0:0:0:0:0:0:0:1',
  '::ffff:127.0.0.1',
  'localhost',
  'LOCALHOST',
];
const reachable = [
  '0.0.0.0',
  '::',
  '192.168.0.1',
  '10.0.0.1',
  'fe80::1',
  '127.0.0.1.example.com',
  '128.0.0.1',
  'box',
  '',
];

it.each(own)('%s is reached by this machine alone, and needs no keys', (host) => {
  expect(isLoopback(host)).toBe(true);
  expect(() => refuseOpenBind(host, false)).not.toThrow();
});

it.each(reachable)('%s may be reached by others, and is refused without keys', (host) => {
  expect(isLoopback(host)).toBe(false);
  expect(() => refuseOpenBind(host, false)).toThrow(
    expect.objectContaining({ code: 'INVALID_SETTING', details: { setting: 'host' } }),
  );
  expect(() => refuseOpenBind(host, false)).toThrow(/mcp-exec key NAME.*OAuth.*127\.0\.0\.1/);
  expect(() => refuseOpenBind(host, true)).not.toThrow();
});
