import {
  SdkHttpError,
  SSEClientTransport,
  SseError,
  StreamableHTTPClientTransport,
  type StreamableHTTPClientTransportOptions,
} from '@modelcontextprotocol/client';
import { CallerError, ExecutionError } from '../../errors.js';
import { within } from '../deadline.js';
import { serverFailed } from '../failures.js';
import type { Link, Reason } from '../link.js';
import type { ServerLogin } from '../oauth/server-login.js';
import type { FilledOptions, UrlTarget } from '../target.js';
import { createHttpRequests, type HttpRequests } from './requests.js';

interface Spoken {
  readonly era: 'legacy' | 'modern';
}

type Open<C extends Spoken> = (link: Link) => Promise<C>;

const goodbyeMs = 1000;

/** Connects to an address: by Streamable HTTP in either era of the protocol, or as servers did it before that. */
export function createRemote(
  target: UrlTarget,
  options: FilledOptions,
): <C extends Spoken>(open: Open<C>) => Promise<C> {
  const url = addressOf(target.url);
  const way: Way = { url, headers: target.headers, login: loginOf(url, target, options), options };
  /** What the server was found to speak, so that it is not asked each time. */
  let spoken: 'sse' | 'legacy' | undefined;
  return async (open) => {
    try {
      return await (spoken === 'sse' ? open(sseLink(way)) : byStreamableHttp(open));
    } catch (error) {
      spoken = undefined;
      throw error;
    }
  };

  async function byStreamableHttp<C extends Spoken>(open: Open<C>): Promise<C> {
    try {
      const connection = await open(streamableLink(way, spoken === 'legacy'));
      spoken = connection.era === 'legacy' ? 'legacy' : undefined;
      return connection;
    } catch (error) {
      if (!refusesPosts(error)) throw error;
      const connection = await open(sseLink(way)).catch((other: unknown) => {
        throw wantsLogin(other) ? other : withLikelyAddress(error, url);
      });
      spoken = 'sse';
      return connection;
    }
  }
}

interface Way extends Pick<UrlTarget, 'headers'> {
  readonly url: URL;
  readonly login: ServerLogin | undefined;
  readonly options: FilledOptions;
}

/** Credentials that were given win over those that were kept. */
function loginOf(
  url: URL,
  { headers = {} }: UrlTarget,
  { logins, serverName }: FilledOptions,
): ServerLogin | undefined {
  const hasCredentials = Object.keys(headers).some((name) => name.toLowerCase() === 'authorization');
  return hasCredentials ? undefined : logins?.of(url, serverName);
}

function wantsLogin(error: unknown): boolean {
  return error instanceof ExecutionError && error.code === 'LOGIN_REQUIRED';
}

function addressOf(text: string): URL {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url?.username || url?.password) {
    throw new CallerError(
      'INVALID_CONFIG',
      'The address of an MCP server holds no credentials: put them into a header',
    );
  }
  if (url?.protocol === 'http:' || url?.protocol === 'https:') return url;
  throw new CallerError(
    'INVALID_CONFIG',
    `The address of an MCP server begins with http:// or https://; found ${JSON.stringify(text)}`,
  );
}

/** What servers say that know only a stream by GET. */
function refusesPosts(error: unknown): boolean {
  const cause = error instanceof Error ? error.cause : undefined;
  if (!(cause instanceof SdkHttpError)) return false;
  return [400, 404, 405, 406, 415, 501].includes(cause.status ?? 0);
}

/** An address without a path is mostly one that was not told whole. */
function withLikelyAddress(error: unknown, { origin, pathname }: URL): unknown {
  if (!(error instanceof ExecutionError) || !(error.cause instanceof SdkHttpError)) return error;
  if (error.cause.status !== 404 || pathname !== '/') return error;
  return serverFailed(`${error.message}; is its address ${origin}/mcp?`, error.details, error.cause);
}

function streamableLink(way: Way, isLegacy: boolean): Link {
  const requests = createHttpRequests({ ...way.options, onLost: (token, why) => link.onLost?.(token, why) });
  const transport = new StreamableHTTPClientTransport(way.url, transportOptions(way, requests));
  const link = createLink(transport, requests, {
    explain: way.login?.explain,
    ...(!isLegacy && { negotiation: { mode: 'auto' } }),
    onError(error) {
      if (error.message.startsWith('Maximum reconnection attempts')) requests.giveUpEnded();
    },
    isSessionLost: (status) => transport.sessionId !== undefined && (status === 404 || status === 400),
    goodbye: () => transport.terminateSession(),
  });
  return link;
}

function sseLink(way: Way): Link {
  const requests = createHttpRequests({ ...way.options, onLost: () => {} });
  const transport = new SSEClientTransport(way.url, transportOptions(way, requests));
  const link = createLink(transport, undefined, {
    explain: way.login?.explain,
    // The stream would be opened again by itself, but to a server that knows nothing of this connection any more.
    onError(error) {
      if (error instanceof SseError)
        link.end(() => serverFailed('The connection to the MCP server was lost before it answered'));
    },
    goodbye: async () => {},
  });
  return link;
}

function transportOptions({ headers, login }: Way, { fetch }: HttpRequests): StreamableHTTPClientTransportOptions {
  return { requestInit: { headers }, fetch: login ? login.watch(fetch) : fetch, authProvider: login?.provider };
}

interface LinkParts extends Pick<Link, 'negotiation' | 'onError' | 'isSessionLost' | 'explain'> {
  goodbye(): Promise<void>;
}

function createLink(
  transport: StreamableHTTPClientTransport | SSEClientTransport,
  requests: HttpRequests | undefined,
  { goodbye, ...parts }: LinkParts,
): Link {
  let failure: Reason | undefined;
  let resolveEnded: (end: { readonly wasAsked: boolean }) => void = () => {};
  const ended = new Promise<{ readonly wasAsked: boolean }>((resolve) => {
    resolveEnded = resolve;
  });
  return {
    ...parts,
    transport,
    get failure() {
      return failure;
    },
    get isOver() {
      return failure !== undefined;
    },
    ended,
    abandoned: 0,
    ...(requests && { giveUp: requests.giveUp, answered: requests.answered }),
    async end(reason) {
      if (failure) return;
      failure = reason;
      await within(goodbyeMs, goodbye).catch(() => {});
      await transport.close();
      resolveEnded({ wasAsked: true });
    },
  };
}
