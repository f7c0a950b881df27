import type { EntryLogin } from './entry.js';
import type { Fields } from './fields.js';

/** What configs say of a login: Claude Code in `oauth`, Cursor in `auth`, Codex in `scopes`. */
export function loginOf(fields: Fields): EntryLogin | undefined {
  const given = fields.object('oauth') ?? fields.object('auth');
  const clientId = given?.text('clientId') ?? given?.text('CLIENT_ID');
  const clientSecret = given?.text('clientSecret') ?? given?.text('CLIENT_SECRET');
  const scopes = scopesOf(given) ?? scopesOf(fields);
  const callbackPort = given?.count('callbackPort');
  const login = {
    ...(clientId !== undefined && { clientId }),
    ...(clientSecret !== undefined && { clientSecret }),
    ...(scopes !== undefined && { scopes }),
    ...(callbackPort !== undefined && { callbackPort }),
  };
  return Object.keys(login).length > 0 ? login : undefined;
}

/** A list, or one text with spaces between them. */
function scopesOf(fields: Fields | undefined): readonly string[] | undefined {
  if (typeof fields?.raw('scopes') !== 'string') return fields?.texts('scopes');
  return fields
    .text('scopes')
    ?.split(/\s+/)
    .filter((scope) => scope !== '');
}
