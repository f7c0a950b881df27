import { CallerError } from '../../errors.js';
import type { ToolResult } from '../../toolbox.js';
import type { Principal } from '../access/principal.js';
import type { GatewayParts } from '../parts.js';
import type { Endpoint } from './endpoint.js';
import { createKept } from './kept.js';

/** The session that a call belongs to, held until the call has ended. */
export interface HeldSession {
  readonly name: string;
  release(result?: ToolResult): void;
}

/** Sessions of clients that have none by protocol: they name one themselves, or have one per call. */
export interface HeldSessions {
  hold(endpoint: Endpoint, principal: Principal, meta: Meta, callId: string): HeldSession;
  /** The service is gone, and its sessions with it. */
  forget(service: string): void;
  close(): void;
}

type Meta = Readonly<Record<string, unknown>> | undefined;

export const sessionKey = 'mcp-execution/session';
const longestHandle = 128;

export function createHeldSessions(parts: GatewayParts): HeldSessions {
  const { log } = parts;
  const kept = createKept<{ readonly endpoint: Endpoint; readonly name: string; running: number }>({
    idleMs: () => parts.settings.streamIdleMs,
    most: () => parts.settings.maxSessions,
    isInUse: ({ running }) => running > 0,
    end: ({ endpoint, name }) => end(endpoint, name),
  });

  return {
    hold(endpoint, principal, meta, callId) {
      const handle = handleIn(meta);
      if (handle === undefined) return holdForOneCall(endpoint, sessionName(principal, callId));
      const name = sessionName(principal, handle);
      const session = kept.get(`${endpoint.service ?? ''}\n${name}`, () => ({ endpoint, name, running: 0 }));
      session.running++;
      return { name, release: () => void session.running-- };
    },
    forget: (service) => kept.drop(({ endpoint }) => endpoint.service === service),
    close: kept.close,
  };

  function holdForOneCall(endpoint: Endpoint, name: string): HeldSession {
    return {
      name,
      release(result) {
        const isolation = result?.figures?.isolation;
        if (isolation === undefined || isolation === 'session') end(endpoint, name);
      },
    };
  }

  function end(endpoint: Endpoint, name: string): void {
    endpoint.endSession(name).catch((error) => log.warn('a session could not be ended', { error }));
  }
}

/** No two principals have a session of the same name, whatever they call theirs. */
export function sessionName({ id }: Principal, own: string): string {
  return `${encodeURIComponent(id)}/${own}`;
}

function handleIn(meta: Meta): string | undefined {
  const handle = meta?.[sessionKey];
  if (handle === undefined) return undefined;
  if (typeof handle === 'string' && handle !== '' && handle.length <= longestHandle) return handle;
  throw new CallerError('INVALID_REQUEST', `_meta["${sessionKey}"] is a text of 1 to ${longestHandle} characters`);
}
