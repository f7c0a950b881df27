import { randomUUID } from 'node:crypto';
import type { CallRecord } from '../parts.js';
import type { GatewayCallOptions } from '../service.js';

/** A call that was asked for and is not answered yet. */
export interface UnderWay {
  readonly id: string;
  readonly service: string;
  readonly tool: string;
  readonly options: GatewayCallOptions;
  readonly controller: AbortController;
  readonly askedOn: number;
  readonly askedAt: number;
  startedAt?: number;
  cacheStatus?: string;
}

export function beginCall(service: string, tool: string, options: GatewayCallOptions): UnderWay {
  const { id = randomUUID() } = options;
  const times = { askedOn: Date.now(), askedAt: performance.now() };
  return { id, service, tool, options, controller: new AbortController(), ...times };
}

export function recordOf({ id, service, tool, options, askedOn, askedAt, startedAt }: UnderWay): CallRecord {
  return {
    id,
    service,
    tool,
    client: options.principal.name,
    transport: options.transport,
    state: startedAt === undefined ? 'queued' : 'running',
    askedAt: new Date(askedOn).toISOString(),
    ms: Math.round(performance.now() - askedAt),
  };
}
