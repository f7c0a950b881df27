import { once } from 'node:events';
import { readdir, readFile } from 'node:fs/promises';
import { createServer, get } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import type { LoginRequest } from '../../../src/client/oauth/login.js';
import { failure } from '../harness.js';
import { type AuthorityOptions, createAuthority } from './authority.js';
import { browse, createPlace, logInTo } from './harness.js';

describe('a login', () => {
  it('registers this program, proves who asked, and is kept', async () => {
    const authority = await createAuthority();
    const place = await createPlace();
    const pages: URL[] = [];
    const answers: Promise<{ readonly status: number; readonly text: string }>[] = [];
    const onPage = (page: URL) => {
      pages.push(page);
      answers.push(browse(page));
    };
    const login = await logInTo(authority, place, { onPage, name: 'shop' });
    const asked = pages[0]?.searchParams;
    expect(asked?.get('redirect_uri')).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/callback$/);
    expect(asked?.get('code_challenge_method')).toBe('S256');
    expect(asked?.get('resource')).toBe(authority.url);
    expect(asked?.get('state')).toMatch(/^[\w-]{43}$/);
    expect(await answers[0]).toEqual({ status: 200, text: expect.stringContaining('You are logged in.') });
    expect(authority.clients).toMatchObject([
      { application_type: 'native', token_endpoint_auth_method: 'none', redirect_uris: [asked?.get('redirect_uri')] },
    ]);
    expect(await place.logins.list()).toEqual([login]);
    expect(login).toMatchObject({ server: authority.url, name: 'shop', tokens: { access_token: expect.any(String) } });
  });

  it('writes down neither the state nor what proves who asked', async () => {
    const authority = await createAuthority();
    const place = await createPlace();
    const pages: URL[] = [];
    await logInTo(authority, place, { onPage: (page) => void browse(pages[pages.push(page) - 1] ?? page) });
    const [file = ''] = await readdir(place.folder);
    const text = await readFile(join(place.folder, file), 'utf8');
    expect(text).not.toContain(pages[0]?.searchParams.get('state'));
    expect(text).not.toContain('verifier');
  });

  it('uses a client that was registered by hand', async () => {
    const authority = await createAuthority({ metadata: { registration_endpoint: undefined } });
    const place = await createPlace();
    const client = { clientId: 'my-client', clientSecret: 'my-secret' };
    const login = await logInTo(authority, place, { client, scopes: ['files'] });
    expect(login).toMatchObject({ client: { client_id: 'my-client' }, tokens: { scope: 'files' } });
    expect(authority.counts.get('register')).toBeUndefined();
  });

  it('asks for a login that lasts where that is offered', async () => {
    const authority = await createAuthority({
      metadata: { scopes_supported: ['read', 'offline_access'] },
      resourceMetadata: { scopes_supported: ['read'] },
    });
    expect((await logInTo(authority, await createPlace())).tokens?.scope).toBe('read offline_access');
  });

  it('comes back to the port that is asked for', async () => {
    const port = await freePort();
    const pages: URL[] = [];
    const onPage = (page: URL) => void browse(pages[pages.push(page) - 1] ?? page);
    await logInTo(await createAuthority(), await createPlace(), { port, onPage });
    expect(pages[0]?.searchParams.get('redirect_uri')).toBe(`http://127.0.0.1:${port}/callback`);
  });

  it('says when another program has the port', async () => {
    const port = await freePort();
    const other = createServer().listen(port, '127.0.0.1');
    onTestFinished(() => void other.close());
    const error = await failure(logInTo(await createAuthority(), await createPlace(), { port }));
    expect(error).toMatchObject({ code: 'INVALID_ARGUMENTS', message: expect.stringContaining('another program') });
  });

  it('sends away whoever does not know its state, and whatever else comes, and waits on', async () => {
    const authority = await createAuthority();
    const statuses: Record<string, number | undefined> = {};
    const onPage = async (page: URL) => {
      const back = new URL(page.searchParams.get('redirect_uri') ?? '');
      const ask = async (name: string, path: string, init?: RequestInit) => {
        statuses[name] = (await fetch(new URL(path, back), init)).status;
      };
      await ask('no state', '/callback?code=x');
      await ask('wrong state', `/callback?code=x&state=${'A'.repeat(43)}`);
      await ask('error of another', '/callback?error=access_denied&state=other');
      await ask('another path', '/elsewhere');
      await ask('another method', `/callback?code=x&state=${page.searchParams.get('state')}`, { method: 'POST' });
      statuses['another name'] = await statusFor(new URL('/callback', back), 'evil.example');
      await browse(page);
    };
    await logInTo(authority, await createPlace(), { onPage: (page) => void onPage(page) });
    expect(statuses).toEqual({
      'no state': 400,
      'wrong state': 400,
      'error of another': 400,
      'another path': 404,
      'another method': 404,
      'another name': 404,
    });
  });

  it('leaves nobody listening once it is over', async () => {
    const pages: URL[] = [];
    const onPage = (page: URL) => void browse(pages[pages.push(page) - 1] ?? page);
    await logInTo(await createAuthority(), await createPlace(), { onPage });
    await expect(fetch(pages[0]?.searchParams.get('redirect_uri') ?? '')).rejects.toThrow();
  });

  it('is given up when nobody comes in time', async () => {
    const error = await failure(
      logInTo(await createAuthority(), await createPlace(), { onPage: () => {}, timeoutMs: 20 }),
    );
    expect(error).toMatchObject({
      code: 'LOGIN_REQUIRED',
      message: expect.stringContaining('Nobody logged in within'),
    });
  });

  it('is given up when the person interrupts it', async () => {
    const interruption = new AbortController();
    const request: Partial<LoginRequest> = { signal: interruption.signal, onPage: () => interruption.abort() };
    expect((await failure(logInTo(await createAuthority(), await createPlace(), request))).code).toBe('CANCELLED');
  });

  it.each<[string, AuthorityOptions, RegExp]>([
    ['is not granted', { answer: { code: undefined, error: 'access_denied' } }, /not granted: access_denied/],
    ['is refused without a reason', { answer: { code: undefined } }, /not granted: it gave no reason/],
    [
      'is refused with a riddle',
      { answer: { code: undefined, error: '\u001b[2Jx' } },
      /not granted: it gave no reason/,
    ],
    [
      'is answered by another',
      { answer: { iss: 'https://evil.example' } },
      /not the authorization server that was asked/,
    ],
    ['is answered by nobody', { answer: { iss: undefined } }, /not the authorization server that was asked/],
    ['is answered with a wrong code', { answer: { code: 'guess' } }, /The authorization server refused: invalid_grant/],
    ['meets no registration', { metadata: { registration_endpoint: undefined } }, /registers no clients.*"clientId"/],
    [
      'meets a refusal to register',
      { onRegister: () => new Response('no', { status: 403 }) },
      /HTTP status 403.*"clientId"/,
    ],
    ['is for another server', { resourceMetadata: { resource: 'https://other.example/mcp' } }, /login to another one/],
    [
      'would be made without protection',
      { metadata: { authorization_endpoint: 'http://evil.example/a' } },
      /is not asked/,
    ],
    [
      'would send its code without protection',
      { metadata: { token_endpoint: 'http://evil.example/t' } },
      /is not asked/,
    ],
    ['would open a script', { metadata: { authorization_endpoint: 'javascript:alert(1)' } }, /cannot be used/],
    [
      'would be looked for without protection',
      { resourceMetadata: { authorization_servers: ['http://evil.example'] } },
      /not asked/,
    ],
    ['cannot be proven', { metadata: { code_challenge_methods_supported: ['plain'] } }, /cannot be used/],
    ['gets no token', { onToken: () => Response.json({ hello: 'access-secret' }) }, /cannot be used/],
    ['gets half a token', { onToken: () => new Response('{"access_token": access-secret') }, /cannot be used/],
  ])('that %s fails with a sentence, and leaves the login before it', async (_, odd, message) => {
    const place = await createPlace();
    const authority = await createAuthority();
    const before = await logInTo(authority, place);
    const oddOne = await createAuthority(odd);
    const error = await failure(logInTo(oddOne, place, { timeoutMs: 5000 }));
    expect(error.message).toMatch(message);
    expect(`${error.stack}${JSON.stringify(error)}`).not.toContain('access-secret');
    expect(await place.logins.list()).toEqual([before]);
  });

  it('is not made where the server wants none', async () => {
    const open = await createAuthority({ before: () => new Response('welcome'), isBare: true });
    const error = await failure(logInTo(open, await createPlace()));
    expect(error).toMatchObject({ code: 'INVALID_ARGUMENTS', message: expect.stringContaining('asks for no login') });
  });

  it('is not made on its way to another machine unprotected', async () => {
    const error = await failure(logInTo({ url: 'http://shop.example/mcp' }, await createPlace()));
    expect(error).toMatchObject({ code: 'INVALID_ARGUMENTS', message: expect.stringContaining('a login needs https') });
  });

  it('is not made where nobody listens', async () => {
    const error = await failure(logInTo({ url: `http://127.0.0.1:${await freePort()}/mcp` }, await createPlace()));
    expect(error).toMatchObject({
      code: 'SERVER_FAILED',
      message: 'The MCP server could not be reached: ECONNREFUSED',
    });
  });

  it('tells neither code nor token to the console', async () => {
    const said = [vi.spyOn(console, 'warn'), vi.spyOn(console, 'error'), vi.spyOn(console, 'log')];
    onTestFinished(() => void vi.restoreAllMocks());
    await logInTo(await createAuthority(), await createPlace());
    for (const spy of said) expect(spy).not.toHaveBeenCalled();
  });
});

/** As a page elsewhere asks that gave its own name this address. */
async function statusFor(url: URL, host: string): Promise<number | undefined> {
  const [response] = await once(get(url, { headers: { host } }), 'response');
  response.resume();
  return response.statusCode;
}

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}
