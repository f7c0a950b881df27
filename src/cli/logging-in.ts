import { openBrowser } from '../client/oauth/browser.js';
import { logIn } from '../client/oauth/login.js';
import { createLogins, type Logins } from '../client/oauth/logins.js';
import { CallerError } from '../errors.js';
import { reportForeignFailure } from './foreign-failure.js';
import { harmless } from './harmless.js';
import { findLoginServer, type LoginServer } from './login-server.js';
import { formatTable } from './table.js';
import { paint, type Terminal } from './terminal.js';

export interface LoginFlags {
  readonly browser: boolean;
  readonly port?: string;
  readonly logout?: boolean;
  readonly list?: boolean;
}

/** Logs in, logs out or lists. Gives the exit code, and tells itself what went wrong. */
export async function login(...given: Parameters<typeof work>): Promise<number> {
  try {
    await work(...given);
    return 0;
  } catch (error) {
    const [, , , terminal] = given;
    return reportForeignFailure(error, terminal);
  }
}

async function work(
  word: string | undefined,
  flags: LoginFlags,
  config: readonly string[],
  terminal: Terminal,
): Promise<void> {
  const { environment, note } = terminal;
  const logins = createLogins({ environment, note: (message) => note(`${message}\n`) });
  if (flags.list && (flags.logout || word !== undefined)) throw wrong('--list stands alone: it shows all logins');
  if (flags.list) return await list(logins, terminal);
  if (word === undefined) throw wrong('Name the server: mcp-exec login SERVER, or its address');
  const port = flags.port === undefined ? undefined : portOf(flags.port);
  const server = await findLoginServer(word, config, terminal, flags.logout ? logins : undefined);
  if (flags.logout) await logOut(server, logins, terminal);
  else await logInTo(server, { ...flags, port }, logins, terminal);
}

async function logInTo(
  { url, name, headers, login: given }: LoginServer,
  { browser, port }: { readonly browser: boolean; readonly port?: number },
  logins: Logins,
  terminal: Terminal,
): Promise<void> {
  const { environment, interrupt } = terminal;
  const shown = nameOf({ url, name });
  const { tokens } = await logIn(
    {
      server: url,
      name,
      headers,
      client: given,
      scopes: given?.scopes,
      port: port ?? given?.callbackPort,
      signal: interrupt,
      onPage(page) {
        terminal.note(`Log in to ${shown} on this page:\n`);
        terminal.out(`${page.href}\n`);
        const isOpened = browser && openBrowser(page, environment);
        terminal.note(isOpened ? 'It opens in your browser. Waiting …\n' : 'Open it in a browser. Waiting …\n');
      },
    },
    logins,
  );
  const lasts = tokens?.refresh_token === undefined ? until(tokens?.expiresAt) : 'it renews itself';
  terminal.note(`${paint(terminal, 'green', `Logged in to ${shown}`)}; ${lasts}.\n`);
}

async function logOut({ url, name }: LoginServer, logins: Logins, terminal: Terminal): Promise<void> {
  const shown = nameOf({ url, name });
  const forgotten = await logins.forget(url);
  if (!forgotten) {
    terminal.note(`There was no login to ${shown}.\n`);
    return;
  }
  const { revokeTokens } = await import('../client/oauth/revoke.js');
  const wasTold = await revokeTokens(forgotten, url);
  const rest = wasTold ? '' : ' Its authorization server was not told, and may keep it until it is over.';
  terminal.note(`The login to ${shown} is forgotten.${rest}\n`);
}

async function list(logins: Logins, terminal: Terminal): Promise<void> {
  const all = await logins.list();
  if (all.length === 0) {
    terminal.note('There are no logins. mcp-exec login SERVER makes one.\n');
    return;
  }
  const rows = all.map(({ name = '', server, tokens, loggedInAt }) => [
    name,
    server,
    loggedInAt.slice(0, 10),
    stateOf(tokens),
  ]);
  const titles = ['SERVER', 'ADDRESS', 'SINCE', 'STATE'].map((title) => ({ title }));
  terminal.out(formatTable(titles, rows, terminal));
}

function stateOf(tokens: Awaited<ReturnType<Logins['list']>>[number]['tokens']): string {
  if (!tokens) return 'over: log in again';
  if (tokens.refresh_token !== undefined) return 'renews itself';
  return until(tokens.expiresAt);
}

function until(expiresAt: number | undefined): string {
  if (expiresAt === undefined) return 'until the server ends it';
  return expiresAt < Date.now() ? 'over: log in again' : `until ${new Date(expiresAt).toISOString()}`;
}

function nameOf({ url, name }: Pick<LoginServer, 'url' | 'name'>): string {
  return harmless(name ?? `${url.origin}${url.pathname}`);
}

function portOf(text: string): number {
  const port = /^\d{1,5}$/.test(text) ? Number(text) : 0;
  if (port > 0 && port < 65_536) return port;
  throw wrong(`--port: expected a number from 1 to 65535, found ${JSON.stringify(text)}`);
}

function wrong(message: string): CallerError {
  return new CallerError('INVALID_ARGUMENTS', message);
}
