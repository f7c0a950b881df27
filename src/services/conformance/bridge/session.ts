import {
  type JSONRPCMessage,
  type RequestId,
  WebStandardStreamableHTTPServerTransport,
} from '@modelcontextprotocol/server';
import type { Link } from '../../../client/link.js';
import { createSessionEvents } from '../../../gateway/mcp/event-store.js';
import type { Log } from '../../../log.js';
import { asTheServerSaid, failedWith, isAnswer, progressTokenOf } from './messages.js';

/** A session of the 2025 revisions, with a process of its own behind it. */
export interface BridgeSession {
  readonly id: string;
  /** Whether a request is under way, or somebody listens. */
  readonly isInUse: boolean;
  readonly ended: AbortSignal;
  answer(request: Request, body: unknown): Promise<Response>;
  /** Resolves when the process is gone with all that it started. */
  end(): Promise<void>;
}

const eventBytes = 8 * 1024 * 1024;
/** How soon a client whose stream was cut should come back. */
const retryMs = 500;
/** They are about the server as a whole, and belong to no request. */
const aboutAll = /^notifications\/(?:resources\/|(?:tools|prompts|roots)\/list_changed$)/;

/** Every message goes both ways as it is; only the ids of requests are others behind, where they have to be numbers. */
export async function createBridgeSession(id: string, link: Link, log: Log): Promise<BridgeSession> {
  const http = new WebStandardStreamableHTTPServerTransport({
    sessionIdGenerator: () => id,
    eventStore: createSessionEvents(() => eventBytes),
    retryInterval: retryMs,
    onsessionclosed: () => void end(),
  });
  const underWay = new Map<number, { readonly id: RequestId; readonly token: string | undefined }>();
  const ended = new AbortController();
  let lastNumber = 0;
  let listening = 0;
  http.onmessage = (message) => toServer(message);
  http.onerror = (error) => log.debug('the protocol reported an error', { error });
  link.transport.onmessage = (message: JSONRPCMessage) => toClient(message);
  link.transport.onclose = () => void abandon();
  await http.start();
  await link.transport.start();

  return {
    id,
    get isInUse() {
      return underWay.size > 0 || listening > 0;
    },
    ended: ended.signal,
    answer(request, body) {
      if (request.method === 'GET') listen(request.signal);
      return http.handleRequest(request, { parsedBody: body });
    },
    end,
  };

  async function end(): Promise<void> {
    ended.abort();
    await link.end(() => failedWith('The session was ended'));
    await http.close();
  }

  function listen(signal: AbortSignal): void {
    listening += 1;
    signal.addEventListener('abort', () => {
      listening -= 1;
    });
  }

  function toServer(message: JSONRPCMessage): void {
    if (!('method' in message)) pass(message);
    else if ('id' in message) {
      lastNumber += 1;
      underWay.set(lastNumber, { id: message.id, token: progressTokenOf(message.params?._meta) });
      pass({ ...message, id: lastNumber });
    } else if (message.method === 'notifications/cancelled') cancel(message);
    else pass(message);
  }

  function cancel(message: Extract<JSONRPCMessage, { method: string }>): void {
    const given = message.params?.requestId;
    const number = [...underWay].find(([, request]) => request.id === given)?.[0];
    // One that is not under way has a number that was never used, so that it cancels nothing else.
    lastNumber += number === undefined ? 1 : 0;
    pass({ ...message, params: { ...message.params, requestId: number ?? lastNumber } });
    if (number === undefined) return;
    const request = underWay.get(number);
    underWay.delete(number);
    if (request) http.closeSSEStream(request.id);
  }

  function pass(message: JSONRPCMessage): void {
    link.transport.send(message).catch(() => {});
  }

  function toClient(message: JSONRPCMessage): void {
    if (!isAnswer(message)) {
      void tell(message, requestFor(message));
      return;
    }
    const request = underWay.get(Number(message.id));
    if (!request) return;
    underWay.delete(Number(message.id));
    void tell({ ...asTheServerSaid(message), id: request.id });
  }

  /** On one pipe nothing says which request a message belongs to, but for progress; the newest is the likeliest. */
  function requestFor(message: JSONRPCMessage): RequestId | undefined {
    const requests = [...underWay.values()];
    if (!('method' in message) || aboutAll.test(message.method)) return undefined;
    if (message.method !== 'notifications/progress') return requests.at(-1)?.id;
    const token = progressTokenOf(message.params);
    return requests.find((request) => request.token === token)?.id;
  }

  async function tell(message: JSONRPCMessage, relatedRequestId?: RequestId): Promise<void> {
    try {
      await http.send(message, { relatedRequestId });
    } catch (error) {
      log.debug('a message of the MCP server could not be passed on', { error });
    }
  }

  /** Nothing more comes of the process: whoever waits is told why, and the session is over. */
  async function abandon(): Promise<void> {
    await link.ended;
    const why = link.failure?.().message ?? 'The MCP server is gone';
    const left = [...underWay.values()];
    underWay.clear();
    const error = { code: -32_603, message: why };
    await Promise.all(left.map(({ id: requestId }) => tell({ jsonrpc: '2.0', id: requestId, error })));
    ended.abort();
  }
}
