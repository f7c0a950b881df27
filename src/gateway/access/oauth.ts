import * as z from 'zod';
import { isLoopback } from './loopback.js';
import { scopes } from './principal.js';

/** Signatures by a private key alone: with a shared secret, or with none, whoever reads the public key could sign. */
const algorithms = [
  'RS256',
  'RS384',
  'RS512',
  'PS256',
  'PS384',
  'PS512',
  'ES256',
  'ES384',
  'ES512',
  'EdDSA',
  'Ed25519',
] as const;

const fetchedUrl = () =>
  z
    .url({ protocol: /^https?$/ })
    .refine(isPrivate, 'expected https, because whoever answers there decides who gets in');

function isPrivate(url: string): boolean {
  return url.startsWith('https:') || !URL.canParse(url) || isLoopback(new URL(url).hostname);
}

const publicKey = z
  .looseObject({ kty: z.string().min(1) })
  .refine((key) => key.kty !== 'oct' && !('d' in key), 'expected a public key: this one could sign tokens');

const keySet = z.object({ keys: z.array(publicKey).min(1) });

/** Whose tokens are accepted, and what they permit. */
export const oauthSchema = z
  .strictObject({
    issuer: z
      .url({ protocol: /^https?$/ })
      .refine((url) => !/[?#]/.test(url), 'expected an address without query and fragment')
      .describe('The authorization server, exactly as its tokens name it in iss.'),
    resource: z
      .url({ protocol: /^https?$/ })
      .refine((url) => !/[?#]/.test(url), 'expected an address without query and fragment')
      .optional()
      .describe('The public address of the gateway. Not given: the one that it was asked at.'),
    audience: z
      .union([z.string().min(1), z.array(z.string().min(1)).min(1).readonly()])
      .optional()
      .describe('What tokens for the gateway have in aud. Not given: its address, or that of one MCP service of it.'),
    jwksUri: fetchedUrl()
      .optional()
      .describe('Where the keys of the issuer are. Not given: where the metadata of the issuer says.'),
    jwks: keySet.optional().describe('The keys of the issuer themselves, instead of an address.'),
    algorithms: z
      .array(z.enum(algorithms))
      .min(1)
      .readonly()
      .default([...algorithms])
      .describe('Algorithms by which tokens may be signed.'),
    scopeMap: z
      .record(z.string().regex(/^[\x21\x23-\x5b\x5d-\x7e]+$/, 'expected one scope'), z.enum(scopes))
      .default({ 'mcp:call': 'call', 'mcp:upload': 'upload', 'mcp:admin': 'admin' })
      .describe('What the scopes of tokens mean: call, upload or admin.'),
  })
  .refine(({ issuer, jwksUri, jwks }) => jwksUri || jwks || isPrivate(issuer), {
    path: ['issuer'],
    message: 'expected https, because whoever answers there decides who gets in; or give jwksUri or jwks',
  })
  .readonly();

export type OAuthOptions = z.output<typeof oauthSchema>;
export type OAuthOptionsInput = z.input<typeof oauthSchema>;
