import { describe, expect, it } from 'vitest';
import { checkHostSettings } from '../../../src/gateway/access/hosts.js';
import { gatewaySettingsSchema } from '../../../src/gateway/settings.js';
import { startAccessApp } from './access-app.js';

const settings = {
  allowedHosts: ['gw.example.com', 'Other.Example.com:8443'],
  corsOrigins: ['https://app.example.com'],
};

describe('the name that a request is sent to', () => {
  it.each([
    ['localhost', 200],
    ['localhost:1', 200],
    ['LocalHost:8080', 200],
    ['localhost.', 200],
    ['127.0.0.1', 200],
    ['127.0.0.1:8080', 200],
    ['[::1]', 200],
    ['[::1]:8080', 200],
    ['[0:0:0:0:0:0:0:1]:8080', 200],
    ['gw.example.com', 200],
    ['GW.example.COM.:443', 200],
    ['other.example.com', 200],
    ['evil.example.com', 403],
    ['evil.example.com:8080', 403],
    ['localhost.evil.com', 403],
    ['evil-localhost', 403],
    ['gw.example.com.evil.com', 403],
    ['sub.gw.example.com', 403],
    ['127.0.0.2', 403],
    ['0.0.0.0', 403],
    ['2130706433', 403],
    ['127.1', 403],
    ['0x7f.1', 403],
    ['[::]', 403],
    ['[::2]:8080', 403],
    ['[::ffff:7f00:1]', 403],
    ['localhost:', 400],
    ['localhost:port', 400],
    ['localhost:99999', 400],
    ['localhost:999999', 400],
    ['evil.com@localhost', 400],
    ['localhost@evil.com', 400],
    ['user:pass@localhost:80', 400],
    ['localhost#evil.com', 400],
    ['localhost/evil', 400],
    ['localhost?x', 400],
    ['localhost\\evil', 400],
    ['localhost,evil.com', 400],
    ['local host', 400],
    ['localhost..', 400],
    ['.localhost', 400],
    ['*', 400],
    ['[::1', 400],
    ['[localhost]', 400],
    ['[::1%25lo]', 400],
    ['l\u00f6calhost', 400],
    ['http://localhost', 400],
  ])('%j is answered with %i', async (host, status) => {
    const app = await startAccessApp({ settings });
    for (const path of ['/call', '/open', '/nothing']) {
      const expected = status === 200 && path === '/nothing' ? 404 : status;
      expect((await app.ask(path, { headers: { host } })).status).toBe(expected);
    }
  });

  it('a foreign name is answered with what to do, in JSON-RPC at MCP addresses', async () => {
    const app = await startAccessApp();
    const headers = { host: 'evil.example.com' };
    expect((await app.ask('/call', { headers })).json).toMatchObject({
      error: { code: 'NOT_ALLOWED', message: expect.stringContaining('allowedHosts') },
    });
    expect(await app.ask('/mcp', { method: 'POST', headers })).toMatchObject({
      status: 403,
      json: { jsonrpc: '2.0', id: null, error: { data: { code: 'NOT_ALLOWED' } } },
    });
  });

  it.each([
    ['missing', 'GET /call HTTP/1.1\r\n', /^HTTP\/1\.1 400 /],
    ['missing in the older HTTP', 'GET /call HTTP/1.0\r\n', /^HTTP\/1\.[01] 400 /],
    ['empty', 'GET /call HTTP/1.1\r\nHost:\r\n', /^HTTP\/1\.1 400 /],
    ['missing', 'GET /call HTTP/1.1\r\n', /^HTTP\/1\.1 400 .*INVALID_REQUEST/s],
    ['doubled', 'GET /call HTTP/1.1\r\nHost: localhost\r\nHost: evil.com\r\n', /^HTTP\/1\.1 400 /],
    ['doubled in other letters', 'GET /call HTTP/1.1\r\nHost: localhost\r\nhOsT: localhost\r\n', /^HTTP\/1\.1 400 /],
    ['right', 'GET /call HTTP/1.1\r\nHost: localhost\r\n', /^HTTP\/1\.1 200 /],
    [
      'foreign, while the request line has a right one',
      'GET http://localhost/call HTTP/1.1\r\nHost: evil.com\r\n',
      /^HTTP\/1\.1 403 /,
    ],
  ])('a Host that is %s gets its answer', async (_what, head, answer) => {
    const app = await startAccessApp();
    expect(await app.raw(`${head}Connection: close\r\n\r\n`)).toMatch(answer);
  });

  it('X-Forwarded-Host does not stand for it', async () => {
    const app = await startAccessApp({ settings: { trustProxy: true } });
    const headers = { host: 'evil.com', 'x-forwarded-host': 'localhost' };
    expect((await app.ask('/call', { headers })).status).toBe(403);
    const other = { host: 'localhost', 'x-forwarded-host': 'evil.com' };
    expect((await app.ask('/call', { headers: other })).status).toBe(200);
  });

  it.skipIf(process.platform !== 'linux')(
    'a gateway on all addresses is reached by the one that the client took, and by no other',
    async () => {
      const app = await startAccessApp({ listenOn: '0.0.0.0' });
      const ask = (to: string, host: string) => app.ask('/call', { to, headers: { host } });
      expect((await ask('127.0.0.2', `127.0.0.2:${app.port}`)).status).toBe(200);
      expect((await ask('127.0.0.2', '127.0.0.3')).status).toBe(403);
      expect((await ask('127.0.0.2', '0.0.0.0')).status).toBe(403);
    },
  );

  it('names follow the settings while the gateway runs, and the public address is one', async () => {
    const app = await startAccessApp();
    const headers = { host: 'new.example.com' };
    expect((await app.ask('/call', { headers })).status).toBe(403);
    app.change({ settings: { allowedHosts: ['new.example.com'] } });
    expect((await app.ask('/call', { headers })).status).toBe(200);
    const jwks = { keys: [{ kty: 'RSA' }] };
    app.change({ oauth: { issuer: 'https://idp.example.com', resource: 'https://new.example.com/gw', jwks } });
    expect((await app.ask('/open', { headers })).status).toBe(200);
  });
});

describe('the page that a request comes from', () => {
  it.each([
    ['none', undefined, 200],
    ['an allowed one', 'https://app.example.com', 200],
    ['its own', 'http://localhost:8080', 200],
    ['its own by another name of this machine', 'http://127.0.0.1:8080', 200],
    ['its own by the third name', 'http://[::1]:8080', 200],
    ['another port of this machine', 'http://localhost:3000', 403],
    ['no port on this machine', 'http://localhost', 403],
    ['an allowed one without s', 'http://app.example.com', 403],
    ['an allowed one with a port', 'https://app.example.com:8443', 403],
    ['an allowed one with a path', 'https://app.example.com/x', 403],
    ['a foreign one', 'http://evil.example.com', 403],
    ['a foreign one on the same port', 'http://evil.example.com:8080', 403],
    ['one that contains a right one', 'https://app.example.com.evil.com', 403],
    ['one with a user', 'http://localhost:8080@evil.com', 403],
    ['one with a right user', 'http://evil.com@localhost:8080', 403],
    ['a page without origin', 'null', 403],
    ['a file', 'file://', 403],
    ['an extension', 'chrome-extension://abcdef', 403],
    ['two', 'https://app.example.com, http://evil.com', 403],
    ['a star', '*', 403],
    ['rubbish', '::::', 403],
  ])('%s (%s) is answered with %i', async (_what, origin, status) => {
    const app = await startAccessApp({ settings });
    const headers = { host: 'localhost:8080', ...(origin !== undefined && { origin }) };
    expect((await app.ask('/call', { headers })).status).toBe(status);
    expect((await app.ask('/mcp', { method: 'POST', headers })).status).toBe(status);
  });

  it('the page of the public name may ask, whether https ends here or in front', async () => {
    const app = await startAccessApp({ settings });
    for (const [host, origin] of [
      ['gw.example.com', 'https://gw.example.com'],
      ['gw.example.com:443', 'https://gw.example.com'],
      ['gw.example.com', 'http://gw.example.com'],
    ] as const) {
      expect((await app.ask('/call', { headers: { host, origin } })).status).toBe(200);
    }
  });

  it('an image or script of a foreign page is refused, and a link to the gateway is not', async () => {
    const app = await startAccessApp();
    const load = (site: string, mode: string) => ({ headers: { 'sec-fetch-site': site, 'sec-fetch-mode': mode } });
    expect((await app.ask('/call', load('cross-site', 'no-cors'))).status).toBe(403);
    expect((await app.ask('/call', load('same-site', 'no-cors'))).status).toBe(403);
    expect((await app.ask('/call', load('cross-site', 'navigate'))).status).toBe(200);
    expect((await app.ask('/call', load('same-origin', 'cors'))).status).toBe(200);
    expect((await app.ask('/call', load('none', 'navigate'))).status).toBe(200);
  });
});

describe('checkHostSettings', () => {
  it.each([
    ['allowedHosts', ['https://gw.example.com']],
    ['allowedHosts', ['a b']],
    ['allowedHosts', ['*']],
    ['allowedHosts', ['1.2.3.999']],
    ['allowedHosts', ['gw.example.com:99999']],
    ['corsOrigins', ['*']],
    ['corsOrigins', ['app.example.com']],
    ['corsOrigins', ['https://app.example.com/path']],
    ['corsOrigins', ['null']],
  ])('%s %j is refused, with the form to write', (setting, value) => {
    const given = gatewaySettingsSchema.parse({ [setting]: value });
    expect(() => checkHostSettings(given)).toThrow(
      expect.objectContaining({
        code: 'INVALID_SETTING',
        details: { setting },
        message: expect.stringMatching(/write it as in/),
      }),
    );
  });

  it('names with and without port, addresses and origins with a slash are taken', () => {
    const allowedHosts = ['gw.example.com', 'gw.example.com:8443', '10.0.0.1', '[fe80::1]', 'fe80::1', 'my_box'];
    const corsOrigins = [
      'https://app.example.com',
      'https://app.example.com/',
      'http://localhost:3000',
      'moz-extension://abc',
    ];
    expect(() => checkHostSettings(gatewaySettingsSchema.parse({ allowedHosts, corsOrigins }))).not.toThrow();
  });
});
