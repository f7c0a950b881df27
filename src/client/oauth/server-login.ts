import {
  type AuthProvider,
  computeScopeUnion,
  discoverOAuthServerInfo,
  extractWWWAuthenticateParams,
  type FetchLike,
  InsufficientScopeError,
  SdkErrorCode,
  SdkHttpError,
} from '@modelcontextprotocol/client';
import { ExecutionError } from '../../errors.js';
import { refusedWith, serverFailed } from '../failures.js';
import { loginRequired, type ServerWords } from './failures.js';
import { type KeptTokens, keyOfServer } from './kept-login.js';
import { renewTokens } from './renew.js';
import { createSafeFetch } from './safe-fetch.js';
import type { LoginStore } from './store.js';

/** The kept login to one server, as the requests to it use it. Nobody is asked for anything here. */
export interface ServerLogin {
  readonly provider: AuthProvider;
  /** The same fetch, which remembers with which token a request was refused. */
  watch(fetch: FetchLike): FetchLike;
  /** What an error of a request means, where it is about the login. */
  explain(error: unknown): ExecutionError | undefined;
}

/** A token that would be over before the server has read it is renewed at once. */
const marginMs = 10_000;
const longestScope = 2000;

export function createServerLogin(store: LoginStore, server: URL, words: ServerWords): ServerLogin {
  const key = keyOfServer(server);
  const renewals = new Map<string, Promise<KeptTokens | undefined>>();
  const refusedTokens = new WeakMap<Response, string>();

  return {
    provider: { token, onUnauthorized },
    watch: (fetch) => async (url, init) => {
      const response = await fetch(url, init);
      const sent = response.status === 401 ? tokenIn(init?.headers) : undefined;
      if (sent !== undefined) refusedTokens.set(response, sent);
      if (response.status === 403) await rememberScope(extractWWWAuthenticateParams(response));
      return response;
    },
    explain(error) {
      if (error instanceof InsufficientScopeError) {
        return loginRequired(words, 'The MCP server wants a login that permits more than this one');
      }
      const isRefusedAgain = error instanceof SdkHttpError && error.code === SdkErrorCode.ClientHttpAuthentication;
      return isRefusedAgain ? loginRequired(words, 'The MCP server refuses the login that was renewed') : undefined;
    },
  };

  async function token(): Promise<string | undefined> {
    const tokens = (await store.read(key))?.tokens;
    if (!tokens || !isSpent(tokens) || tokens.refresh_token === undefined) return tokens?.access_token;
    return (await renewed(tokens.access_token)).access_token;
  }

  async function onUnauthorized({ response }: { readonly response: Response }): Promise<void> {
    const spent = refusedTokens.get(response);
    if (spent !== undefined) await renewed(spent);
    else if (!(await hasAppeared())) throw (await offersLogin(response)) ? noLogin() : refusedWith(401);
  }

  function noLogin(): ExecutionError {
    return loginRequired(words, 'The MCP server wants a login first');
  }

  /** Somebody logged in between the request and its refusal. */
  async function hasAppeared(): Promise<boolean> {
    return (await store.read(key))?.tokens !== undefined;
  }

  async function renewed(spent: string): Promise<KeptTokens> {
    const underWay = renewals.get(spent) ?? renewTokens({ store, key, server, words, spent });
    renewals.set(spent, underWay);
    try {
      const tokens = await underWay;
      if (tokens) return tokens;
    } catch (error) {
      if (error instanceof ExecutionError) throw error;
      throw serverFailed('The login could not be renewed, because the folder of logins cannot be written to');
    } finally {
      renewals.delete(spent);
    }
    throw loginRequired(words, 'The login to the MCP server is over');
  }

  /** A server that only wants another header would send the person on a way that leads nowhere. */
  async function offersLogin(response: Response): Promise<boolean> {
    const { resourceMetadataUrl } = extractWWWAuthenticateParams(response);
    if (resourceMetadataUrl) return true;
    const found = await discoverOAuthServerInfo(server, { fetchFn: createSafeFetch(server) }).catch(() => undefined);
    return found?.resourceMetadata !== undefined || found?.authorizationServerMetadata !== undefined;
  }

  async function rememberScope({ error, scope }: { readonly error?: string; readonly scope?: string }): Promise<void> {
    if (error !== 'insufficient_scope' || scope === undefined || scope.length > longestScope) return;
    const remember = store.change(key, async (kept) => {
      const wantedScope = computeScopeUnion(kept?.wantedScope, scope);
      return kept && wantedScope !== kept.wantedScope ? { ...kept, wantedScope } : kept;
    });
    // Then the next login asks for what the server says by itself.
    await remember.catch(() => undefined);
  }
}

function isSpent({ expiresAt }: KeptTokens): boolean {
  return expiresAt !== undefined && expiresAt - Date.now() < marginMs;
}

function tokenIn(headers: RequestInit['headers']): string | undefined {
  return /^Bearer (.+)$/i.exec(new Headers(headers).get('authorization') ?? '')?.[1];
}
