import type { ServerContext } from '@modelcontextprotocol/server';
import type { FastifyRequest } from 'fastify';
import type { Connection } from '../../server/connection.js';
import type { CallScene } from './calls.js';

/** A request in the form that the SDK takes, with what answers it. Its body is parsed already and goes beside it. */
export class AskedRequest extends Request {
  constructor(
    { method, headers }: FastifyRequest,
    signal: AbortSignal,
    readonly scene: CallScene,
    readonly connection: Connection,
  ) {
    super('http://localhost/', { method, headers: webHeaders(headers) });
    // The given one itself: a Request would follow it with one of its own, at a price that every call would pay.
    Object.defineProperty(this, 'signal', { value: signal });
  }
}

export function sceneOf({ http }: ServerContext): CallScene | undefined {
  return http?.req instanceof AskedRequest ? http.req.scene : undefined;
}

/** The headers that the SDK looks at. */
const passedOn = [
  'content-type',
  'last-event-id',
  'mcp-method',
  'mcp-name',
  'mcp-protocol-version',
  'mcp-session-id',
] as const;

function webHeaders(headers: FastifyRequest['headers']): Record<string, string> {
  const passed: Record<string, string> = { accept: acceptOf(headers.accept) };
  for (const name of passedOn) {
    const value = headers[name];
    if (typeof value === 'string') passed[name] = value;
  }
  return passed;
}

/** Whoever takes anything, or says nothing, takes both forms of an answer. */
function acceptOf(accept: string | undefined): string {
  const isAnything = accept === undefined || accept.split(',').some((part) => part.trim().startsWith('*/*'));
  return isAnything ? 'application/json, text/event-stream' : accept;
}
