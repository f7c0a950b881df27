import { describe, expect, it } from 'vitest';
import { isPrivateWay, mayBeAsked } from '../../../src/client/oauth/address.js';

describe('an address of a login', () => {
  it.each([
    ['https://shop.example/', true],
    ['http://127.0.0.1:8080/', true],
    ['http://127.9.9.9/', true],
    ['http://[::1]:1/', true],
    ['http://localhost/', true],
    ['http://app.localhost/', true],
    ['http://shop.example/', false],
    ['http://10.0.0.1/', false],
    ['http://0.0.0.0/', false],
    ['http://localhost.evil.example/', false],
    ['http://notlocalhost/', false],
    ['http://127.0.0.1.evil.example/', false],
    ['ftp://127.0.0.1/', false],
    ['file:///etc/passwd', false],
    ['javascript:alert(1)', false],
  ])('%s is a private way: %s', (url, isPrivate) => {
    expect(isPrivateWay(new URL(url))).toBe(isPrivate);
  });

  it.each([
    ['https://login.example/', 'https://shop.example/mcp', true],
    ['https://login.example/', 'http://localhost:1/mcp', true],
    ['http://127.0.0.1:2/', 'http://localhost:1/mcp', true],
    ['http://127.0.0.1:2/', 'https://shop.example/mcp', false],
    ['https://localhost:2/', 'https://shop.example/mcp', false],
    ['http://login.example/', 'https://shop.example/mcp', false],
    ['https://me:secret@login.example/', 'https://shop.example/mcp', false],
  ])('%s may be asked for the server at %s: %s', (address, server, may) => {
    expect(mayBeAsked(new URL(address), new URL(server))).toBe(may);
  });
});
