import type { ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import type { FastifyInstance } from 'fastify';
import type { GatewayParts } from '../parts.js';

/** How long answers under way have to leave when the gateway ends. */
const longestLeavingMs = 2000;

/** Lets go of clients that take nothing of their answer, and lets the gateway end only when the answers under way have left. */
export function lookAfterAnswers(app: FastifyInstance, parts: Pick<GatewayParts, 'settings' | 'closing'>): void {
  let underWay = 0;
  let tellNone: (() => void) | undefined;

  app.addHook('onRequest', (_request, reply, done) => {
    underWay++;
    reply.raw.once('close', () => {
      underWay--;
      if (underWay === 0) tellNone?.();
    });
    if (parts.closing.aborted) reply.header('connection', 'close');
    done();
  });
  app.addHook('onSend', (_request, reply, payload, done) => {
    endWhenStuck(reply.raw, parts.settings.bodyTimeoutMs);
    done(null, payload);
  });
  app.addHook('preClose', async () => {
    if (underWay === 0) return;
    await new Promise<void>((resolve) => {
      const late = setTimeout(resolve, longestLeavingMs);
      tellNone = () => {
        clearTimeout(late);
        resolve();
      };
    });
  });
}

/** Until the answer is sent: a connection on which nothing moves for so long is closed. */
export function endWhenStuck(response: ServerResponse, ms: number): void {
  const { socket } = response;
  if (!(socket instanceof Socket) || response.writableFinished) return;
  socket.setTimeout(ms);
  // Before Node's own listener, which sets the time that a connection may wait for its next request.
  response.prependOnceListener('finish', () => socket.setTimeout(0));
}
