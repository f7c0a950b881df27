import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { checkMessage } from '../../server/messages.js';
import { onceAnswered } from '../last-answers.js';
import type { GatewayParts } from '../parts.js';
import { takeJsonBodies } from './body.js';
import { createDesks } from './desks.js';
import { isModern } from './era.js';
import { createHeldSessions } from './held-sessions.js';
import { createLegacySse } from './legacy-sse.js';
import { createModern } from './modern.js';
import { answerPlain } from './plain.js';
import { answerRefusal, Refused, unknownSession } from './refusals.js';
import { beginsSession } from './session.js';
import { createSessions } from './sessions.js';

export interface McpOptions {
  /** Asked first where a posted request names an event stream that its answers go to; true where it took the request. */
  readonly toStream?: (request: FastifyRequest, reply: FastifyReply, body: unknown) => boolean | Promise<boolean>;
  /** Given what tells how many sessions there are, of all forms of the protocol that have any. */
  readonly onCounted?: (countSessions: () => number) => void;
}

/** MCP over HTTP in each of its forms, and JSON-RPC for those that know nothing of MCP. */
export async function registerMcp(app: FastifyInstance, parts: GatewayParts, options: McpOptions = {}): Promise<void> {
  const { services, log } = parts;
  const held = createHeldSessions(parts);
  const desks = createDesks(parts);
  const sessions = createSessions(parts);
  const modern = createModern(parts, held);
  const legacySse = createLegacySse(parts);
  options.onCounted?.(() => sessions.size + legacySse.size);

  await app.register(async (scope) => {
    takeJsonBodies(scope);
    scope.setErrorHandler((error, request, reply) => answerRefusal(error, request, reply, log));
    const route = { config: { scope: 'call' }, exposeHeadRoute: false } as const;
    for (const address of ['/api/v1/mcp/:service', '/mcp']) {
      scope.post(address, route, post);
      scope.get(address, route, inSession);
      scope.delete(address, route, inSession);
    }
    for (const address of ['/api/v1/sse/:service', '/sse']) {
      scope.get(address, route, (request, reply) => legacySse.open(request, reply, serviceOf(request)));
      scope.post(`${address}/messages`, route, (request, reply) =>
        legacySse.post(request, reply, serviceOf(request), fieldOf(request.query, 'session')),
      );
    }
  });

  const stopListening = onceAnswered(services, (id) => {
    desks.changed(id);
    sessions.changed(id);
    modern.changed(id);
    legacySse.changed(id);
    if (!services.has(id)) held.forget(id);
  });
  app.addHook('onClose', async () => {
    stopListening();
    sessions.close();
    modern.close();
    desks.close();
    held.close();
  });

  async function post(request: FastifyRequest, reply: FastifyReply): Promise<void> {
    const { body, headers, principal } = request;
    const service = serviceOf(request);
    const isForStream = options.toStream && service !== undefined && namesStream(request);
    if (isForStream && (await options.toStream?.(request, reply, body))) return;
    const desk = desks.of(service, principal);
    if (isModern(request, body)) return modern.answer(request, reply, body, desk);
    if (headers['mcp-session-id'] !== undefined) return inSession(request, reply);
    if (!beginsSession(body, headers.accept)) return answerPlain(request, reply, body, { parts, desk, sessions: held });
    await sessions.begin(request, reply, service);
  }

  async function inSession(request: FastifyRequest, reply: FastifyReply): Promise<void> {
    const { method, headers, principal, body } = request;
    const id = headers['mcp-session-id'];
    if (id === undefined)
      throw new Refused(405, notAllowed, `${method} needs the header Mcp-Session-Id.`, { allow: 'POST' });
    const session = typeof id === 'string' ? sessions.find(id, serviceOf(request), principal) : undefined;
    if (!session) throw unknownSession();
    if (method === 'DELETE') {
      session.end();
      await reply.code(200).send();
    } else await session.answer(request, reply, checkedBody(body));
  }
}

const notAllowed = -32_000;

/** One message as the SDK takes it, which passes over one that has more members than it knows; batches are left to it. */
function checkedBody(body: unknown): unknown {
  if (body === undefined || Array.isArray(body)) return body;
  const checked = checkMessage(body);
  if (checked.kind === 'refused') {
    const { code, message } = checked.refusal.error;
    throw new Refused(400, code, message);
  }
  return checked.kind === 'response' ? body : checked.message;
}

function serviceOf({ params }: FastifyRequest): string | undefined {
  const id = fieldOf(params, 'service');
  return typeof id === 'string' ? id : undefined;
}

function namesStream({ query, headers }: FastifyRequest): boolean {
  return headers['x-stream-id'] !== undefined || fieldOf(query, 'stream') !== undefined;
}

function fieldOf(record: unknown, name: string): unknown {
  return typeof record === 'object' && record !== null ? Reflect.get(record, name) : undefined;
}
