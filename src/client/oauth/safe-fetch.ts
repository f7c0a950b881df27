import type { FetchLike } from '@modelcontextprotocol/client';
import { serverFailed } from '../failures.js';
import { watchBody } from '../remote/body.js';
import { mayBeAsked } from './address.js';

const maxBytes = 1024 * 1024;
const mostRedirects = 5;
const patienceMs = 15_000;

/**
 * For what is asked of authorization servers, whose addresses come from the MCP server: only where the way is private,
 * also after a redirect; bounded in size and time; without the headers of the config, which are for the MCP server.
 */
export function createSafeFetch(server: URL, signal?: AbortSignal): FetchLike {
  return async (given, init = {}) => {
    const signals = [
      AbortSignal.timeout(patienceMs),
      ...(signal ? [signal] : []),
      ...(init.signal ? [init.signal] : []),
    ];
    let url = new URL(given);
    for (let redirects = 0; ; redirects += 1) {
      refuseUnsafe(url, server);
      const response = await fetch(url, { ...init, redirect: 'manual', signal: AbortSignal.any(signals) });
      const next = redirectOf(url, response);
      if (!next || !follows(init) || redirects === mostRedirects) return bounded(response);
      await response.body?.cancel();
      url = next;
    }
  };
}

/** What is sent in a body, or in headers of its own, is for the address that was given. */
function follows({ method = 'GET', redirect }: RequestInit): boolean {
  return method === 'GET' && redirect !== 'manual';
}

function redirectOf(url: URL, { status, headers }: Response): URL | undefined {
  const place = headers.get('location');
  if (![301, 302, 303, 307, 308].includes(status) || place === null || !URL.canParse(place, url.href)) return undefined;
  return new URL(place, url);
}

/** Of an address that the authorization server, or the MCP server, names. */
export function refuseUnsafe(address: URL, server: URL): void {
  if (mayBeAsked(address, server)) return;
  const { protocol, host } = address;
  throw serverFailed(
    `The login leads to an address that is not asked: ${JSON.stringify(`${protocol}//${host}`)}. ` +
      'It has to be https, or http on this machine for an MCP server on this machine',
  );
}

function bounded(response: Response): Response {
  if (!response.body) return response;
  const { status, statusText, headers } = response;
  const body = watchBody(response.body, { maxBytes, isLines: false, onChunk: () => {}, onEnd: () => {} });
  return new Response(body, { status, statusText, headers });
}
