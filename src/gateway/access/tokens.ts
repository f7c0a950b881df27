import { createHash } from 'node:crypto';
import { errors, type JWTPayload, jwtVerify } from 'jose';
import type { Log } from '../../log.js';
import { mcpAddress, withoutSlash } from './addresses.js';
import { createKeySet } from './key-set.js';
import type { OAuthOptions } from './oauth.js';
import { type Principal, withImplied } from './principal.js';

/** Who has the token, or why it proves nothing. */
export type Proof = { readonly principal: Principal } | { readonly refused: string };

export interface TokenVerifier {
  /** At once for a token that was seen lately. Rejects with UNAVAILABLE where the issuer's keys cannot be had. */
  verify(token: string, resource: string): Proof | Promise<Proof>;
}

const longestToken = 8192;
const leewaySeconds = 30;
/** So long a token counts as good without another look: after that, keys that were withdrawn have an effect. */
const keptMs = 60_000;
const maxKept = 2000;
const acceptedTypes = new Set(['jwt', 'at+jwt', 'application/at+jwt']);

/** Access tokens that are JWTs, as MCP's authorization takes them: signed by the issuer, for this resource, in time. */
export function createTokenVerifier(options: OAuthOptions, log: Log): TokenVerifier {
  const keys = createKeySet(options, log);
  const kept = new Map<string, { readonly principal: Principal; readonly until: number }>();

  return {
    verify(token, resource) {
      if (token.length > longestToken) return { refused: 'The token is too long' };
      const key = createHash('sha256').update(`${resource} ${token}`).digest('base64');
      const known = kept.get(key);
      if (known && known.until > Date.now()) return { principal: known.principal };
      kept.delete(key);
      return check(token, resource, key);
    },
  };

  async function check(token: string, resource: string, key: string): Promise<Proof> {
    try {
      const { payload, protectedHeader } = await jwtVerify(token, keys, {
        issuer: options.issuer,
        ...(options.audience !== undefined && { audience: [options.audience].flat() }),
        algorithms: [...options.algorithms],
        clockTolerance: leewaySeconds,
        requiredClaims: ['exp', 'sub', 'aud'],
      });
      if (!acceptedTypes.has(protectedHeader.typ?.toLowerCase() ?? 'jwt')) return { refused: 'It is no access token' };
      if (typeof payload.sub !== 'string' || payload.sub === '') return { refused: claimSentences.sub };
      const services = options.audience === undefined ? servicesOf(payload.aud, resource) : 'all';
      if (services === undefined) return { refused: 'The token is meant for another resource' };
      const principal = principalOf(payload, options, services);
      keep(key, principal);
      return { principal };
    } catch (error) {
      if (error instanceof errors.JOSEError) return { refused: sentenceOf(error) };
      throw error;
    }
  }

  function keep(key: string, principal: Principal): void {
    const [oldest] = kept.keys();
    if (kept.size >= maxKept && oldest !== undefined) kept.delete(oldest);
    kept.set(key, { principal, until: Math.min(Date.now() + keptMs, principal.expiresAt ?? 0) });
  }
}

/** A token for the gateway is good for all services, one for the address of a service for that service alone. */
function servicesOf(audience: unknown, resource: string): 'all' | readonly string[] | undefined {
  const base = withoutSlash(resource);
  const addresses = [audience]
    .flat()
    .filter((address) => typeof address === 'string')
    .map(withoutSlash);
  if (addresses.includes(base)) return 'all';
  const meant = addresses.flatMap((address) =>
    address.startsWith(`${base}/`) ? (mcpAddress(address.slice(base.length)) ?? []) : [],
  );
  if (meant.includes('all')) return 'all';
  return meant.length > 0 ? meant.flatMap((each) => (each === 'all' ? [] : each.service)) : undefined;
}

const longestId = 200;

function principalOf(payload: JWTPayload, options: OAuthOptions, services: 'all' | readonly string[]): Principal {
  const { sub = '' } = payload;
  const id = `oauth:${options.issuer}#${sub}`;
  const granted = scopesIn(payload).flatMap((scope) =>
    Object.hasOwn(options.scopeMap, scope) ? (options.scopeMap[scope] ?? []) : [],
  );
  // Everything of everybody is not in a token that is for one service.
  const usable = services === 'all' ? granted : granted.filter((scope) => scope !== 'admin');
  return {
    id: id.length <= longestId ? id : `oauth:sha256:${createHash('sha256').update(id).digest('hex')}`,
    name: sub.slice(0, 100),
    scopes: withImplied(usable),
    ...(services !== 'all' && { services }),
    expiresAt: ((payload.exp ?? 0) + leewaySeconds) * 1000,
  };
}

/** One text with spaces by RFC 9068; some issuers write a list, or name it scp. */
function scopesIn({ scope, scp }: JWTPayload): readonly string[] {
  return [scope, scp].flatMap((claim) => {
    if (typeof claim === 'string') return claim.split(' ');
    return Array.isArray(claim) ? claim.filter((item) => typeof item === 'string') : [];
  });
}

/** Nothing of the token is repeated. */
function sentenceOf(error: errors.JOSEError): string {
  if (error instanceof errors.JWTExpired) return 'The token has expired';
  if (error instanceof errors.JOSEAlgNotAllowed) return 'The token is signed by an algorithm that is not accepted';
  if (error instanceof errors.JWTClaimValidationFailed) {
    return isTold(error.claim) ? claimSentences[error.claim] : 'The token lacks a claim';
  }
  if (error instanceof errors.JWSSignatureVerificationFailed || error instanceof errors.JWKSNoMatchingKey) {
    return 'The token is not signed by a key of the issuer';
  }
  return 'The token cannot be read';
}

function isTold(claim: string): claim is keyof typeof claimSentences {
  return Object.hasOwn(claimSentences, claim);
}

const claimSentences = {
  iss: 'The token is of another issuer',
  aud: 'The token is meant for another resource',
  nbf: 'The token is not valid yet',
  exp: 'The token does not say when it expires',
  sub: 'The token does not say whose it is',
} as const;
