import type { FastifyReply, FastifyRequest } from 'fastify';
import { CallerError, type ExecutionError } from '../../errors.js';
import type { Principal } from '../access/principal.js';
import { parseTraceParent } from '../observe/traceparent.js';
import type { GatewayCallOptions, TransportName } from '../service.js';

/** What the calls that one HTTP request brings have in common. */
export interface Asking {
  readonly principal: Principal;
  readonly transport: TransportName;
  /** Why the last call of it that failed did so. */
  failure: ExecutionError | undefined;
  /** The options of its next call. */
  nextCall(): CallMarks;
}

type CallMarks = Omit<GatewayCallOptions, 'session' | 'signal' | 'onEvent'>;

const longestKey = 255;
const longestTimeoutMs = 2 ** 31 - 1;

/** Throws INVALID_REQUEST where a header about calls is not in its form. */
export function readAsking(request: FastifyRequest, reply: FastifyReply, transport: TransportName): Asking {
  const { principal, headers, id } = request;
  const { traceparent } = headers;
  const key = textOf(headers, 'idempotency-key');
  if (key !== undefined && (key === '' || key.length > longestKey)) {
    throw invalid(`The header Idempotency-Key has 1 to ${longestKey} characters`);
  }
  const timeoutMs = numberOf(headers, 'x-timeout-ms');
  if (timeoutMs !== undefined && (timeoutMs < 1 || timeoutMs > longestTimeoutMs)) {
    throw invalid('The header X-Timeout-Ms is a number of milliseconds, 1 or more');
  }
  const priority = numberOf(headers, 'x-priority');
  const common = {
    principal,
    transport,
    caller: principal.id,
    ...(timeoutMs !== undefined && { timeoutMs }),
    ...(priority !== undefined && { priority }),
    ...(typeof traceparent === 'string' && parseTraceParent(traceparent) && { traceparent }),
    onCacheStatus: (status: string) => {
      if (!reply.sent) reply.header('cache-status', status);
    },
  };
  let calls = 0;
  return {
    principal,
    transport,
    failure: undefined,
    nextCall() {
      const suffix = ++calls === 1 ? '' : `-${calls}`;
      return { ...common, id: `${id}${suffix}`, ...(key !== undefined && { idempotencyKey: `${key}${suffix}` }) };
    },
  };
}

function textOf(headers: FastifyRequest['headers'], name: string): string | undefined {
  const value = headers[name];
  return Array.isArray(value) ? value.join() : value;
}

function numberOf(headers: FastifyRequest['headers'], name: string): number | undefined {
  const text = textOf(headers, name);
  if (text === undefined) return undefined;
  if (/^-?\d{1,10}$/.test(text)) return Number(text);
  throw invalid(`The header ${name} is a whole number; got ${JSON.stringify(text.slice(0, 40))}`);
}

function invalid(message: string): CallerError {
  return new CallerError('INVALID_REQUEST', message);
}
