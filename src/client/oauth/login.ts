import { randomBytes } from 'node:crypto';
import {
  exchangeAuthorization,
  type FetchLike,
  startAuthorization,
  validateAuthorizationResponseIssuer,
} from '@modelcontextprotocol/client';
import { CallerError, LimitError } from '../../errors.js';
import { isPrivateWay } from './address.js';
import { type Callback, listenForCallback } from './callback.js';
import { clientFor, type RegisteredClient } from './client.js';
import { codeOfOAuth, loginFailure } from './failures.js';
import { type KeptLogin, metadataToKeep, shownAddress, tokensToKeep } from './kept-login.js';
import type { Logins } from './logins.js';
import { type LoginPlan, planLogin } from './plan.js';
import { createSafeFetch } from './safe-fetch.js';

export interface LoginRequest {
  readonly server: URL;
  /** What the person calls it. */
  readonly name?: string;
  /** Of the config; they are sent to the MCP server alone. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Not given: one is registered. */
  readonly client?: RegisteredClient;
  /** Asked for beside what the server asks for by itself. */
  readonly scopes?: readonly string[];
  /** The port that the browser comes back to; not given: one that is free. */
  readonly port?: number;
  readonly timeoutMs?: number;
  readonly signal?: AbortSignal;
  /** Told the page on which the person says yes. */
  readonly onPage: (page: URL) => void;
}

const usualTimeoutMs = 300_000;

/** Logs the person in to an MCP server by means of a browser, and keeps the login. A login that fails leaves the one before it. */
export async function logIn(request: LoginRequest, logins: Logins): Promise<KeptLogin> {
  const { server, signal, headers, scopes } = request;
  if (!isPrivateWay(server)) throw unprotected(server);
  const callback = await listenForCallback(request.port ?? 0);
  try {
    const fetch = createSafeFetch(server, signal);
    const before = await logins.find(server);
    const plan = await planLogin({ server, headers, scopes, before, fetch });
    return await askPerson(request, plan, { callback, fetch, logins });
  } catch (error) {
    throw signal?.aborted ? new LimitError('CANCELLED', 'The login was interrupted') : loginFailure(error);
  } finally {
    await callback.close();
  }
}

interface Means {
  readonly callback: Callback;
  readonly fetch: FetchLike;
  readonly logins: Logins;
}

async function askPerson(request: LoginRequest, plan: LoginPlan, means: Means): Promise<KeptLogin> {
  const { server, signal, timeoutMs = usualTimeoutMs } = request;
  const { callback, fetch, logins } = means;
  const { info, resource, scope } = plan;
  const { authorizationServerUrl, authorizationServerMetadata: metadata } = info;
  const redirectUrl = callback.address;
  const client = await clientFor(info, request.client ?? {}, { redirectUrl, scope, fetch });
  const state = randomBytes(32).toString('base64url');
  const { authorizationUrl, codeVerifier } = await startAuthorization(authorizationServerUrl, {
    metadata,
    clientInformation: client,
    redirectUrl,
    scope,
    state,
    resource,
  });
  request.onPage(authorizationUrl);
  const { parameters, finish } = await callback.arrival({ state, timeoutMs, signal });
  try {
    const tokens = await exchangeAuthorization(authorizationServerUrl, {
      metadata,
      clientInformation: client,
      authorizationCode: codeIn(parameters, metadata),
      iss: parameters.get('iss') ?? undefined,
      // It was never written down: who asked is who hears the answer.
      codeVerifier,
      redirectUri: redirectUrl,
      resource,
      fetchFn: fetch,
    });
    const login: KeptLogin = {
      version: 1,
      server: shownAddress(server),
      name: request.name,
      loggedInAt: new Date().toISOString(),
      authorizationServer: { url: String(authorizationServerUrl), metadata: metadataToKeep(metadata) },
      resource,
      client,
      tokens: tokensToKeep(tokens, scope),
    };
    await logins.keep(server, login).catch(refuseToKeep);
    finish(true);
    return login;
  } catch (error) {
    finish(false);
    throw error;
  }
}

/** Who sent the browser here is made sure of before anything that came with it is told. */
function codeIn(parameters: URLSearchParams, metadata: LoginPlan['info']['authorizationServerMetadata']): string {
  validateAuthorizationResponseIssuer({
    iss: parameters.get('iss') ?? undefined,
    expectedIssuer: metadata?.issuer,
    issParameterSupported: metadata?.authorization_response_iss_parameter_supported === true,
  });
  const code = parameters.get('code');
  if (code) return code;
  const reason = codeOfOAuth(parameters.get('error'));
  throw new CallerError('LOGIN_REQUIRED', `The login was not granted: ${reason}`);
}

function unprotected(server: URL): CallerError {
  return new CallerError(
    'INVALID_ARGUMENTS',
    `${shownAddress(server)} is not protected on its way: a login needs https, or http on this machine`,
  );
}

function refuseToKeep(cause: unknown): never {
  const reason = cause instanceof Error ? cause.message : String(cause);
  throw new CallerError('INVALID_SETTING', `The login cannot be kept: ${reason}`);
}
