import type { CallerError } from '../../errors.js';
import type { ServerTarget } from '../target.js';

/** One MCP server as a config names it. One that is not disabled has a target, or a problem that says why not. */
export interface ServerEntry {
  readonly name: string;
  /** The file that names it. */
  readonly origin: string;
  readonly disabled: boolean;
  readonly target?: ServerTarget;
  readonly problem?: CallerError;
  /** Values that must not be shown: those of its variables and headers, and of all that was put in for a reference. */
  readonly secrets: readonly string[];
  readonly startTimeoutMs?: number;
  /** Of one call. */
  readonly timeoutMs?: number;
  /** How this client is known to the server's login, where it was registered beforehand. */
  readonly login?: EntryLogin;
}

export interface EntryLogin {
  readonly clientId?: string;
  readonly clientSecret?: string;
  readonly scopes?: readonly string[];
  /** Of the address on this machine that a login comes back to. */
  readonly callbackPort?: number;
}
