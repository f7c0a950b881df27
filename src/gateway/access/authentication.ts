import type { FastifyRequest } from 'fastify';
import type { Log } from '../../log.js';
import type { GatewaySettings } from '../settings.js';
import { publicAddress } from './addresses.js';
import { credentialIn } from './credentials.js';
import { createKeyring, type KeyEntry } from './keys.js';
import { isLoopback } from './loopback.js';
import type { OAuthOptions } from './oauth.js';
import { type Principal, scopes } from './principal.js';
import { createTokenVerifier, type Proof } from './tokens.js';

export interface AuthenticationOptions {
  /** The same list as long as nothing has changed in it. */
  readonly keys: () => readonly KeyEntry[];
  readonly oauth: () => OAuthOptions | undefined;
  readonly settings: () => GatewaySettings;
  readonly log: Log;
}

export type Authentication = Proof | { readonly missing: string };

/** Whoever asks a gateway without keys, which only its own machine reaches. */
export const local: Principal = { id: 'local', name: 'local', scopes: new Set(scopes) };

/** Says who asks: at once for keys and for tokens seen lately. */
export function createAuthentication({ keys, oauth, settings, log }: AuthenticationOptions) {
  const keyringOf = remembering(createKeyring);
  const verifierOf = remembering((options: OAuthOptions) => createTokenVerifier(options, log));
  const isOpen = remembering(isLoopback);

  return (request: FastifyRequest): Authentication | Promise<Authentication> => {
    const entries = keys();
    const tokens = oauth();
    if (entries.length === 0 && tokens === undefined) {
      // Keys may have gone while the gateway runs: what other machines reach is never open.
      return isOpen(settings().host)
        ? { principal: local }
        : { missing: 'The gateway has no keys, and lets nobody in' };
    }
    const credential = credentialIn(request.headers);
    switch (credential.kind) {
      case 'none':
        return { missing: missingSentence(request.url) };
      case 'unusable':
        return { refused: credential.reason };
      case 'key': {
        const principal = keyringOf(entries).find(credential.key);
        return principal ? { principal } : { refused: 'The key is not known' };
      }
      case 'token':
        if (tokens === undefined) return { refused: 'The key is not known' };
        return verifierOf(tokens).verify(credential.token, publicAddress(request, tokens.resource));
    }
  };
}

function missingSentence(url: string): string {
  const isInAddress = /[?&](?:access_token|api_?key|key|token)=|mcpx_/i.test(url);
  return isInAddress
    ? 'A key is taken from a header and never from the address, where logs keep it: change the key, and send it as Authorization: Bearer KEY'
    : 'This address asks for a key or token';
}

/** Made again only for another argument than the last. */
function remembering<From, To>(make: (from: From) => To): (from: From) => To {
  let last: { readonly from: From; readonly made: To } | undefined;
  return (from) => {
    if (last === undefined || last.from !== from) last = { from, made: make(from) };
    return last.made;
  };
}
