import type { FastifyReply, FastifyRequest } from 'fastify';
import { partOf } from '../../server/streaming.js';
import type { JsonObject } from '../../toolbox.js';
import { callOptionsOf } from '../http/call-headers.js';
import type { GatewayParts } from '../parts.js';
import type { GatewayCallOptions, Service } from '../service.js';
import { type Outcome, outcomeOf } from './outcome.js';

export interface AskedCall {
  readonly service: Service;
  readonly tool: string;
  readonly args: JsonObject;
}

/** One call, answered as JSON when it has ended. */
export async function answerWhole(
  asked: AskedCall,
  request: FastifyRequest,
  reply: FastifyReply,
  parts: GatewayParts,
): Promise<FastifyReply> {
  const outcome = await call(asked, parts, {
    ...callOptionsOf(request, 'rest'),
    signal: parts.connections.gone(reply.raw),
    onCacheStatus: (status) => void reply.header('cache-status', status),
  });
  if (!outcome.isDone) reply.code(outcome.failure.status).headers(outcome.failure.headers);
  const body = JSON.stringify(bodyOf(outcome));
  parts.metrics.sent('json', Buffer.byteLength(body));
  return reply.type('application/json; charset=utf-8').send(body);
}

/** The same call with its output as it is written: events `partial`, and then one `result` or `error`. */
export async function answerLive(
  asked: AskedCall,
  request: FastifyRequest,
  reply: FastifyReply,
  parts: GatewayParts,
): Promise<void> {
  const options = callOptionsOf(request, 'rest');
  const stream = parts.connections.open(request, reply, { kind: 'rest' });
  const outcome = await call(asked, parts, {
    ...options,
    signal: stream.closed,
    onEvent: (event) => stream.send({ event: 'partial', data: JSON.stringify(partOf(event)) }),
  });
  const event = outcome.isDone ? 'result' : 'error';
  await stream.send({ event, data: JSON.stringify(bodyOf(outcome)) });
  stream.close();
}

function call({ service, tool, args }: AskedCall, { log }: GatewayParts, options: GatewayCallOptions) {
  return outcomeOf(() => service.toolbox.call(tool, args, options), log);
}

function bodyOf(outcome: Outcome): object {
  return outcome.isDone ? outcome.answer : { ...outcome.failure.body, ...outcome.answer };
}
