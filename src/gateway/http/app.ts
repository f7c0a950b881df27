import { randomUUID } from 'node:crypto';
import compress from '@fastify/compress';
import Fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify';
import { CallerError } from '../../errors.js';
import type { Area, GatewayParts } from '../parts.js';
import { lookAfterAnswers } from './answers.js';
import { judgeArrivals } from './arrivals.js';
import { failureOf } from './failures.js';
import { recordMethods } from './methods.js';
import { answerUnreadable, isLate } from './unreadable.js';

/** How often connections are looked at for requests that take too long to arrive. */
const lookAtConnectionsMs = 1000;
const longestParameter = 256;
/** Clients are told whole seconds, so that one that asks in the last of them does not meet a connection that is being closed. */
const keptAliveMs = 72_999;

/** The application with its areas, not listening yet. */
export async function createApp(parts: GatewayParts, areas: readonly Area[]): Promise<FastifyInstance> {
  const { settings, log } = parts;
  const app = Fastify({
    logger: false,
    bodyLimit: settings.maxBodyBytes,
    requestTimeout: settings.bodyTimeoutMs,
    frameworkErrors: (error, _request, reply) => answer(error, reply),
    keepAliveTimeout: keptAliveMs,
    clientErrorHandler(error, socket) {
      const refuse = () => answerUnreadable(error, socket, log);
      if (isLate(error)) judge(socket, refuse);
      else refuse();
    },
    // Calls are refused by themselves when the gateway ends, in the form of all other answers.
    return503OnClosing: false,
    // One machine in front: what stands further left in the header anybody could have written.
    trustProxy: (_address, hop) => settings.trustProxy && hop < 1,
    genReqId: () => randomUUID(),
    routerOptions: { maxParamLength: longestParameter, ignoreTrailingSlash: true },
    // Names in JSON are data here, whatever they mean to JavaScript.
    onProtoPoisoning: 'ignore',
    onConstructorPoisoning: 'ignore',
    forceCloseConnections: true,
    http: {
      connectionsCheckingInterval: Math.min(lookAtConnectionsMs, settings.bodyTimeoutMs),
      // Node looks at the time of a whole request only where that of its headers is no longer.
      headersTimeout: settings.bodyTimeoutMs,
      // The check of names refuses it, and says why.
      requireHostHeader: false,
    },
  });
  const judge = judgeArrivals(app.server, settings.bodyTimeoutMs);
  app.server.maxConnections = settings.maxConnections;
  // Whoever sends text where JSON is asked for learns that, and not what is wrong with the text.
  app.removeContentTypeParser('text/plain');
  lookAfterAnswers(app, parts);
  const methods = recordMethods(app);
  app.addHook('onRequest', async (request, reply) => {
    reply.header('x-request-id', request.id);
  });
  app.setErrorHandler((error, request, reply) => {
    readOn(request, reply);
    return answer(error, reply);
  });
  app.setNotFoundHandler((request, reply) => {
    const allowed = methods.at(request.url);
    const isKnown = allowed.length > 0;
    const told = isKnown
      ? `${request.method} is not among the methods of this address: ${allowed.join(', ')}`
      : 'There is nothing at this address; /openapi.json lists what there is';
    const { body } = failureOf(new CallerError('INVALID_REQUEST', told), log);
    if (isKnown) reply.header('allow', allowed.join(', '));
    return reply.code(isKnown ? 405 : 404).send(body);
  });
  await app.register(compress, { global: true, threshold: settings.compressFromBytes, encodings: ['br', 'gzip'] });
  for (const area of areas) await area(app, parts);
  return app;

  /** What still comes of a refused body is read and dropped: a connection that is closed before that is reset, and its answer lost. */
  function readOn(request: FastifyRequest, reply: FastifyReply): void {
    if (request.raw.complete || parts.closing.aborted) return;
    reply.removeHeader('connection');
    request.raw.resume();
  }

  function answer(error: unknown, reply: FastifyReply): FastifyReply {
    const { status, headers, body } = failureOf(error, log);
    return reply.code(status).headers(headers).send(body);
  }
}
