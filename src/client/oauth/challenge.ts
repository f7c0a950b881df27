import { extractWWWAuthenticateParams, type FetchLike, LATEST_PROTOCOL_VERSION } from '@modelcontextprotocol/client';

export interface Challenge {
  readonly resourceMetadataUrl?: URL;
  readonly scope?: string;
}

/** What the server says of the login that it wants, when it is asked without one; none where it wants none. */
export async function askForChallenge(
  server: URL,
  headers: Readonly<Record<string, string>>,
  fetch: FetchLike,
): Promise<Challenge | undefined> {
  for (const init of [introduction, stream]) {
    const response: Response = await fetch(server, {
      ...init,
      headers: { ...headers, ...init.headers },
      redirect: 'manual',
    });
    await response.body?.cancel();
    if (response.status === 401) return extractWWWAuthenticateParams(response);
  }
  return undefined;
}

const introduction = {
  method: 'POST',
  headers: { 'content-type': 'application/json', accept: 'application/json, text/event-stream' },
  body: JSON.stringify({
    jsonrpc: '2.0',
    id: 1,
    method: 'initialize',
    params: {
      protocolVersion: LATEST_PROTOCOL_VERSION,
      capabilities: {},
      clientInfo: { name: 'mcp-execution', version: '0' },
    },
  }),
};

/** Servers of the older kind know only this. */
const stream = { method: 'GET', headers: { accept: 'text/event-stream' } };
