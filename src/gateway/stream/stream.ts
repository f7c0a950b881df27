import { ProtocolError } from '@modelcontextprotocol/server';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { CallerError, type ErrorCode, ExecutionError, errorTable } from '../../errors.js';
import { callOptionsOf, sessionOf } from '../http/call-headers.js';
import { headersOf, rpcErrorOf } from '../http/failures.js';
import type { Area, GatewayParts } from '../parts.js';
import { answerOn } from './answering.js';
import { type LastEvent, lastEventOf, parameterOf, streamNamedBy, wantsOne } from './asked.js';
import { idIn, readStreamMessage } from './message.js';
import { createStreamRegistry, type OpenStream, type StreamOwner, type StreamRegistry } from './registry.js';

/** Answers a POST that names a stream; false where it names none. */
export type ToStream = (request: FastifyRequest, reply: FastifyReply, body: unknown) => Promise<boolean>;

export interface Streams {
  /** The addresses at which streams are opened and ended. */
  readonly register: Area;
  readonly accept: ToStream;
}

/** Streams to which the frames of requests go that were sent by POST. */
export function createStreams(parts: GatewayParts): Streams {
  const registry = createStreamRegistry(parts, (stream) => endSession(stream, parts));
  return {
    register(app) {
      const config = { scope: 'call' } as const;
      // A HEAD request would open a stream that nobody can hear.
      app.get('/api/v1/stream/:service', { config, exposeHeadRoute: false }, async (request, reply) => {
        const last = lastEventOf(request);
        return last ? resume(last, request, reply, registry, parts) : open(request, reply, registry, parts);
      });
      app.delete('/api/v1/stream/:service/:stream', { config }, async (request, reply) => {
        registry.end(registry.find(parameterOf(request, 'stream'), ownerIn(request)));
        return reply.code(204).send();
      });
    },
    async accept(request, reply, body) {
      const named = streamNamedBy(request);
      if (named === undefined) return false;
      try {
        await take(registry.find(named, ownerIn(request)), body, request, reply, parts);
      } catch (error) {
        await refuse(error, body, reply, parts);
      }
      return true;
    },
  };
}

const reconnectMs = 1000;

function open(request: FastifyRequest, reply: FastifyReply, registry: StreamRegistry, parts: GatewayParts): void {
  const owner = ownerIn(request);
  parts.services.get(owner.service);
  const stream = registry.create({ ...owner, isOnce: wantsOne(request) });
  const { id, service } = stream;
  const post = `/api/v1/mcp/${encodeURIComponent(service)}?stream=${id}`;
  const first = { event: 'stream', id: `${id}.0`, data: JSON.stringify({ stream: id, service, post }) };
  try {
    const connection = parts.connections.open(request, reply, { kind: 'stream', first });
    void connection.write(`retry: ${reconnectMs}\n\n`);
    stream.channel.listen(connection, 0);
  } catch (error) {
    registry.end(stream);
    throw error;
  }
}

function resume(
  { stream: id, number }: LastEvent,
  request: FastifyRequest,
  reply: FastifyReply,
  registry: StreamRegistry,
  parts: GatewayParts,
): FastifyReply | undefined {
  const stream = registry.find(id, ownerIn(request));
  const { channel } = stream;
  if (number > channel.last) {
    throw new CallerError('INVALID_REQUEST', `The newest event of this stream is ${id}.${channel.last}`);
  }
  // A browser comes back whenever a stream ends, until it is told that there is nothing more.
  if (channel.isComplete && number === channel.last) return reply.code(204).send();
  // Who comes back may not have noticed yet that the old connection is gone, and must not count twice.
  channel.leave();
  const connection = parts.connections.open(request, reply, { kind: 'stream' });
  parts.metrics.reconnected('stream');
  registry.heard(stream);
  channel.listen(connection, number);
  return undefined;
}

async function take(
  stream: OpenStream,
  body: unknown,
  request: FastifyRequest,
  reply: FastifyReply,
  parts: GatewayParts,
): Promise<void> {
  const message = readStreamMessage(body);
  if (!('id' in message)) {
    if (message.method === 'notifications/cancelled') stream.calls.get(message.request)?.abort();
    await reply.code(202).send();
    return;
  }
  const { toolbox } = parts.services.get(stream.service);
  const options = { session: sessionOfStream(stream), ...callOptionsOf(request, 'stream') };
  checkRoom(stream, message.id, parts);
  void answerOn(stream, message, toolbox, options, parts.log);
  await reply.code(202).send({ id: message.id, request: request.id });
}

function checkRoom({ calls, isOnce, channel }: OpenStream, id: string | number, parts: GatewayParts): void {
  const { maxRunningPerClient } = parts.settings;
  if (isOnce && (calls.size > 0 || channel.isComplete)) {
    throw new CallerError('CONFLICT', 'This stream was opened with "once" and has its request; open another stream');
  }
  if (calls.has(id)) {
    const message = `The id ${JSON.stringify(id)} belongs to a request that is under way on this stream; give another`;
    throw new CallerError('CONFLICT', message);
  }
  if (calls.size >= maxRunningPerClient) {
    const message = `${calls.size} requests are under way on this stream, and maxRunningPerClient permits no more`;
    throw new CallerError('TOO_MANY_REQUESTS', message, { limit: maxRunningPerClient, retryAfterMs: reconnectMs });
  }
}

/** Whoever waits for JSON-RPC is refused in JSON-RPC. */
async function refuse(error: unknown, body: unknown, reply: FastifyReply, { log }: GatewayParts): Promise<void> {
  const answer = { jsonrpc: '2.0', id: idIn(body) ?? null, error: rpcErrorOf(error, log) };
  if (error instanceof ExecutionError) reply.headers(headersOf(error));
  await reply.code(statusOf(error)).send(answer);
}

function statusOf(error: unknown): number {
  if (!(error instanceof ExecutionError)) return error instanceof ProtocolError ? 400 : 500;
  const code: ErrorCode = error.code;
  return errorTable[code].httpStatus;
}

function ownerIn(request: FastifyRequest): StreamOwner {
  return { service: parameterOf(request, 'service'), client: request.principal.id };
}

/** What a script keeps between calls lasts as long as the stream, unless the client names a session of its own. */
function sessionOfStream({ id, client }: OpenStream): string {
  return sessionOf({ id: client }, `stream-${id}`);
}

function endSession(stream: OpenStream, { services, log }: GatewayParts): void {
  const { service } = stream;
  if (!services.has(service)) return;
  services
    .get(service)
    .endSession(sessionOfStream(stream))
    .catch((error: unknown) => log.warn('the session of a stream could not be ended', { service, error }));
}
