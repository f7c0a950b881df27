import {
  isInitializeRequest,
  isJSONRPCNotification,
  type RequestId,
  WebStandardStreamableHTTPServerTransport,
} from '@modelcontextprotocol/server';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { createServer } from '../../server/connection.js';
import { createResultStore } from '../../server/store.js';
import type { Principal } from '../access/principal.js';
import type { GatewayParts } from '../parts.js';
import { AskedRequest, sceneOf } from './asked-request.js';
import { readAsking } from './asking.js';
import type { CallScene } from './calls.js';
import { connectionTo } from './connection.js';
import { endpointFor } from './desks.js';
import { createSessionEvents } from './event-store.js';
import { createGate } from './gate.js';
import { sessionName } from './held-sessions.js';
import { invalidRequest, Refused } from './refusals.js';

/** A session of the 2025 revisions: from `initialize` until it is deleted, or nobody has used it for a while. */
export interface Session {
  readonly id: string;
  readonly service: string | undefined;
  readonly principal: Principal;
  /** When somebody last asked for something or listened. */
  readonly usedAt: number;
  readonly isCalling: boolean;
  readonly isListenedTo: boolean;
  readonly ended: AbortSignal;
  /** Resolves with the status of the answer, when the whole of it is sent or nobody takes it any more. */
  answer(request: FastifyRequest, reply: FastifyReply, body: unknown): Promise<number>;
  /** Cancels the calls under way: whoever asked for them is not coming back for the answers. */
  abandonCalls(): void;
  forgetEventsBefore(time: number): void;
  toolsChanged(): void;
  end(): void;
}

/** How soon a client whose connection was cut should come back. */
const retryMs = 1000;

export async function createSession(
  parts: GatewayParts,
  id: string,
  service: string | undefined,
  first: Principal,
): Promise<Session> {
  const { connections, metrics, log } = parts;
  let principal = first;
  let usedAt = performance.now();
  let answering = 0;
  let calling = 0;
  let listening = 0;
  let isChangeUntold = false;
  let patience = new AbortController();
  const ended = new AbortController();
  const endpoint = endpointFor(parts, service, () => principal);
  const events = createSessionEvents(() => parts.settings.eventBufferBytes);
  const gate = createGate();
  const connection = connectionTo(endpoint, createResultStore(), parts, sceneOf);
  const server = createServer(connection);
  const transport = new WebStandardStreamableHTTPServerTransport({
    sessionIdGenerator: () => id,
    eventStore: events,
    retryInterval: retryMs,
    // The gateway's own heartbeats keep its streams alive.
    keepAliveMs: 0,
  });
  await server.connect(transport);

  return {
    id,
    service,
    get principal() {
      return principal;
    },
    get usedAt() {
      return answering > 0 ? performance.now() : usedAt;
    },
    get isCalling() {
      return calling > 0;
    },
    get isListenedTo() {
      return answering > 0;
    },
    ended: ended.signal,
    async answer(request, reply, body) {
      principal = request.principal;
      const listens = request.method === 'GET' && request.headers['last-event-id'] === undefined ? 1 : 0;
      if (request.method === 'GET') resume(request);
      const asked = new AskedRequest(request, connections.gone(reply.raw), sceneFor(request, reply), connection);
      answering++;
      listening += listens;
      try {
        const response = await transport.handleRequest(asked, { parsedBody: body });
        if (listens && isChangeUntold) tellOfChange();
        for (const cancelled of cancelledBy(body)) endStreamOf(cancelled);
        await connections.respond(request, reply, response, 'mcp-session', gate.pace());
        return response.status;
      } finally {
        answering--;
        listening -= listens;
        usedAt = performance.now();
      }
    },
    abandonCalls() {
      patience.abort();
      patience = new AbortController();
    },
    forgetEventsBefore: events.expire,
    toolsChanged() {
      endpoint.forget();
      tellOfChange();
      isChangeUntold = listening === 0;
    },
    end() {
      if (ended.signal.aborted) return;
      ended.abort();
      server.close().catch((error) => log.debug('the protocol reported an error', { error }));
      const name = sessionName(first, id);
      endpoint.endSession(name).catch((error) => log.warn('a session could not be ended', { error }));
    },
  };

  function tellOfChange(): void {
    isChangeUntold = false;
    server.sendToolListChanged().catch((error) => log.debug('the protocol reported an error', { error }));
  }

  /** A cancelled request has no answer, and without one its stream would stay open for as long as the client lets it. */
  function endStreamOf(requestId: RequestId): void {
    const error = { code: requestCancelled, message: 'The request was cancelled' };
    transport.send({ jsonrpc: '2.0', id: requestId, error }).catch(() => {});
  }

  function sceneFor(request: FastifyRequest, reply: FastifyReply): CallScene {
    const name = sessionName(first, id);
    return {
      endpoint,
      asking: readAsking(request, reply, 'mcp-session'),
      gate,
      signal: patience.signal,
      hold() {
        calling++;
        return { name, release: () => void calling-- };
      },
    };
  }

  /** A connection that was cut may not be known here to be so: the client that asks for its stream again takes it over. */
  function resume({ headers }: FastifyRequest): void {
    const eventId = headers['last-event-id'];
    if (typeof eventId !== 'string') return transport.closeStandaloneSSEStream();
    if (!events.knows(eventId)) {
      throw new Refused(400, invalidRequest, 'What came after this Last-Event-ID is not kept any more.');
    }
    metrics.reconnected('mcp-session');
  }
}

/** As in other protocols on JSON-RPC that have one. */
const requestCancelled = -32_800;

function cancelledBy(body: unknown): RequestId[] {
  return [body].flat().flatMap((message) => {
    if (!isJSONRPCNotification(message) || message.method !== 'notifications/cancelled') return [];
    const id = message.params?.requestId;
    return typeof id === 'string' || typeof id === 'number' ? [id] : [];
  });
}

export function beginsSession(body: unknown, accept: string | undefined): boolean {
  return accept?.includes('text/event-stream') === true && isInitializeRequest(body);
}
