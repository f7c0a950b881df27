import type { FastifyReply, FastifyRequest } from 'fastify';
import type { ExecutionError } from '../../errors.js';
import type { Principal } from '../access/principal.js';
import { callHeadersOf } from '../http/call-headers.js';
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

/** Throws INVALID_REQUEST where a header about calls is not in its form. */
export function readAsking(request: FastifyRequest, reply: FastifyReply, transport: TransportName): Asking {
  const { principal } = request;
  const { id, idempotencyKey: key, ...headers } = callHeadersOf(request, transport);
  const common = {
    ...headers,
    caller: principal.id,
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
