import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { CallerError } from '../../errors.js';
import type { GatewayParts } from '../parts.js';
import { mcpAddress, pathOf, publicAddress } from './addresses.js';
import type { OAuthOptions } from './oauth.js';
import type { Principal, Scope } from './principal.js';

const wellKnown = '/.well-known/oauth-protected-resource';

/** What clients read to learn who gives tokens for the gateway, or for one MCP address of it (RFC 9728). */
export function registerMetadata(
  app: FastifyInstance,
  { identity }: GatewayParts,
  oauth: () => OAuthOptions | undefined,
): void {
  const answer = (request: FastifyRequest, reply: FastifyReply) => {
    const options = oauth();
    const path = pathOf(request).slice(wellKnown.length);
    const base = options && publicAddress(request, options.resource);
    const address = base && withinBase(path, base);
    if (options === undefined || base === undefined || address === undefined) {
      throw new CallerError('UNKNOWN_SERVICE', 'No tokens are given for this address');
    }
    return reply.header('cache-control', 'public, max-age=300').send({
      resource: `${base}${address}`,
      resource_name: identity.name,
      authorization_servers: [options.issuer],
      scopes_supported: Object.keys(options.scopeMap),
      bearer_methods_supported: ['header'],
    });
  };
  for (const url of [wellKnown, `${wellKnown}/*`]) app.get(url, { config: { scope: 'open' } }, answer);
}

/** The header that says how to prove who one is, in the words of RFC 6750 and MCP. */
export function challenge(request: FastifyRequest, oauth: OAuthOptions | undefined, problem: Problem): string {
  const parameters = [
    'realm="mcp-execution"',
    ...(problem.error ? [`error="${problem.error}"`] : []),
    ...(problem.sentence ? [`error_description="${problem.sentence}"`] : []),
    ...(oauth
      ? [`scope="${scopeText(oauth, problem.scopes)}"`, `resource_metadata="${metadataUrl(request, oauth)}"`]
      : []),
  ];
  return `Bearer ${parameters.join(', ')}`;
}

export interface Problem {
  readonly scopes: readonly Scope[];
  readonly error?: 'invalid_token' | 'insufficient_scope';
  /** Plain words, without quotes. */
  readonly sentence?: string;
}

/** What to ask for: what is missing beside what there is, so that a new token loses nothing. */
export function scopesToAskFor(missing: Scope, { scopes }: Principal): readonly Scope[] {
  return [...new Set([...scopes, missing])];
}

function scopeText({ scopeMap }: OAuthOptions, wanted: readonly Scope[]): string {
  const names = Object.entries(scopeMap);
  return wanted.flatMap((scope) => names.find(([, ours]) => ours === scope)?.[0] ?? []).join(' ');
}

function metadataUrl(request: FastifyRequest, { resource }: OAuthOptions): string {
  const base = new URL(publicAddress(request, resource));
  const path = pathOf(request);
  const address = mcpAddress(path) === undefined ? '' : path;
  return `${base.origin}${wellKnown}${base.pathname === '/' ? '' : base.pathname}${address}`;
}

/** The address of ours that the metadata is asked for; undefined where there is none of that form. */
function withinBase(path: string, base: string): string | undefined {
  const { pathname } = new URL(base);
  const prefix = pathname === '/' ? '' : pathname;
  if (path === '' || path === prefix) return '';
  const address = path.startsWith(`${prefix}/`) ? path.slice(prefix.length) : path;
  return mcpAddress(address) === undefined ? undefined : address;
}
