import { createLocalJWKSet, createRemoteJWKSet, errors, type JWTVerifyGetKey } from 'jose';
import * as z from 'zod';
import { HostError } from '../../errors.js';
import type { Log } from '../../log.js';
import { isLoopback } from './loopback.js';
import type { OAuthOptions } from './oauth.js';

const fetchTimeoutMs = 5000;
/** After a failure the issuer is left alone for so long. */
const retryAfterMs = 5000;

/** The keys of the issuer, fetched when first needed, kept for ten minutes, and fetched again for a key not seen yet. */
export function createKeySet(options: OAuthOptions, log: Log): JWTVerifyGetKey {
  if (options.jwks) return createLocalJWKSet(options.jwks);
  let keys: Promise<JWTVerifyGetKey> | undefined;
  let failedAt = Number.NEGATIVE_INFINITY;

  return async (header, token) => {
    if (Date.now() - failedAt < retryAfterMs) throw unavailable();
    try {
      keys ??= remoteKeys(options);
      const find = await keys;
      return await find(header, token);
    } catch (error) {
      if (isAboutTheToken(error)) throw error;
      const isFirst = Date.now() - failedAt >= retryAfterMs;
      failedAt = Date.now();
      // The next attempt asks the issuer anew where its keys are.
      keys = undefined;
      if (isFirst)
        log.error('the keys of the issuer cannot be had', { issuer: options.issuer, reason: reasonOf(error) });
      throw unavailable();
    }
  };
}

async function remoteKeys({ issuer, jwksUri }: OAuthOptions): Promise<JWTVerifyGetKey> {
  return createRemoteJWKSet(new URL(jwksUri ?? (await discover(issuer))), { timeoutDuration: fetchTimeoutMs });
}

const metadataSchema = z.object({ issuer: z.string(), jwks_uri: z.url({ protocol: /^https?$/ }) });

/** Where an issuer describes itself: RFC 8414, then OpenID Connect in both of its forms. */
async function discover(issuer: string): Promise<string> {
  const { origin, pathname } = new URL(issuer);
  const path = pathname.replace(/\/$/, '');
  const addresses = [
    `${origin}/.well-known/oauth-authorization-server${path}`,
    `${origin}/.well-known/openid-configuration${path}`,
    `${origin}${path}/.well-known/openid-configuration`,
  ];
  for (const address of new Set(addresses)) {
    const response = await fetch(address, {
      redirect: 'error',
      headers: { accept: 'application/json' },
      signal: AbortSignal.timeout(fetchTimeoutMs),
    });
    if (response.status !== 200) {
      await response.body?.cancel();
      continue;
    }
    const metadata = metadataSchema.parse(await response.json());
    if (metadata.issuer !== issuer) throw new Error(`The metadata at ${address} is that of ${metadata.issuer}`);
    const { protocol, hostname } = new URL(metadata.jwks_uri);
    if (protocol !== 'https:' && !isLoopback(hostname)) throw new Error(`${metadata.jwks_uri} is not https`);
    return metadata.jwks_uri;
  }
  throw new Error(`No metadata at ${addresses.join(', ')}`);
}

function isAboutTheToken(error: unknown): boolean {
  return (
    error instanceof errors.JWKSNoMatchingKey ||
    error instanceof errors.JWKSMultipleMatchingKeys ||
    error instanceof errors.JOSENotSupported
  );
}

function unavailable(): HostError {
  const message = 'The keys by which tokens are checked cannot be fetched from their issuer at present';
  return new HostError('UNAVAILABLE', message, { retryAfterMs });
}

function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return error.cause instanceof Error ? `${error.message}: ${error.cause.message}` : error.message;
}
