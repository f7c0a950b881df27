import { createHash, randomUUID } from 'node:crypto';
import { createServer as createHttpServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createMcpHandler } from '@modelcontextprotocol/server';
import { onTestFinished } from 'vitest';
import { type Handle, serve } from '../http-servers.js';
import { createServer } from '../servers/sdk_server.mjs';

/** What of an authority can be made odd. */
export interface AuthorityOptions {
  /** The MCP server behind it. */
  readonly mcp?: Handle;
  readonly expiresInSeconds?: number;
  readonly givesRefreshTokens?: boolean;
  /** Put over the metadata of the authorization server. */
  readonly metadata?: Readonly<Record<string, unknown>>;
  readonly resourceMetadata?: Readonly<Record<string, unknown>>;
  readonly challenges?: boolean;
  /** Nothing of OAuth is to be found. */
  readonly isBare?: boolean;
  /** What calls of tools need; anything else is free of it. */
  readonly callScope?: string;
  /** Put into the address that the browser is sent back to. */
  readonly answer?: Readonly<Record<string, string | undefined>>;
  /** Answers instead of the MCP server, before any token is looked at. */
  readonly before?: (request: Request) => Response | undefined;
  readonly onRegister?: () => Response | undefined;
  /** Answers instead of the token endpoint. */
  readonly onToken?: (body: URLSearchParams) => Response | undefined;
}

export interface Authority {
  readonly origin: string;
  readonly url: string;
  /** How often each way was taken: `register`, `token refresh_token` and so on. */
  readonly counts: Map<string, number>;
  readonly clients: readonly Readonly<Record<string, unknown>>[];
  readonly revoked: readonly string[];
  /** Every token that was ever given out. */
  readonly secrets: readonly string[];
  readonly seen: readonly Seen[];
  /** No access token that was given out until now is good any more. */
  expire(): void;
  /** No refresh token either. */
  endLogins(): void;
}

export interface Seen {
  readonly method: string;
  readonly path: string;
  readonly headers: Headers;
}

interface Grant {
  readonly family: string;
  readonly scope: string;
}

/** A small OAuth 2.1 authorization server with an MCP server that wants its tokens. Refresh tokens are good once: using one twice ends the login. */
export async function createAuthority(options: AuthorityOptions = {}): Promise<Authority> {
  const { mcp = createMcpHandler(createServer).fetch, expiresInSeconds = 3600, givesRefreshTokens = true } = options;
  const counts = new Map<string, number>();
  const clients: Record<string, unknown>[] = [];
  const codes = new Map<string, URLSearchParams>();
  const access = new Map<string, Grant>();
  const refresh = new Map<string, Grant>();
  const spent = new Map<string, Grant>();
  const [revoked, secrets, seen]: [string[], string[], Seen[]] = [[], [], []];
  const server = createHttpServer((request, response) => void serve(handle, request, response));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const url = `${origin}/mcp`;
  return { origin, url, counts, clients, revoked, secrets, seen, expire: () => access.clear(), endLogins };

  function endLogins(): void {
    access.clear();
    refresh.clear();
  }

  async function handle(request: Request): Promise<Response> {
    const { pathname, searchParams } = new URL(request.url);
    seen.push({ method: request.method, path: pathname, headers: request.headers });
    if (pathname === '/mcp') return options.before?.(request) ?? guard(request);
    if (options.isBare) return new Response('not here', { status: 404 });
    if (pathname.startsWith('/.well-known/oauth-protected-resource')) return protectedResource();
    if (pathname === '/.well-known/oauth-authorization-server') return metadata();
    if (pathname === '/register') return options.onRegister?.() ?? register(JSON.parse(await request.text()));
    if (pathname === '/authorize') return authorize(searchParams);
    if (pathname === '/token') return token(new URLSearchParams(await request.text()));
    if (pathname === '/revoke') return revoke(new URLSearchParams(await request.text()));
    return new Response('not here', { status: 404 });
  }

  async function guard(request: Request): Promise<Response> {
    count('mcp');
    const given = /^Bearer (.+)$/.exec(request.headers.get('authorization') ?? '')?.[1];
    const grant = given === undefined ? undefined : access.get(given);
    const place = `resource_metadata="${origin}/.well-known/oauth-protected-resource/mcp"`;
    if (!grant) {
      const headers = options.challenges === false ? undefined : { 'www-authenticate': `Bearer ${place}` };
      return new Response('who are you', { status: 401, headers });
    }
    const { callScope } = options;
    const isCall = request.method === 'POST' && (await request.clone().text()).includes('"tools/call"');
    if (callScope !== undefined && isCall && !grant.scope.split(' ').includes(callScope)) {
      const challenge = `Bearer error="insufficient_scope", scope="${callScope}", ${place}`;
      return new Response('more rights', { status: 403, headers: { 'www-authenticate': challenge } });
    }
    return mcp(request);
  }

  function protectedResource(): Response {
    return Response.json({ resource: url, authorization_servers: [origin], ...options.resourceMetadata });
  }

  function metadata(): Response {
    return Response.json({
      issuer: origin,
      authorization_endpoint: `${origin}/authorize`,
      token_endpoint: `${origin}/token`,
      registration_endpoint: `${origin}/register`,
      revocation_endpoint: `${origin}/revoke`,
      response_types_supported: ['code'],
      code_challenge_methods_supported: ['S256'],
      token_endpoint_auth_methods_supported: ['none', 'client_secret_post'],
      authorization_response_iss_parameter_supported: true,
      ...options.metadata,
    });
  }

  function register(asked: Record<string, unknown>): Response {
    count('register');
    const client = { ...asked, client_id: randomUUID() };
    clients.push(client);
    return Response.json(client, { status: 201 });
  }

  /** The person says yes at once. */
  function authorize(asked: URLSearchParams): Response {
    count('authorize');
    const code = randomUUID();
    codes.set(code, asked);
    const back = new URL(asked.get('redirect_uri') ?? '');
    const answer = { code, state: asked.get('state') ?? '', iss: origin, ...options.answer };
    for (const [name, value] of Object.entries(answer)) if (value !== undefined) back.searchParams.set(name, value);
    return new Response(null, { status: 302, headers: { location: back.href } });
  }

  function token(asked: URLSearchParams): Response {
    const kind = asked.get('grant_type') ?? '';
    count(`token ${kind}`);
    const odd = options.onToken?.(asked);
    if (odd) return odd;
    if (asked.get('resource') !== url && options.resourceMetadata === undefined) return refused('invalid_target');
    return kind === 'refresh_token' ? rotate(asked.get('refresh_token') ?? '') : exchange(asked);
  }

  function exchange(asked: URLSearchParams): Response {
    const request = codes.get(asked.get('code') ?? '');
    codes.delete(asked.get('code') ?? '');
    const challenge = createHash('sha256')
      .update(asked.get('code_verifier') ?? '')
      .digest('base64url');
    if (!request || request.get('code_challenge') !== challenge) return refused('invalid_grant');
    if (request.get('redirect_uri') !== asked.get('redirect_uri')) return refused('invalid_grant');
    if (request.get('client_id') !== asked.get('client_id')) return refused('invalid_client');
    return give({ family: randomUUID(), scope: request.get('scope') ?? '' });
  }

  function rotate(given: string): Response {
    const grant = refresh.get(given);
    const reused = spent.get(given);
    if (reused) for (const [one, { family }] of refresh) if (family === reused.family) refresh.delete(one);
    if (!grant) return refused('invalid_grant');
    refresh.delete(given);
    spent.set(given, grant);
    return give(grant);
  }

  function give(grant: Grant): Response {
    const given = { access: `access-${randomUUID()}`, refresh: `refresh-${randomUUID()}` };
    secrets.push(given.access, given.refresh);
    access.set(given.access, grant);
    if (givesRefreshTokens) refresh.set(given.refresh, grant);
    return Response.json({
      access_token: given.access,
      token_type: 'Bearer',
      expires_in: expiresInSeconds,
      ...(grant.scope !== '' && { scope: grant.scope }),
      ...(givesRefreshTokens && { refresh_token: given.refresh }),
    });
  }

  function revoke(asked: URLSearchParams): Response {
    revoked.push(asked.get('token') ?? '');
    return new Response(null, { status: 200 });
  }

  function count(way: string): void {
    counts.set(way, (counts.get(way) ?? 0) + 1);
  }
}

/** The authorization server may say anything, even what it was told. */
function refused(error: string): Response {
  return Response.json({ error, error_description: 'because' }, { status: 400 });
}
