import { createMcpHandler, type McpHttpHandler } from '@modelcontextprotocol/server';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { createServer } from '../../server/connection.js';
import { mistakeIn } from '../../server/params.js';
import { openWhenLate, sendLate } from '../http/late.js';
import type { GatewayParts } from '../parts.js';
import { AskedRequest, sceneOf } from './asked-request.js';
import { readAsking } from './asking.js';
import type { CallScene } from './calls.js';
import { connectionTo } from './connection.js';
import type { Desk } from './desks.js';
import { createGate } from './gate.js';
import type { HeldSessions } from './held-sessions.js';
import { busyAnswer, invalidParams, Refused } from './refusals.js';

/** The revision of the protocol that has no sessions: every request says all that is needed to answer it. */
export interface Modern {
  answer(request: FastifyRequest, reply: FastifyReply, body: unknown, desk: Desk): Promise<void>;
  /** A service came, went or has other tools. */
  changed(service: string): void;
  close(): void;
}

export function createModern(parts: GatewayParts, sessions: HeldSessions): Modern {
  const { services, connections, log } = parts;
  const handlers = new Map<string | undefined, McpHttpHandler>();

  return {
    async answer(request, reply, body, desk) {
      refuseMistake(body);
      const { endpoint, store } = desk;
      const asking = readAsking(request, reply, 'mcp');
      const gate = createGate();
      const scene: CallScene = {
        endpoint,
        asking,
        gate,
        hold: (meta, callId) => sessions.hold(endpoint, asking.principal, meta, callId),
      };
      const connection = connectionTo(endpoint, store, parts, sceneOf);
      const asked = new AskedRequest(request, connections.gone(reply.raw), scene, connection);
      const leave = desk.enter();
      try {
        const made = handlerAt(endpoint.service).fetch(asked, { parsedBody: body });
        const late = await openWhenLate(parts, request, reply, made, 'mcp');
        const response = await made;
        if (late) return await sendLate(gate.watch(response), late);
        const busy = busyAnswer(asking.failure);
        if (busy) reply.headers(busy.headers);
        const told = busy ? new Response(response.body, { status: busy.status, headers: response.headers }) : response;
        await connections.respond(request, reply, told, 'mcp', gate.pace());
      } finally {
        leave();
      }
    },
    changed(service) {
      handlers.get(undefined)?.notify.toolsChanged();
      if (services.has(service)) handlers.get(service)?.notify.toolsChanged();
      else close(service);
    },
    close() {
      for (const service of handlers.keys()) close(service);
    },
  };

  function handlerAt(service: string | undefined): McpHttpHandler {
    const found = handlers.get(service);
    if (found) return found;
    const handler = createMcpHandler(
      ({ requestInfo }) => {
        if (requestInfo instanceof AskedRequest) return createServer(requestInfo.connection);
        throw new Error('The request was not made by the gateway');
      },
      {
        legacy: 'reject',
        // The gateway's own heartbeats keep its streams alive.
        keepAliveMs: 0,
        maxSubscriptions: parts.settings.maxSessions,
        onerror: (error) => log.debug('the protocol reported an error', { error }),
      },
    );
    handlers.set(service, handler);
    return handler;
  }

  function close(service: string | undefined): void {
    const handler = handlers.get(service);
    handlers.delete(service);
    handler?.close().catch((error) => log.debug('the protocol reported an error', { error }));
  }
}

/** Before the SDK, which would tell of an internal error. */
function refuseMistake(body: unknown): void {
  if (typeof body !== 'object' || body === null || !('method' in body) || !('params' in body)) return;
  const method = String(body.method);
  const mistake = olderMethods.has(method) ? undefined : mistakeIn(method, body.params);
  if (mistake !== undefined) throw new Refused(400, invalidParams, mistake);
}

/** They are unknown in this revision, which says so by itself. */
const olderMethods: ReadonlySet<string> = new Set(['initialize', 'logging/setLevel']);
