import type { FastifyReply, FastifyRequest } from 'fastify';
import { type ExecutionError, errorTable, isErrorCode } from '../../errors.js';
import type { Log } from '../../log.js';
import { failureOf, headersOf } from '../http/failures.js';

/** A request that is answered with an error of JSON-RPC, by its number. */
export class Refused extends Error {
  constructor(
    readonly status: number,
    readonly code: number,
    message: string,
    readonly headers: Readonly<Record<string, string>> = {},
  ) {
    super(message);
  }
}

export const parseError = -32_700;
export const invalidRequest = -32_600;
export const invalidParams = -32_602;
const internalError = -32_603;
/** What clients know a session by that is not there any more. */
const noSession = -32_001;

export function unknownSession(): Refused {
  return new Refused(404, noSession, 'There is no such session, or it has ended. Begin a new one with initialize.');
}

/** Whoever knows HTTP alone learns from the status that the gateway is busy, and from a header for how long. */
export function busyAnswer(failure: ExecutionError | undefined) {
  if (!failure) return undefined;
  const status = errorTable[failure.code].httpStatus;
  return status === 429 || status === 503 ? { status, headers: headersOf(failure) } : undefined;
}

/** Whatever goes wrong at an MCP address is answered in the form that its clients read. */
export function answerRefusal(thrown: unknown, request: FastifyRequest, reply: FastifyReply, log: Log): FastifyReply {
  const id = idIn(request.body);
  if (thrown instanceof Refused) {
    const { status, headers, code, message } = thrown;
    return reply.code(status).headers(headers).send({ jsonrpc: '2.0', id, error: { code, message } });
  }
  const { status, headers, body } = failureOf(thrown, log);
  const { message, ...data } = body.error;
  return reply
    .code(status)
    .headers(headers)
    .send({ jsonrpc: '2.0', id, error: { code: numberOf(data.code), message, data } });
}

function numberOf(code: string): number {
  const row = isErrorCode(code) ? errorTable[code].mcp : undefined;
  return row?.outcome === 'error' ? row.code : internalError;
}

/** The id that an answer to a body has to bear, as far as it has one. */
function idIn(body: unknown): string | number | null {
  if (typeof body !== 'object' || body === null || !('id' in body) || !('method' in body)) return null;
  return typeof body.id === 'string' || typeof body.id === 'number' ? body.id : null;
}
