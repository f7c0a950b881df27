import { randomUUID } from 'node:crypto';
import {
  classifyInboundRequest,
  hostHeaderValidationResponse,
  localhostAllowedHostnames,
  localhostAllowedOrigins,
  originValidationResponse,
} from '@modelcontextprotocol/server';
import { openCommand } from '../../../client/command/link.js';
import type { Link } from '../../../client/link.js';
import { type CommandTarget, fillOptions } from '../../../client/target.js';
import type { Log } from '../../../log.js';
import { openDoor, refusal } from './http.js';
import { memberOf } from './messages.js';
import { type BridgeSession, createBridgeSession } from './session.js';
import { createStateless } from './stateless.js';

/** A server that speaks on standard input and output, at an address that only this machine reaches. */
export interface Bridge {
  readonly url: string;
  /** Resolves when every process is gone with all that it started. */
  close(): Promise<void>;
}

export interface BridgeOptions {
  readonly log: Log;
  /** An interpreter for the guard that ends a server's whole tree. */
  readonly python?: string;
}

/** Clients mostly leave without a word, so only the newest sessions that nobody uses are kept. */
const idleSessions = 4;
const mostSessions = 64;
const noSession = -32_001;
const refused = -32_000;

/** Streamable HTTP in front, in either era of the protocol; behind, a process for each session. Nothing is answered here that a server can answer. */
export async function openBridge(target: CommandTarget, { log, python }: BridgeOptions): Promise<Bridge> {
  const options = fillOptions({ log, python });
  const sessions = new Map<string, BridgeSession>();
  const endings = new Set<Promise<unknown>>();
  const start = (): Link => openCommand(target, options);
  const stateless = createStateless(start);
  const door = await openDoor(answer, log);

  return {
    url: `${door.url}/mcp`,
    async close() {
      await door.close();
      for (const session of sessions.values()) end(session);
      await Promise.all([...endings, stateless.close()]);
    },
  };

  async function answer(request: Request, body: unknown): Promise<Response> {
    const isForeign =
      hostHeaderValidationResponse(request, localhostAllowedHostnames()) ??
      originValidationResponse(request, localhostAllowedOrigins());
    if (isForeign) return isForeign;
    if (new URL(request.url).pathname !== '/mcp') {
      return refusal(404, { code: refused, message: 'The MCP server is at /mcp' });
    }
    return request.method === 'POST' ? post(request, body) : inSession(request, undefined);
  }

  async function post(request: Request, body: unknown): Promise<Response> {
    const route = classifyInboundRequest({ httpMethod: 'POST', ...standardHeaders(request.headers), body });
    if (route.kind === 'modern') return stateless.answer(request, route);
    if (route.kind === 'reject') {
      const { httpStatus, code, message, data } = route;
      return refusal(httpStatus, { code, message, data }, idIn(body));
    }
    const begins = memberOf(body, 'method') === 'initialize' && !request.headers.has('mcp-session-id');
    return begins ? begin(request, body) : inSession(request, body);
  }

  async function begin(request: Request, body: unknown): Promise<Response> {
    const idle = [...sessions.values()].filter(({ isInUse }) => !isInUse);
    for (const session of idle.slice(0, Math.max(0, idle.length - idleSessions + 1))) end(session);
    if (sessions.size >= mostSessions) {
      return refusal(503, { code: refused, message: `All ${mostSessions} sessions are in use` }, idIn(body));
    }
    const session = await createBridgeSession(randomUUID(), start(), log);
    sessions.set(session.id, session);
    session.ended.addEventListener('abort', () => end(session), { once: true });
    const response = await session.answer(request, body);
    if (!response.ok) end(session);
    return response;
  }

  async function inSession(request: Request, body: unknown): Promise<Response> {
    const id = request.headers.get('mcp-session-id');
    const session = id === null ? undefined : sessions.get(id);
    if (session) {
      // The one that was used last stands last.
      sessions.delete(session.id);
      sessions.set(session.id, session);
      return session.answer(request, body);
    }
    if (id !== null) return refusal(404, { code: noSession, message: 'Session not found' }, idIn(body));
    const message = 'Bad Request: Mcp-Session-Id header is required';
    return request.method === 'POST'
      ? refusal(400, { code: refused, message }, idIn(body))
      : refusal(405, { code: refused, message }, null, { allow: 'POST' });
  }

  function end(session: BridgeSession): void {
    if (!sessions.delete(session.id)) return;
    const ending = session.end().finally(() => endings.delete(ending));
    endings.add(ending);
  }
}

function standardHeaders(headers: Headers) {
  return {
    protocolVersionHeader: headers.get('mcp-protocol-version') ?? undefined,
    mcpMethodHeader: headers.get('mcp-method') ?? undefined,
    mcpNameHeader: headers.get('mcp-name') ?? undefined,
  };
}

function idIn(body: unknown): string | number | null {
  const id = memberOf(body, 'id');
  return memberOf(body, 'method') !== undefined && (typeof id === 'string' || typeof id === 'number') ? id : null;
}
