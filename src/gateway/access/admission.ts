import type { GatewaySettings } from '../settings.js';
import { local } from './authentication.js';
import { entryOf, type KeyEntry } from './keys.js';
import { isLoopback } from './loopback.js';
import type { OAuthOptions } from './oauth.js';
import type { Principal } from './principal.js';

export interface AdmissionOptions {
  readonly keys: () => readonly KeyEntry[];
  readonly oauth: () => OAuthOptions | undefined;
  readonly settings: () => Pick<GatewaySettings, 'host'>;
}

/** Who is let in as it is now: keys are taken away, and tokens expire, while answers are open and sessions are kept. */
export interface Admission {
  /** Whether what was proven when a request came would be let in with the same rights. */
  holds(principal: Principal): boolean;
  /** Whether whoever has this id may come again, with a new token or a changed key. */
  mayReturn(id: string): boolean;
}

export function createAdmission({ keys, oauth, settings }: AdmissionOptions): Admission {
  let known: { readonly entries: readonly KeyEntry[]; readonly byId: ReadonlyMap<string, KeyEntry> } | undefined;
  return {
    holds(principal) {
      if (principal.expiresAt !== undefined && principal.expiresAt <= Date.now()) return false;
      const proven = entryOf(principal);
      return proven ? isSame(proven, entriesById().get(principal.id)) : mayReturn(principal.id);
    },
    mayReturn,
  };

  function mayReturn(id: string): boolean {
    const tokens = oauth();
    if (id === local.id) return keys().length === 0 && tokens === undefined && isLoopback(settings().host);
    return entriesById().has(id) || (tokens !== undefined && id.startsWith('oauth:'));
  }

  function entriesById(): ReadonlyMap<string, KeyEntry> {
    const entries = keys();
    if (known?.entries !== entries) {
      known = { entries, byId: new Map(entries.map((entry) => [`key:${entry.id}`, entry])) };
    }
    return known.byId;
  }
}

/** Names and quotas may change under an open answer; the key itself and what it permits may not. */
function isSame(proven: KeyEntry, now: KeyEntry | undefined): boolean {
  return now !== undefined && rightsOf(proven) === rightsOf(now);
}

function rightsOf({ hash, scopes, services }: KeyEntry): string {
  return JSON.stringify([hash, scopes, services]);
}
