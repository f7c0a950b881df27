import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { ExecutionError, errorTable } from '../../errors.js';
import type { Log } from '../../log.js';
import { headersOf, rpcErrorOf } from '../http/failures.js';
import { speaksJsonRpc } from './addresses.js';

/** Lets a request pass, or throws; at once wherever it can. */
export type Gate = (request: FastifyRequest, reply: FastifyReply) => void | Promise<void>;

/** Puts a gate before all routes. What it throws is answered in the words of the address. */
export function addGate(app: FastifyInstance, log: Log, gate: Gate): void {
  app.addHook('onRequest', (request, reply, done) => {
    const refuse = (error: unknown) => {
      if (error instanceof ExecutionError && speaksJsonRpc(request)) answerRpc(reply, error, log);
      else done(error instanceof Error ? error : new Error(String(error)));
    };
    let later: void | Promise<void>;
    try {
      later = gate(request, reply);
    } catch (error) {
      refuse(error);
      return;
    }
    if (later === undefined) done();
    else later.then(() => done(), refuse);
  });
}

function answerRpc(reply: FastifyReply, error: ExecutionError, log: Log): void {
  const body = { jsonrpc: '2.0', error: rpcErrorOf(error, log), id: null };
  reply.code(errorTable[error.code].httpStatus).headers(headersOf(error)).send(body);
}
