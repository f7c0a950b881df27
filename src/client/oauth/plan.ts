import {
  checkResourceAllowed,
  computeScopeUnion,
  discoverOAuthServerInfo,
  type FetchLike,
  type OAuthServerInfo,
  resourceUrlFromServerUrl,
} from '@modelcontextprotocol/client';
import { CallerError } from '../../errors.js';
import { serverFailed } from '../failures.js';
import { askForChallenge } from './challenge.js';
import { reasonOf } from './failures.js';
import { type KeptLogin, shownAddress } from './kept-login.js';
import { refuseUnsafe } from './safe-fetch.js';

/** Whom to ask for a login, and for what. */
export interface LoginPlan {
  readonly info: OAuthServerInfo;
  /** The server that the tokens are for, in its own words. */
  readonly resource: string | undefined;
  readonly scope: string | undefined;
}

export interface PlanOptions {
  readonly server: URL;
  readonly headers?: Readonly<Record<string, string>>;
  readonly scopes?: readonly string[];
  /** What was granted before, and what turned out to be missing, is asked for again. */
  readonly before: KeptLogin | undefined;
  readonly fetch: FetchLike;
}

export async function planLogin({ server, headers = {}, scopes, before, fetch }: PlanOptions): Promise<LoginPlan> {
  const challenge = await askForChallenge(server, headers, fetch).catch((error: unknown) => {
    throw serverFailed(`The MCP server ${reasonOf(error)}`);
  });
  const info = await discoverOAuthServerInfo(server, {
    resourceMetadataUrl: challenge?.resourceMetadataUrl,
    fetchFn: fetch,
  });
  const { resourceMetadata, authorizationServerMetadata } = info;
  if (!challenge && !resourceMetadata && !authorizationServerMetadata) throw needsNone(server);
  refuseUnsafeEndpoints(authorizationServerMetadata, server);
  const resource = resourceMetadata?.resource;
  if (resource !== undefined) checkResource(resource, server);
  const asked = challenge?.scope ?? resourceMetadata?.scopes_supported?.join(' ');
  const scope = computeScopeUnion(
    asked,
    scopes?.join(' '),
    before?.wantedScope && before.tokens?.scope,
    before?.wantedScope,
  );
  return { info, resource, scope: withOfflineAccess(scope, authorizationServerMetadata?.scopes_supported) };
}

/** Before the person is asked for anything. */
function refuseUnsafeEndpoints(metadata: OAuthServerInfo['authorizationServerMetadata'], server: URL): void {
  const { authorization_endpoint, token_endpoint, registration_endpoint } = metadata ?? {};
  for (const endpoint of [authorization_endpoint, token_endpoint, registration_endpoint]) {
    if (endpoint !== undefined) refuseUnsafe(new URL(endpoint), server);
  }
}

/** Some authorization servers give a token to renew the login with only to those who ask for this. */
function withOfflineAccess(scope: string | undefined, supported: readonly string[] | undefined): string | undefined {
  const isOffered = scope !== undefined && supported?.includes('offline_access');
  return isOffered ? computeScopeUnion(scope, 'offline_access') : scope;
}

/** A server must not make this program fetch tokens that are good elsewhere. */
function checkResource(resource: string, server: URL): void {
  const isOwn = checkResourceAllowed({
    requestedResource: resourceUrlFromServerUrl(server),
    configuredResource: resource,
  });
  if (!isOwn)
    throw serverFailed(`The MCP server asks for a login to another one: ${JSON.stringify(resource.slice(0, 200))}`);
}

function needsNone(server: URL): CallerError {
  return new CallerError(
    'INVALID_ARGUMENTS',
    `The MCP server at ${shownAddress(server)} asks for no login; if it wants a key, put that into a header of its entry in the config`,
  );
}
