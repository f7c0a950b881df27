import type { FastifyInstance, FastifyRequest } from 'fastify';
import * as z from 'zod';
import { settingsSchema } from '../../config.js';
import { CallerError, ExecutionError } from '../../errors.js';
import type { AdjustableLog } from '../../log.js';
import type { Audit } from '../observe/audit.js';
import type { GatewayParts } from '../parts.js';
import type { Services } from '../service.js';

export interface AdminParts extends GatewayParts {
  readonly audit: Audit;
  /** The log that the level is set of; without it, the level stays as it is. */
  readonly adjustableLog?: Pick<AdjustableLog, 'level' | 'setLevel'>;
}

const config = { scope: 'admin' } as const;

const actions: Readonly<Record<string, (services: Services, id: string) => Promise<void> | void>> = {
  restart: (services, id) => services.restart(id),
  drain: (services, id) => services.drain(id),
  resume: (services, id) => services.resume(id),
  recycle: (services, id) => services.recycle(id),
};

const levelBody = z.strictObject({ level: settingsSchema.shape.logLevel.unwrap() });

/** What only administrators do: look after services and calls, see what is open, set the level of the log. */
export function registerAdmin(app: FastifyInstance, parts: AdminParts): void {
  const { services, calls, connections, audit, adjustableLog } = parts;

  for (const [name, act] of Object.entries(actions)) {
    app.post<{ Params: { service: string } }>(
      `/api/v1/admin/services/:service/${name}`,
      { config },
      async (request) => {
        const id = request.params.service;
        await audited(request, `service.${name}`, id, async () => act(services, id));
        const { state, reason, breaker, processes } = services.get(id);
        return { id, status: state, ...(reason !== undefined && { reason }), breaker, processes };
      },
    );
  }

  app.get('/api/v1/admin/requests', { config }, async () => ({ requests: calls.list() }));

  app.delete<{ Params: { id: string } }>('/api/v1/admin/requests/:id', { config }, async (request) => {
    const { id } = request.params;
    await audited(request, 'request.cancel', id, () => {
      if (!calls.cancel(id)) throw new CallerError('UNKNOWN_SERVICE', `No request ${shown(id)} is under way`);
    });
    return { id, cancelled: true };
  });

  app.get('/api/v1/admin/connections', { config }, async () => ({ connections: connections.list() }));

  app.get('/api/v1/admin/log-level', { config }, async () => ({ level: changeable().level }));

  app.put('/api/v1/admin/log-level', { config }, async (request) => {
    const log = changeable();
    const parsed = levelBody.safeParse(request.body);
    if (!parsed.success) {
      const levels = levelBody.shape.level.options.join(', ');
      throw new CallerError('INVALID_REQUEST', `The body has the form {"level": "debug"}, with one of ${levels}`);
    }
    const { level } = parsed.data;
    await audited(request, 'log-level.set', level, () => log.setLevel(level));
    return { level };
  });

  function changeable(): Pick<AdjustableLog, 'level' | 'setLevel'> {
    if (adjustableLog) return adjustableLog;
    throw new CallerError(
      'CONFLICT',
      'The log of this gateway was handed in, and its level is not the gateway’s to set',
    );
  }

  async function audited(
    { principal: { id, name } }: FastifyRequest,
    action: string,
    subject: string,
    work: () => Promise<void> | void,
  ): Promise<void> {
    const tell = (outcome: string) => audit.record({ who: { id, name }, action, subject, outcome });
    try {
      await work();
    } catch (error) {
      await tell(error instanceof ExecutionError ? error.code : 'INTERNAL');
      throw error;
    }
    await tell('done');
  }
}

function shown(id: string): string {
  return JSON.stringify(id.slice(0, 80));
}
