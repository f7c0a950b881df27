import { createHash } from 'node:crypto';
import type { OAuthTokens } from '@modelcontextprotocol/client';
import * as z from 'zod';

/** As much of the authorization server's metadata as renewing and ending a login needs. */
const metadataSchema = z.object({
  issuer: z.string(),
  authorization_endpoint: z.string(),
  token_endpoint: z.string(),
  response_types_supported: z.array(z.string()),
  token_endpoint_auth_methods_supported: z.array(z.string()).optional(),
  revocation_endpoint: z.string().optional(),
});

const keptTokensSchema = z.object({
  access_token: z.string().min(1),
  token_type: z.string(),
  refresh_token: z.string().optional(),
  scope: z.string().optional(),
  /** By the clock of this machine, in milliseconds. */
  expiresAt: z.number().optional(),
});

/** A login to one MCP server, in the words of OAuth where they are OAuth's own. */
export const keptLoginSchema = z.object({
  version: z.literal(1),
  /** The address of the MCP server, without what may be secret in it. */
  server: z.string(),
  /** What the person called it. */
  name: z.string().optional(),
  loggedInAt: z.string(),
  authorizationServer: z.object({ url: z.string(), metadata: metadataSchema.optional() }),
  resource: z.string().optional(),
  client: z.object({
    client_id: z.string(),
    client_secret: z.string().optional(),
    token_endpoint_auth_method: z.string().optional(),
  }),
  /** None: the login is over, and has to be made again. */
  tokens: keptTokensSchema.optional(),
  /** What the server asked for beyond what was granted; the next login asks for it too. */
  wantedScope: z.string().optional(),
});

export type KeptLogin = z.output<typeof keptLoginSchema>;
export type KeptTokens = z.output<typeof keptTokensSchema>;
export type KeptMetadata = z.output<typeof metadataSchema>;

/** What is known of the metadata beside this is not kept. */
export function metadataToKeep(metadata: unknown): KeptMetadata | undefined {
  return metadata === undefined ? undefined : metadataSchema.parse(metadata);
}

export function tokensToKeep(
  { access_token, token_type, refresh_token, scope, expires_in }: OAuthTokens,
  scopeUnlessSaid?: string,
): KeptTokens {
  return {
    access_token,
    token_type,
    refresh_token,
    scope: scope ?? scopeUnlessSaid,
    expiresAt: expires_in === undefined ? undefined : Date.now() + expires_in * 1000,
  };
}

/** One login for each address; the name of its file tells nothing of it. */
export function keyOfServer(url: URL): string {
  const whole = new URL(url);
  whole.hash = '';
  return createHash('sha256').update(whole.href).digest('hex').slice(0, 32);
}

/** Without query, which may hold a key. */
export function shownAddress({ origin, pathname }: URL): string {
  return `${origin}${pathname}`;
}
