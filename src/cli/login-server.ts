import type { ServerEntry } from '../client/config/config.js';
import type { Logins } from '../client/oauth/logins.js';
import { CallerError } from '../errors.js';
import { nearest } from '../nearest.js';
import { harmless } from './harmless.js';
import type { Terminal } from './terminal.js';

export interface LoginServer extends Pick<ServerEntry, 'login'> {
  readonly url: URL;
  /** In the config. */
  readonly name?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** The server that a word of the command line means: an address, or a name in the config. Of one that is gone there, its login may still be known. */
export async function findLoginServer(
  word: string,
  config: readonly string[],
  { environment }: Terminal,
  logins?: Logins,
): Promise<LoginServer> {
  if (/^https?:\/\//i.test(word)) return { url: addressIn(word) };
  try {
    const { readMcpConfig } = await import('../client/config/config.js');
    const { entries } = await readMcpConfig(config, { environment });
    return serverOf(entryOf(word, entries));
  } catch (error) {
    const kept = (await logins?.list())?.find(({ name }) => name === word);
    if (kept) return { url: new URL(kept.server), name: word };
    throw error;
  }
}

function addressIn(word: string): URL {
  const url = URL.canParse(word) ? new URL(word) : undefined;
  if (url && url.username === '' && url.password === '') return url;
  throw new CallerError(
    'INVALID_ARGUMENTS',
    'The address of the server cannot be used: it is malformed, or holds credentials',
  );
}

function entryOf(word: string, entries: readonly ServerEntry[]): ServerEntry {
  const entry = entries.find(({ name }) => name === word);
  if (entry) return entry;
  const names = entries.map(({ name }) => name);
  const near = nearest(word, names);
  const few = names.slice(0, 20).join(', ');
  const hint = near === undefined ? `It has: ${few === '' ? 'none' : few}` : `Did you mean ${near}?`;
  throw new CallerError('UNKNOWN_SERVER', harmless(`The config has no server ${JSON.stringify(word)}. ${hint}`));
}

function serverOf({ name, target, problem, login, disabled }: ServerEntry): LoginServer {
  const shown = harmless(name);
  if (problem) throw problem;
  if (!target)
    throw wrong(`The server ${shown} cannot be logged in to${disabled ? ': it is disabled in the config' : ''}`);
  if (target.kind === 'command') {
    throw wrong(`The server ${shown} is a command that is started here; a login is for servers at addresses`);
  }
  const { url, headers = {} } = target;
  if (Object.keys(headers).some((header) => header.toLowerCase() === 'authorization')) {
    throw wrong(`The config gives the server ${shown} an Authorization header, which is used instead of a login`);
  }
  return { url: new URL(url), name, headers, login };
}

function wrong(message: string): CallerError {
  return new CallerError('INVALID_ARGUMENTS', message);
}
