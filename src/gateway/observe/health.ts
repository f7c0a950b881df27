import type { Principal } from '../access/principal.js';
import { maySee } from '../access/visible.js';
import type { Area, GatewayParts } from '../parts.js';
import type { Service } from '../service.js';

type Status = 'ready' | 'starting' | 'failing' | 'draining';

/** A service as its health page shows it. */
interface ServiceHealth {
  readonly id: string;
  readonly status: Status;
  readonly reason?: string;
  readonly breaker: Service['breaker'];
  readonly processes: Service['processes'];
  readonly probedAt?: string;
  readonly probeMs?: number;
}

/** So many checks may be missed before what they said counts no more. */
const checksToMiss = 3;
const longestProbeMs = 10_000;

/** `/health/live`, `/health/ready`, and the health of one service: ready is only what a real call has proven lately. */
export const registerHealth: Area = (app, parts) => {
  app.get('/health/live', { config: { scope: 'open' } }, async (_request, reply) =>
    reply.header('cache-control', 'no-store').send({ status: 'live' }),
  );

  app.get('/health/ready', { config: { scope: 'open' } }, async ({ principal }, reply) => {
    const { status, missing, services } = readiness(parts);
    const details = knows(principal) ? tellTo(principal, missing, services) : {};
    return reply
      .code(status === 'ready' ? 200 : 503)
      .header('cache-control', 'no-store')
      .send({ status, ...details });
  });

  app.get<{ Params: { service: string }; Querystring: { check?: string } }>(
    '/api/v1/services/:service/health',
    { config: { scope: 'call' } },
    async ({ params, query }, reply) => {
      const service = query.check === 'now' ? await parts.services.check(params.service) : undefined;
      const health = healthOf(service ?? parts.services.get(params.service), parts);
      return reply
        .code(health.status === 'ready' ? 200 : 503)
        .header('cache-control', 'no-store')
        .send(health);
    },
  );
};

interface Readiness {
  readonly status: Status;
  /** Services that should work and do not. */
  readonly missing: readonly string[];
  readonly services: readonly ServiceHealth[];
}

/** The gateway as a whole: what it was started for works. What somebody uploaded, or an administrator drained, does not count. */
function readiness(parts: GatewayParts): Readiness {
  const all = parts.services.list();
  const services = all.map((service) => healthOf(service, parts));
  const wanted = new Set(all.filter(isOurs).map(({ id }) => id));
  const failed = services.filter(({ id, status }) => wanted.has(id) && status !== 'ready');
  const missing = failed.map(({ id }) => id);
  const isDrained = all.length > 0 && all.every(({ state }) => state === 'draining');
  if (parts.closing.aborted || isDrained) return { status: 'draining', missing, services };
  if (failed.length === 0) return { status: 'ready', missing, services };
  const status = failed.some((service) => service.status === 'failing') ? 'failing' : 'starting';
  return { status, missing, services };
}

function tellTo(principal: Principal, missing: readonly string[], services: readonly ServiceHealth[]) {
  const seen = missing.filter((id) => maySee(principal, id));
  const reason = seen.length > 0 ? `Not ready: ${seen.join(', ')}` : undefined;
  const visible = services.filter(({ id }) => maySee(principal, id));
  return { ...(reason && { reason }), services: visible.map(asLine) };
}

function isOurs({ definition, state }: Service): boolean {
  return definition.owner === undefined && state !== 'draining';
}

function healthOf(service: Service, { settings }: GatewayParts): ServiceHealth {
  const { id, breaker, processes, probedAt, probeMs } = service;
  const { status, reason } = statusOf(service, settings.probeMs);
  return {
    id,
    status,
    ...(reason !== undefined && { reason }),
    breaker,
    processes,
    ...(probedAt !== undefined && { probedAt: new Date(probedAt).toISOString() }),
    ...(probeMs !== undefined && { probeMs }),
  };
}

function statusOf(service: Service, everyMs: number): { readonly status: Status; readonly reason?: string } {
  const { state, reason, breaker, processes, probedAt } = service;
  if (state === 'draining') return { status: state, reason: reason ?? 'It takes no new calls' };
  if (state !== 'ready') return { status: state, reason };
  if (breaker === 'open') return { status: 'failing', reason: 'It failed repeatedly and is not called for a while' };
  const patienceMs = checksToMiss * everyMs + longestProbeMs;
  // A service that is at work all the time has no process to spare for a check.
  const isStale = processes.busy === 0 && (probedAt === undefined || Date.now() - probedAt > patienceMs);
  return isStale ? { status: 'failing', reason: 'No call has been tried lately' } : { status: 'ready' };
}

function asLine({ id, status, reason }: ServiceHealth) {
  return { id, status, ...(reason !== undefined && { reason }) };
}

/** An open address is asked by strangers too, and those learn of no service. */
function knows(principal: Principal | null | undefined): principal is Principal {
  return principal?.scopes.has('call') === true || principal?.scopes.has('admin') === true;
}
