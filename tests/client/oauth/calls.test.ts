import { describe, expect, it } from 'vitest';
import { failure, recordLog, textOf } from '../harness.js';
import { legacySse, withSessions } from '../http-servers.js';
import { createAuthority } from './authority.js';
import { createPlace, logInTo, reach } from './harness.js';

describe('a server at an address that wants a login', () => {
  it.each([
    ['and says where its metadata is', { challenges: true }],
    ['and says nothing, as servers did at first', { challenges: false }],
  ])('%s is not called without one, and nobody is registered', async (_, options) => {
    const authority = await createAuthority(options);
    const toolbox = reach(authority, await createPlace());
    for (const attempt of [() => toolbox.listTools(), () => toolbox.call('echo', {}), () => toolbox.probe()]) {
      expect(await failure(attempt())).toMatchObject({
        code: 'LOGIN_REQUIRED',
        message: 'The MCP server wants a login first: run mcp-exec login shop',
      });
    }
    expect(authority.counts.get('register')).toBeUndefined();
    expect(authority.counts.get('authorize')).toBeUndefined();
  });

  it('without a name is named by its address, without what may be secret in it', async () => {
    const { origin } = await createAuthority();
    const toolbox = reach({ url: `${origin}/mcp?key=s3cret` }, await createPlace(), { serverName: undefined });
    const { message } = await failure(toolbox.listTools());
    expect(message).toBe(`The MCP server wants a login first: run mcp-exec login ${origin}/mcp`);
  });

  it('and has an odd name is named so that a shell reads it as one word', async () => {
    const authority = await createAuthority();
    const toolbox = reach(authority, await createPlace(), { serverName: "my 'shop'; rm -rf ~\u001b[2J" });
    const { message } = await failure(toolbox.listTools());
    expect(message).toContain(`mcp-exec login 'my '\\''shop'\\''; rm -rf ~[2J'`);
  });

  it.each([
    ['of the newer revision', undefined],
    ['with sessions', () => withSessions().handle],
    ['of the older kind, with a stream by GET', () => legacySse()],
  ])('%s is called once the person has logged in, without a restart', async (_, mcp) => {
    const authority = await createAuthority({ mcp: mcp?.() });
    const place = await createPlace();
    const toolbox = reach(authority, place);
    expect((await failure(toolbox.listTools())).code).toBe('LOGIN_REQUIRED');
    expect((await failure(toolbox.listTools())).code).toBe('LOGIN_REQUIRED');
    expect((await failure(toolbox.listTools())).code).toBe('LOGIN_REQUIRED');
    await logInTo(authority, place);
    expect(textOf(await toolbox.call('echo', { a: 1 }))).toBe('{"a":1}');
    expect(authority.counts.get('token refresh_token')).toBeUndefined();
  });

  it('that is found by GET alone says there that it wants a login', async () => {
    const before = ({ method }: Request) => (method === 'POST' ? new Response('no posts', { status: 405 }) : undefined);
    const toolbox = reach(await createAuthority({ before }), await createPlace());
    expect((await failure(toolbox.listTools())).code).toBe('LOGIN_REQUIRED');
  });

  it.each([
    ['with sessions', () => withSessions().handle],
    ['of the older kind', () => legacySse()],
  ])('%s that refuses a token in the middle is called with a new one', async (_, mcp) => {
    const authority = await createAuthority({ mcp: mcp() });
    const place = await createPlace();
    await logInTo(authority, place);
    const toolbox = reach(authority, place);
    await toolbox.call('echo', {});
    authority.expire();
    expect(textOf(await toolbox.call('echo', { b: 2 }))).toBe('{"b":2}');
    expect(authority.counts.get('token refresh_token')).toBe(1);
  });

  it('that gives tokens for a moment is never asked with one that is over', async () => {
    const authority = await createAuthority({ expiresInSeconds: 1 });
    const place = await createPlace();
    await logInTo(authority, place);
    const before = authority.seen.length;
    const toolbox = reach(authority, place);
    await toolbox.call('echo', {});
    const tokens = authority.seen
      .slice(before)
      .filter(({ path }) => path === '/mcp')
      .map(({ headers }) => headers.get('authorization'));
    expect(new Set(tokens).size).toBe(tokens.length);
    expect(authority.counts.get('token refresh_token')).toBe(tokens.length);
  });

  it('asks for a new token once, however many calls were refused', async () => {
    const authority = await createAuthority();
    const place = await createPlace();
    await logInTo(authority, place);
    const toolbox = reach(authority, place);
    await toolbox.call('echo', {});
    authority.expire();
    const calls = Array.from({ length: 20 }, (_, n) => toolbox.call('echo', { n }, { session: `${n % 3}` }));
    expect((await Promise.all(calls)).map(textOf)).toEqual(calls.map((_, n) => `{"n":${n}}`));
    expect(authority.counts.get('token refresh_token')).toBe(1);
  });

  it('whose login is over says so, and forgets the tokens', async () => {
    const authority = await createAuthority();
    const place = await createPlace();
    await logInTo(authority, place);
    const toolbox = reach(authority, place);
    await toolbox.call('echo', {});
    authority.endLogins();
    expect(await failure(toolbox.call('echo', {}))).toMatchObject({
      code: 'LOGIN_REQUIRED',
      message: 'The login to the MCP server is over: run mcp-exec login shop',
    });
    expect((await place.logins.find(new URL(authority.url)))?.tokens).toBeUndefined();
    expect((await failure(toolbox.call('echo', {}))).code).toBe('LOGIN_REQUIRED');
    expect(authority.counts.get('token refresh_token')).toBe(1);
    await logInTo(authority, place);
    expect(textOf(await toolbox.call('echo', {}))).toBe('{}');
  });

  it('whose login cannot be renewed by itself says so when it is over', async () => {
    const authority = await createAuthority({ givesRefreshTokens: false });
    const place = await createPlace();
    await logInTo(authority, place);
    const toolbox = reach(authority, place);
    expect(textOf(await toolbox.call('echo', {}))).toBe('{}');
    authority.expire();
    expect((await failure(toolbox.call('echo', {}))).code).toBe('LOGIN_REQUIRED');
  });

  it.each([
    ['is out of order', () => new Response('<html>refresh-secret</html>', { status: 503 })],
    ['answers without form', () => new Response('{"access_token": refresh-secret', { status: 200 })],
    ['answers without a token', () => Response.json({ token_type: 'Bearer', refresh_token: 'refresh-secret' })],
    ['answers endlessly', () => new Response('refresh-secret'.repeat(200_000))],
    ['sends elsewhere', () => Response.redirect('http://127.0.0.1:9/token', 307)],
  ])('whose authorization server %s keeps its login, and tells nothing that came', async (_, onToken) => {
    let isOdd = false;
    const authority = await createAuthority({ onToken: () => (isOdd ? onToken() : undefined) });
    const place = await createPlace();
    await logInTo(authority, place);
    const { log, text } = recordLog();
    const toolbox = reach(authority, place, { log });
    await toolbox.call('echo', {});
    authority.expire();
    isOdd = true;
    const error = await failure(toolbox.call('echo', {}));
    expect(error.code).toBe('SERVER_FAILED');
    expect(error.message).toMatch(/^The login could not be renewed\. .* or log in anew with mcp-exec login shop$/);
    expect(`${error.message}${error.stack}${JSON.stringify(error)}${text()}`).not.toContain('refresh-secret');
    isOdd = false;
    expect(textOf(await toolbox.call('echo', {}))).toBe('{}');
  });

  it('that refuses even a new token is not asked for ever', async () => {
    const { handle } = withSessions();
    let isOpen = true;
    const mcp = async (request: Request) => (isOpen ? handle(request) : new Response('no', { status: 401 }));
    const authority = await createAuthority({ mcp });
    const place = await createPlace();
    await logInTo(authority, place);
    const toolbox = reach(authority, place);
    await toolbox.call('echo', {});
    isOpen = false;
    const error = await failure(toolbox.call('echo', {}));
    expect(error.code).toBe('LOGIN_REQUIRED');
    expect(error.message).toContain('refuses the login that was renewed');
    expect(authority.counts.get('token refresh_token')).toBe(1);
  });

  it('that wants more rights for a call says so, and the next login asks for them too', async () => {
    const authority = await createAuthority({ callScope: 'write', resourceMetadata: { scopes_supported: ['read'] } });
    const place = await createPlace();
    await logInTo(authority, place);
    const toolbox = reach(authority, place);
    expect((await toolbox.listTools()).length).toBeGreaterThan(0);
    expect(await failure(toolbox.call('echo', {}))).toMatchObject({
      code: 'LOGIN_REQUIRED',
      message: 'The MCP server wants a login that permits more than this one: run mcp-exec login shop',
    });
    await logInTo(authority, place);
    expect(textOf(await toolbox.call('echo', {}))).toBe('{}');
    expect((await place.logins.find(new URL(authority.url)))?.tokens?.scope?.split(' ').sort()).toEqual([
      'read',
      'write',
    ]);
  });

  it('is called with the credentials of the config where there are some', async () => {
    const authority = await createAuthority();
    const place = await createPlace();
    await logInTo(authority, place);
    const toolbox = reach(authority, place, { headers: { authorization: 'Bearer mine' } });
    const error = await failure(toolbox.listTools());
    expect(error).toMatchObject({ code: 'SERVER_FAILED', message: expect.stringContaining('check the headers') });
    const sent = authority.seen.slice(-1).map(({ headers }) => headers.get('authorization'));
    expect(sent).toEqual(['Bearer mine']);
  });

  it('sees other headers of the config, and its authorization server sees none of them', async () => {
    const authority = await createAuthority();
    const place = await createPlace();
    const headers = { 'x-team': 'red' };
    await logInTo(authority, place, { headers });
    await reach(authority, place, { headers }).call('echo', {});
    const told = authority.seen.filter(({ headers: given }) => given.get('x-team') === 'red');
    expect(new Set(told.map(({ path }) => path))).toEqual(new Set(['/mcp']));
  });
});

describe('a server at an address that wants no login', () => {
  it('but another header says so', async () => {
    const authority = await createAuthority({ challenges: false, isBare: true });
    const error = await failure(reach(authority, await createPlace()).listTools());
    expect(error).toMatchObject({ code: 'SERVER_FAILED', message: expect.stringContaining('check the headers') });
  });
});
