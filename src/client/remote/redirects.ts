import { serverFailed } from '../failures.js';

const mostRedirects = 5;
const redirects: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);

/**
 * Follows redirects within the server that the config names, such as to the same path with a slash. One that leads elsewhere would
 * send the headers of the config there, and could make this machine ask what only it can reach.
 */
export async function fetchWithin(given: string | URL, init: RequestInit): Promise<Response> {
  let url = new URL(given);
  let request = init;
  for (let followed = 0; ; followed += 1) {
    const response = await fetch(url, { ...request, redirect: 'manual' });
    const place = redirects.has(response.status) ? response.headers.get('location') : null;
    if (place === null || followed === mostRedirects) return response;
    await response.body?.cancel();
    const next = URL.canParse(place, url.href) ? new URL(place, url) : undefined;
    if (!next || !isSameServer(url, next)) throw leadsElsewhere(next);
    if (becomesGet(response.status, request)) request = { ...request, method: 'GET', body: undefined };
    url = next;
  }
}

/** On the same host, and where the port changes only to be protected from then on. */
function isSameServer(from: URL, to: URL): boolean {
  if (to.username !== '' || to.password !== '') return false;
  const isUpgrade = from.protocol === 'http:' && to.protocol === 'https:' && from.port === '' && to.port === '';
  return from.origin === to.origin || (isUpgrade && from.hostname === to.hostname);
}

function becomesGet(status: number, { method = 'GET' }: RequestInit): boolean {
  return status === 303 || ((status === 301 || status === 302) && method === 'POST');
}

function leadsElsewhere(place: URL | undefined): Error {
  const where = place ? JSON.stringify(`${place.protocol}//${place.host}`.slice(0, 200)) : 'what is no address';
  return serverFailed(
    `The MCP server sends requests on to ${where}, which is not followed. If that is the right one, put its address into the config`,
  );
}
