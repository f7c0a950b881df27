import type { IncomingHttpHeaders } from 'node:http';
import { keyMark } from './keys.js';

export type Credential =
  | { readonly kind: 'none' }
  | { readonly kind: 'unusable'; readonly reason: string }
  | { readonly kind: 'key'; readonly key: string }
  | { readonly kind: 'token'; readonly token: string };

const bearerForm = /^Bearer +([\w.~+/-]+=*)$/i;

/** From Authorization or X-API-Key, and from nowhere else: an address is written to logs and histories. */
export function credentialIn(headers: IncomingHttpHeaders): Credential {
  const { authorization } = headers;
  const apiKey = headers['x-api-key'];
  if (apiKey !== undefined) {
    if (authorization !== undefined) return unusable('Authorization and X-API-Key were both sent; one is enough');
    return typeof apiKey === 'string' ? { kind: 'key', key: apiKey } : unusable('X-API-Key was sent twice');
  }
  if (authorization === undefined) return none;
  const token = bearerForm.exec(authorization)?.[1];
  if (token === undefined) return unusable('The header Authorization does not have the form Bearer KEY');
  return token.startsWith(keyMark) ? { kind: 'key', key: token } : { kind: 'token', token };
}

const none: Credential = { kind: 'none' };

function unusable(reason: string): Credential {
  return { kind: 'unusable', reason };
}
