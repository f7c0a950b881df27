import type { FetchLike } from '@modelcontextprotocol/client';
import { type OAuthServerInfo, registerClient } from '@modelcontextprotocol/client';
import { CallerError } from '../../errors.js';
import { registerByHand } from './failures.js';
import type { KeptLogin } from './kept-login.js';

/** A client that somebody registered at the authorization server by hand. */
export interface RegisteredClient {
  readonly clientId?: string;
  readonly clientSecret?: string;
}

export interface Registration {
  readonly redirectUrl: string;
  readonly scope: string | undefined;
  readonly fetch: FetchLike;
}

/**
 * Who this program is to the authorization server. Without one that was registered by hand, a new one is registered for each login:
 * its address to come back to is new each time, and a registration that was forgotten there would leave the person before an error page.
 */
export async function clientFor(
  { authorizationServerUrl, authorizationServerMetadata: metadata }: OAuthServerInfo,
  { clientId, clientSecret }: RegisteredClient,
  { redirectUrl, scope, fetch }: Registration,
): Promise<KeptLogin['client']> {
  if (clientId !== undefined) return { client_id: clientId, client_secret: clientSecret };
  if (metadata && metadata.registration_endpoint === undefined) {
    throw new CallerError(
      'LOGIN_REQUIRED',
      `The authorization server registers no clients by itself. ${registerByHand}`,
    );
  }
  const registered = await registerClient(authorizationServerUrl, {
    metadata,
    scope,
    clientMetadata: {
      client_name: 'mcp-execution',
      redirect_uris: [redirectUrl],
      grant_types: ['authorization_code', 'refresh_token'],
      response_types: ['code'],
      token_endpoint_auth_method: methodFor(metadata?.token_endpoint_auth_methods_supported),
      application_type: 'native',
    },
    fetchFn: fetch,
  });
  const { client_id, client_secret, token_endpoint_auth_method } = registered;
  return { client_id, client_secret, token_endpoint_auth_method };
}

/** A program on somebody's machine keeps no secret; some servers give it one all the same. */
function methodFor(supported: readonly string[] | undefined): string {
  if (!supported || supported.length === 0 || supported.includes('none')) return 'none';
  return supported.includes('client_secret_post') ? 'client_secret_post' : 'client_secret_basic';
}
