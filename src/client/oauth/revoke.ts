import { selectClientAuthMethod } from '@modelcontextprotocol/client';
import type { KeptLogin } from './kept-login.js';
import { createSafeFetch } from './safe-fetch.js';

/** Tells the authorization server that the tokens are not needed any more. Whether it was told: not all take it. */
export async function revokeTokens({ authorizationServer, client, tokens }: KeptLogin, server: URL): Promise<boolean> {
  const { revocation_endpoint: endpoint, token_endpoint_auth_methods_supported: methods = [] } =
    authorizationServer.metadata ?? {};
  if (endpoint === undefined || tokens === undefined) return false;
  const { client_id: id, client_secret: secret } = client;
  const isBasic = secret !== undefined && selectClientAuthMethod(client, methods) === 'client_secret_basic';
  // Without the token that renews it, a login ends with the access token in any case.
  const isRenewable = tokens.refresh_token !== undefined;
  const body = new URLSearchParams({
    token: tokens.refresh_token ?? tokens.access_token,
    token_type_hint: isRenewable ? 'refresh_token' : 'access_token',
    ...(!isBasic && { client_id: id, ...(secret !== undefined && { client_secret: secret }) }),
  });
  const headers = isBasic ? { authorization: `Basic ${btoa(`${id}:${secret}`)}` } : undefined;
  try {
    const response = await createSafeFetch(server)(endpoint, { method: 'POST', body, headers });
    await response.body?.cancel();
    return response.ok;
  } catch {
    return false;
  }
}
