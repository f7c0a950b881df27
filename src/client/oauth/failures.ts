import {
  AuthorizationServerMismatchError,
  IssuerMismatchError,
  OAuthError,
  RegistrationRejectedError,
} from '@modelcontextprotocol/client';
import { CallerError, ExecutionError, type HostError } from '../../errors.js';
import { serverFailed } from '../failures.js';

/** What the person has to type, and what the server is called in sentences. */
export interface ServerWords {
  /** Its name in the config, or its address. */
  readonly server: string;
}

export function loginRequired({ server }: ServerWords, why: string): CallerError {
  return new CallerError('LOGIN_REQUIRED', `${why}: run mcp-exec login ${asWord(server)}`);
}

/**
 * Why the authorization server gave no tokens. What it says is anything, and may repeat what it was sent: only its
 * code is passed on.
 */
export function loginFailure(error: unknown): ExecutionError {
  if (error instanceof ExecutionError) return error;
  if (error instanceof RegistrationRejectedError) {
    return new CallerError(
      'LOGIN_REQUIRED',
      `The authorization server refuses to register this client (HTTP status ${error.status}). ${registerByHand}`,
    );
  }
  if (error instanceof OAuthError) return serverFailed(`The authorization server refused: ${codeOfOAuth(error.code)}`);
  if (error instanceof IssuerMismatchError || error instanceof AuthorizationServerMismatchError) {
    return serverFailed('What answered is not the authorization server that was asked, so that nothing was sent to it');
  }
  return serverFailed(`The authorization server ${reasonOf(error)}`);
}

export const registerByHand =
  'Register one there by hand, and give its id in the config: "oauth": {"clientId": "…"} in the entry of the server';

const refusals: ReadonlySet<string> = new Set([
  'invalid_grant',
  'invalid_client',
  'unauthorized_client',
  'invalid_scope',
  'invalid_target',
  'access_denied',
  'unsupported_grant_type',
]);

/** Whether no other attempt will bring tokens, unlike when the authorization server is only out of order. */
export function isRefusal(error: unknown): boolean {
  return error instanceof OAuthError && refusals.has(error.code);
}

/** Codes are of a few harmless characters; anything else is not passed on. */
export function codeOfOAuth(code: string | null): string {
  return code !== null && /^[a-z][a-z0-9_.-]{0,60}$/i.test(code) ? code : 'it gave no reason';
}

export function couldNotRenew(error: unknown, words: ServerWords): HostError {
  const why = loginFailure(error).message;
  return serverFailed(
    `The login could not be renewed. ${why}. Try again, or log in anew with mcp-exec login ${asWord(words.server)}`,
  );
}

/** As the end of a sentence that begins with who was asked. */
export function reasonOf(error: unknown): string {
  for (let cause = error, depth = 0; cause instanceof Error && depth < 5; cause = cause.cause, depth += 1) {
    if (cause.name === 'TimeoutError') return 'did not answer in time';
    if ('code' in cause && typeof cause.code === 'string' && /^[A-Z][A-Z0-9_]+$/.test(cause.code)) {
      return `could not be reached: ${cause.code}`;
    }
  }
  return 'gave an answer that cannot be used';
}

/** The name may come with a project of somebody else: what a shell would read is put in quotes. */
export function asWord(text: string): string {
  const shown = text.replace(/\p{Cc}/gu, '').slice(0, 300);
  return /^[\w.:/@%+,-]+$/.test(shown) ? shown : `'${shown.replaceAll("'", `'\\''`)}'`;
}
