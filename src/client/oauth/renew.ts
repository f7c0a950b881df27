import { refreshAuthorization } from '@modelcontextprotocol/client';
import { couldNotRenew, isRefusal, type ServerWords } from './failures.js';
import { type KeptLogin, type KeptTokens, tokensToKeep } from './kept-login.js';
import { createSafeFetch } from './safe-fetch.js';
import type { LoginStore } from './store.js';

export interface Renewal {
  readonly store: LoginStore;
  readonly key: string;
  readonly server: URL;
  readonly words: ServerWords;
  /** The access token that does not help any more. */
  readonly spent: string;
}

/**
 * Tokens other than the spent one; none where the person has to log in. A refresh token is often good for one use only, and using
 * it twice ends the login: so one process at a time asks, and looks first whether another has been there.
 */
export async function renewTokens({ store, key, server, words, spent }: Renewal): Promise<KeptTokens | undefined> {
  const login = await store.change(key, async (kept) => {
    if (kept?.tokens?.access_token !== spent) return kept;
    const tokens = await refreshed(kept, kept.tokens, server, words);
    return tokens ? { ...kept, tokens } : { ...kept, tokens: undefined };
  });
  return login?.tokens;
}

async function refreshed(
  { authorizationServer, client, resource }: KeptLogin,
  { refresh_token: refreshToken, scope }: KeptTokens,
  server: URL,
  words: ServerWords,
): Promise<KeptTokens | undefined> {
  if (refreshToken === undefined) return undefined;
  try {
    const tokens = await refreshAuthorization(authorizationServer.url, {
      metadata: authorizationServer.metadata,
      clientInformation: client,
      refreshToken,
      resource,
      fetchFn: createSafeFetch(server),
    });
    return tokensToKeep(tokens, scope);
  } catch (error) {
    if (isRefusal(error)) return undefined;
    throw couldNotRenew(error, words);
  }
}
