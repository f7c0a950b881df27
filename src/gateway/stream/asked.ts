import type { FastifyRequest } from 'fastify';
import { CallerError } from '../../errors.js';

/** Which stream a POST is for, if it is for one. */
export function streamNamedBy(request: FastifyRequest): string | undefined {
  return queryOf(request, 'stream') ?? headerOf(request, 'x-stream-id');
}

export interface LastEvent {
  readonly stream: string;
  readonly number: number;
}

/** What a client that comes back has heard last: browsers send the header by themselves, others may write it into the address. */
export function lastEventOf(request: FastifyRequest): LastEvent | undefined {
  const id = headerOf(request, 'last-event-id') ?? queryOf(request, 'lastEventId');
  if (id === undefined || id === '') return undefined;
  const [, stream, number] = /^([\w-]{1,64})\.(\d{1,15})$/.exec(id) ?? [];
  if (stream === undefined || number === undefined) {
    throw new CallerError('INVALID_REQUEST', 'Last-Event-ID is not the id of an event of a stream; leave it out');
  }
  return { stream, number: Number(number) };
}

export function wantsOne(request: FastifyRequest): boolean {
  const once = queryOf(request, 'once');
  if (once === undefined || once === 'false' || once === '0') return false;
  if (once === '' || once === 'true' || once === '1') return true;
  throw new CallerError('INVALID_REQUEST', '"once" is true or false');
}

export function parameterOf({ params }: FastifyRequest, name: string): string {
  const value: unknown = typeof params === 'object' && params !== null ? Reflect.get(params, name) : undefined;
  return typeof value === 'string' ? value : '';
}

function queryOf({ query }: FastifyRequest, name: string): string | undefined {
  const value: unknown = typeof query === 'object' && query !== null ? Reflect.get(query, name) : undefined;
  if (value === undefined) return undefined;
  if (typeof value !== 'string') throw new CallerError('INVALID_REQUEST', `"${name}" stands in the address twice`);
  return value;
}

function headerOf({ headers }: FastifyRequest, name: string): string | undefined {
  const value = headers[name];
  return typeof value === 'string' ? value : undefined;
}
