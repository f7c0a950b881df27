import type { FastifyRequest } from 'fastify';
import { CallerError } from '../../errors.js';
import { parseTraceParent } from '../../tracing/traceparent.js';
import type { Principal } from '../access/principal.js';
import type { GatewayCallOptions, TransportName } from '../service.js';

/** What the headers of a request ask of its call, its session included. */
export function callOptionsOf(request: FastifyRequest, transport: TransportName): GatewayCallOptions {
  const handle = textIn(request, 'x-session', 128);
  const session = handle === undefined ? {} : { session: sessionOf(request.principal, handle) };
  return { ...callHeadersOf(request, transport), ...session };
}

/** The same where sessions are named in another way. Throws INVALID_REQUEST where a header is not in its form. */
export function callHeadersOf(request: FastifyRequest, transport: TransportName): GatewayCallOptions {
  const { id, principal, headers } = request;
  const timeoutMs = numberIn(request, 'x-timeout-ms', /^[1-9]\d{0,9}$/, 'milliseconds, as a whole number from 1');
  const priority = numberIn(request, 'x-priority', /^-?\d{1,3}$/, 'a whole number from -999 to 999');
  const idempotencyKey = textIn(request, 'idempotency-key', 255);
  return {
    id,
    principal,
    transport,
    ...(timeoutMs !== undefined && { timeoutMs }),
    ...(priority !== undefined && { priority }),
    ...(idempotencyKey !== undefined && { idempotencyKey }),
    ...(typeof headers.traceparent === 'string' &&
      parseTraceParent(headers.traceparent) && { traceparent: headers.traceparent }),
  };
}

/** A client's name for a session means only that client's session. A handle has no space, so that no two clients share one. */
export function sessionOf({ id }: Pick<Principal, 'id'>, handle: string): string {
  return `${id} ${handle}`;
}

function numberIn(request: FastifyRequest, name: string, form: RegExp, wanted: string): number | undefined {
  const text = request.headers[name];
  if (text === undefined) return undefined;
  if (typeof text !== 'string' || !form.test(text)) throw wrongHeader(name, wanted);
  return Number(text);
}

function textIn(request: FastifyRequest, name: string, maxLength: number): string | undefined {
  const text = request.headers[name];
  if (text === undefined) return undefined;
  if (typeof text !== 'string' || text.length > maxLength || !/^[\x21-\x7e]+$/.test(text)) {
    throw wrongHeader(name, `1 to ${maxLength} visible characters of ASCII, without spaces`);
  }
  return text;
}

function wrongHeader(name: string, wanted: string): CallerError {
  return new CallerError('INVALID_REQUEST', `The header ${name} takes ${wanted}`);
}
