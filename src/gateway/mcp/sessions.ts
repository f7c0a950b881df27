import { randomUUID } from 'node:crypto';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { CallerError, HostError } from '../../errors.js';
import type { Principal } from '../access/principal.js';
import type { GatewayParts } from '../parts.js';
import { createSession, type Session } from './session.js';

export interface Sessions {
  readonly size: number;
  /** Answers an `initialize`, which begins a session. */
  begin(request: FastifyRequest, reply: FastifyReply, service: string | undefined): Promise<void>;
  /** Nobody is given the session of somebody else, or of another address. */
  find(id: string, service: string | undefined, principal: Principal): Session | undefined;
  /** A service came, went or has other tools. */
  changed(service: string): void;
  close(): void;
}

/** How long calls go on whose client has no connection open. One that wants the answers comes back within seconds. */
const longestAwayMs = 15_000;
/** How long events are kept for a client that may not have received them. */
const longestEventMs = 60_000;
const longestLookMs = 5000;
const looksPerIdle = 4;

export function createSessions(parts: GatewayParts): Sessions {
  const { services, closing } = parts;
  const sessions = new Map<string, Session>();
  const looks = setInterval(look, Math.max(1, Math.min(longestLookMs, parts.settings.streamIdleMs / looksPerIdle)));
  looks.unref();

  return {
    get size() {
      return sessions.size;
    },
    async begin(request, reply, service) {
      if (closing.aborted) throw new HostError('UNAVAILABLE', 'The gateway is being shut down');
      makeRoom(request.principal);
      const session = await createSession(parts, randomUUID(), service, request.principal);
      sessions.set(session.id, session);
      session.ended.addEventListener('abort', () => sessions.delete(session.id), { once: true });
      const status = await session.answer(request, reply, request.body);
      if (status >= 400) session.end();
    },
    find(id, service, principal) {
      const session = sessions.get(id);
      return session?.service === service && session?.principal.id === principal.id ? session : undefined;
    },
    changed(service) {
      for (const session of sessions.values()) {
        if (session.service === service && !services.has(service)) session.end();
        else if (session.service === service || session.service === undefined) session.toolsChanged();
      }
    },
    close() {
      clearInterval(looks);
      for (const session of sessions.values()) session.end();
    },
  };

  function makeRoom({ id }: Principal): void {
    const { maxSessions, maxStreamsPerClient } = parts.settings;
    const own = [...sessions.values()].filter(({ principal }) => principal.id === id);
    if (own.length >= maxStreamsPerClient && !endLongestIdle(own)) {
      const message = `You have ${own.length} MCP sessions, all of them in use, and maxStreamsPerClient permits no more`;
      throw new CallerError('TOO_MANY_REQUESTS', message, { limit: maxStreamsPerClient });
    }
    if (sessions.size >= maxSessions && !endLongestIdle([...sessions.values()])) {
      throw new HostError('UNAVAILABLE', `All ${maxSessions} MCP sessions are in use`, { limit: maxSessions });
    }
  }

  function look(): void {
    const now = performance.now();
    const { streamIdleMs } = parts.settings;
    const awayMs = Math.min(longestAwayMs, streamIdleMs);
    for (const session of sessions.values()) {
      if (parts.admission?.mayReturn(session.principal.id) === false) {
        session.end();
        continue;
      }
      session.forgetEventsBefore(now - Math.min(longestEventMs, streamIdleMs));
      if (session.isListenedTo) continue;
      const idleMs = now - session.usedAt;
      if (session.isCalling && idleMs >= awayMs) session.abandonCalls();
      else if (!session.isCalling && idleMs >= streamIdleMs) session.end();
    }
  }
}

/** Those that somebody listens to, and asks nothing of, go after those that nobody knows of any more. */
function endLongestIdle(sessions: readonly Session[]): boolean {
  const idle = sessions.filter(({ isCalling }) => !isCalling);
  const [first] = idle.sort(
    (one, other) => Number(one.isListenedTo) - Number(other.isListenedTo) || one.usedAt - other.usedAt,
  );
  first?.end();
  return first !== undefined;
}
