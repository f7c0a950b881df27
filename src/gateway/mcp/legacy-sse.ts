import { randomUUID } from 'node:crypto';
import type { RequestId, Transport } from '@modelcontextprotocol/server';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { HostError } from '../../errors.js';
import { createServer } from '../../server/connection.js';
import { answeredId, checkMessage, idInUse } from '../../server/messages.js';
import { createResultStore } from '../../server/store.js';
import type { EventStream, GatewayParts } from '../parts.js';
import { type Asking, readAsking } from './asking.js';
import { connectionTo } from './connection.js';
import { endpointFor } from './desks.js';
import { sessionName } from './held-sessions.js';
import { unknownSession } from './refusals.js';

/** The transport of 2024: one stream of events per client, and messages posted to the address that its first event names. */
export interface LegacySse {
  readonly size: number;
  open(request: FastifyRequest, reply: FastifyReply, service: string | undefined): Promise<void>;
  post(request: FastifyRequest, reply: FastifyReply, service: string | undefined, session: unknown): Promise<void>;
  /** A service came, went or has other tools. */
  changed(service: string): void;
}

interface Listener {
  readonly service: string | undefined;
  readonly client: string;
  take(asking: Asking, body: unknown): void;
  toolsChanged(): void;
  close(): void;
}

export function createLegacySse(parts: GatewayParts): LegacySse {
  const { services, connections } = parts;
  const listeners = new Map<string, Listener>();

  return {
    get size() {
      return listeners.size;
    },
    async open(request, reply, service) {
      if (service !== undefined) services.get(service);
      const { maxSessions } = parts.settings;
      if (listeners.size >= maxSessions) {
        throw new HostError('UNAVAILABLE', `All ${maxSessions} sessions of HTTP with SSE are in use`);
      }
      const id = randomUUID();
      const path = request.url.split('?', 1)[0]?.replace(/\/$/, '');
      const first = { event: 'endpoint', data: `${path}/messages?session=${id}` };
      const stream = connections.open(request, reply, { kind: 'legacy-sse', first });
      listeners.set(id, await listen(parts, { id, service, stream, request }));
      stream.closed.addEventListener('abort', () => listeners.delete(id), { once: true });
      if (stream.closed.aborted) listeners.delete(id);
    },
    async post(request, reply, service, session) {
      const listener = typeof session === 'string' ? listeners.get(session) : undefined;
      if (listener?.service !== service || listener?.client !== request.principal.id) throw unknownSession();
      listener.take(readAsking(request, reply, 'legacy-sse'), request.body);
      await reply.code(202).type('text/plain').send('Accepted');
    },
    changed(service) {
      for (const listener of listeners.values()) {
        if (listener.service === service && !services.has(service)) listener.close();
        else if (listener.service === service || listener.service === undefined) listener.toolsChanged();
      }
    },
  };
}

interface ListenOptions {
  readonly id: string;
  readonly service: string | undefined;
  readonly stream: EventStream;
  readonly request: FastifyRequest;
}

async function listen(parts: GatewayParts, { id, service, stream, request }: ListenOptions): Promise<Listener> {
  const { log } = parts;
  let { principal } = request;
  const name = sessionName(principal, id);
  const endpoint = endpointFor(parts, service, () => principal);
  const underWay = new Map<RequestId, Asking>();
  const transport: Transport = {
    async start() {},
    async send(message) {
      const answered = answeredId(message);
      if (answered !== undefined) underWay.delete(answered);
      await write(message);
    },
    async close() {
      stream.close();
    },
  };
  const connection = connectionTo(endpoint, createResultStore(), parts, ({ mcpReq }) => {
    const asking = underWay.get(mcpReq.id);
    return asking && { endpoint, asking, hold: () => ({ name, release: () => {} }) };
  });
  const server = createServer(connection);
  await server.connect(transport);
  const end = () => {
    transport.onclose?.();
    endpoint.endSession(name).catch((error) => log.warn('a session could not be ended', { error }));
  };
  if (stream.closed.aborted) end();
  else stream.closed.addEventListener('abort', end, { once: true });

  return {
    service,
    client: principal.id,
    take(asking, body) {
      principal = asking.principal;
      const checked = checkMessage(body);
      if (checked.kind === 'response') return;
      if (checked.kind === 'refused') return void write(checked.refusal);
      const { message } = checked;
      if (checked.kind === 'request') {
        const { id: requestId } = checked.message;
        if (underWay.has(requestId)) return void write(idInUse(requestId));
        underWay.set(requestId, asking);
      } else if (message.method === 'notifications/cancelled') forget(message.params?.requestId);
      transport.onmessage?.(message);
    },
    toolsChanged() {
      endpoint.forget();
      server.sendToolListChanged().catch((error) => log.debug('the protocol reported an error', { error }));
    },
    close: stream.close,
  };

  function write(message: object): Promise<void> | undefined {
    return stream.send({ event: 'message', data: JSON.stringify(message) });
  }

  /** A cancelled request is never answered. */
  function forget(requestId: unknown): void {
    if (typeof requestId === 'string' || typeof requestId === 'number') underWay.delete(requestId);
  }
}
