import { isInitializeRequest, WebStandardStreamableHTTPServerTransport } from '@modelcontextprotocol/server';
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
  const { connections, settings, metrics, log } = parts;
  let principal = first;
  let usedAt = performance.now();
  let answering = 0;
  let calling = 0;
  let listening = 0;
  let isChangeUntold = false;
  let patience = new AbortController();
  const ended = new AbortController();
  const endpoint = endpointFor(parts, service, () => principal);
  const events = createSessionEvents(() => settings.eventBufferBytes);
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
      const listens = request.method === 'GET' ? 1 : 0;
      if (listens) resume(request);
      const asked = new AskedRequest(request, connections.gone(reply.raw), sceneFor(request, reply), connection);
      answering++;
      listening += listens;
      try {
        const response = await transport.handleRequest(asked, { parsedBody: body });
        if (listens && isChangeUntold) tellOfChange();
        await connections.respond(request, reply, gate.watch(response), 'mcp-session');
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
      if (listening > 0) tellOfChange();
      else isChangeUntold = true;
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

export function beginsSession(body: unknown, accept: string | undefined): boolean {
  return accept?.includes('text/event-stream') === true && isInitializeRequest(body);
}
