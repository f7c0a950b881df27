import { timingSafeEqual } from 'node:crypto';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { CallerError, ExecutionError } from '../../errors.js';
import { within } from '../deadline.js';

/** Where the browser comes back to, on this machine alone, once. */
export interface Callback {
  readonly address: string;
  /** What the browser brought; its page waits until it is told how the login ended. */
  arrival(options: ArrivalOptions): Promise<Arrival>;
  close(): Promise<void>;
}

export interface ArrivalOptions {
  /** Known to the authorization server only: whoever does not say it is sent away. */
  readonly state: string;
  readonly timeoutMs: number;
  readonly signal?: AbortSignal;
}

export interface Arrival {
  readonly parameters: URLSearchParams;
  finish(wasSuccessful: boolean): void;
}

const host = '127.0.0.1';
const path = '/callback';
/** With the cookies of whatever else this machine serves. */
const longestRequest = 64 * 1024;

/** Port 0: one that is free. */
export async function listenForCallback(port: number): Promise<Callback> {
  let hear: ((url: URL, response: ServerResponse) => void) | undefined;
  const server = createServer({ maxHeaderSize: longestRequest }, (request, response) => {
    const url = urlOf(request);
    if (url === undefined) answer(response, 404, 'There is nothing here.');
    else if (hear) hear(url, response);
    else answer(response, 404, 'Nobody waits for a login here.');
  });
  await listen(server, port);
  const { port: bound } = server.address() as AddressInfo;

  return {
    address: `http://${host}:${bound}${path}`,
    async arrival({ state, timeoutMs, signal }) {
      const arriving = () =>
        new Promise<Arrival>((resolve) => {
          hear = (url, response) => {
            if (isSame(url.searchParams.get('state') ?? '', state)) {
              hear = undefined;
              resolve(arrivalOf(url, response));
            } else answer(response, 400, 'This is not the login that is waited for.');
          };
        });
      try {
        return await within(timeoutMs, arriving, signal);
      } catch (error) {
        throw error instanceof ExecutionError && error.code === 'TIMEOUT' ? nobodyCame(timeoutMs) : error;
      } finally {
        hear = undefined;
      }
    },
    close: () => close(server),
  };
}

function arrivalOf({ searchParams: parameters }: URL, response: ServerResponse): Arrival {
  return {
    parameters,
    finish: (wasSuccessful) => answer(response, wasSuccessful ? 200 : 400, wasSuccessful ? done : failed),
  };
}

const done = 'You are logged in. You may close this page.';
const failed = 'The login failed. The terminal says why.';

/** Only what a browser on this machine asks after a redirect: a page elsewhere could give its own name this address. */
function urlOf({ method, url = '', headers }: IncomingMessage): URL | undefined {
  if (method !== 'GET' || !/^(?:127\.0\.0\.1|localhost):\d+$/.test(headers.host ?? '')) return undefined;
  const base = `http://${host}`;
  const found = URL.canParse(url, base) ? new URL(url, base) : undefined;
  return found?.pathname === path ? found : undefined;
}

function isSame(found: string, expected: string): boolean {
  const [one, other] = [Buffer.from(found), Buffer.from(expected)];
  return one.length === other.length && timingSafeEqual(one, other);
}

function answer(response: ServerResponse, status: number, sentence: string): void {
  response.writeHead(status, {
    'content-type': 'text/html; charset=utf-8',
    'content-security-policy': "default-src 'none'",
    'referrer-policy': 'no-referrer',
    'cache-control': 'no-store',
    connection: 'close',
  });
  response.end(`<!doctype html><meta charset="utf-8"><title>mcp-exec login</title><p>${sentence}</p>\n`);
}

async function listen(server: Server, port: number): Promise<void> {
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, resolve);
  }).catch((error: NodeJS.ErrnoException) => {
    const reason = error.code === 'EADDRINUSE' ? 'another program uses it' : (error.code ?? error.message);
    throw new CallerError('INVALID_ARGUMENTS', `--port: ${port} on ${host} cannot be listened on: ${reason}`, {
      argument: '--port',
    });
  });
}

/** The page that was answered last may still be on its way. */
async function close(server: Server): Promise<void> {
  const closed = new Promise((resolve) => server.close(resolve));
  server.closeIdleConnections();
  const timer = setTimeout(() => server.closeAllConnections(), lingerMs);
  await closed;
  clearTimeout(timer);
}

const lingerMs = 500;

function nobodyCame(timeoutMs: number): CallerError {
  return new CallerError('LOGIN_REQUIRED', `Nobody logged in within ${Math.round(timeoutMs / 1000)} seconds`);
}
