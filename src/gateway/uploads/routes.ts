import multipart from '@fastify/multipart';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { CallerError, ExecutionError, HostError } from '../../errors.js';
import type { Principal } from '../access/principal.js';
import { maySee } from '../access/visible.js';
import type { Audit } from '../observe/audit.js';
import type { GatewayParts } from '../parts.js';
import type { ServiceDefinition } from '../service.js';
import { answerOf } from './answer.js';
import { type Changes, createChanges, type DryRun, type Outcome } from './changes.js';
import { readChange } from './choices.js';
import type { Explore } from './exploration.js';
import { ownDefinition, ownRecord, refuseNotUploaded } from './ownership.js';
import { refuseBeyondQuota } from './quota.js';
import { type Received, rawTypes, receiveUpload } from './receive.js';
import type { UploadStore, Workplace } from './store.js';

/** What uploads need of whoever knows scripts. */
export interface UploadWork {
  readonly explore: Explore;
  readonly exportService?: ExportService;
}

export interface UploadDeps extends Partial<UploadWork> {
  /** Where nothing is kept, or nothing can read scripts, nothing can be uploaded, and whoever tries is told why. */
  readonly store?: UploadStore;
  readonly audit: Pick<Audit, 'record'>;
}

/** Makes the standalone server of a service. */
export type ExportService = (definition: ServiceDefinition) => Promise<ExportedService>;

export interface ExportedService {
  readonly filename: string;
  readonly contentType: string;
  readonly data: Buffer | NodeJS.ReadableStream;
}

interface OfService {
  Params: { service: string };
}

type Facts = Readonly<Record<string, unknown>>;
/** Says which service something was done to, and what is worth recording of it; gives the id back. */
type Concerns = (id: string, facts?: Facts) => string;

const config = { scope: 'upload' } as const;
const atOncePerClient = 4;

/** Services that come, change and go by HTTP. */
export async function registerUploads(app: FastifyInstance, parts: GatewayParts, deps: UploadDeps): Promise<void> {
  const { services } = parts;
  const { store, explore } = deps;
  const changes = store && explore && createChanges({ store, parts, explore, refuseId });
  const underWay = new Map<string, number>();
  app.addHook('onClose', async () => changes?.settled());
  await app.register(async (scope) => {
    await scope.register(multipart);
    // Bodies are read where they are needed, so that what is not allowed is not read at all.
    scope.addContentTypeParser([...rawTypes, '*'], (_request, _body, done) => done(null));
    addRoutes(scope);
  });

  function addRoutes(scope: FastifyInstance): void {
    scope.post('/api/v1/services', { config }, (request, reply) =>
      audited(request, 'service.upload', async (concerns) => {
        const { principal } = request;
        const { changes, store } = ready();
        const used = store.usageOf(principal.id);
        refuseBeyondQuota(principal, parts.settings, { ...used, services: used.services + 1 });
        const outcome = await withUpload(request, (received, place) => {
          concerns(nameIn(received));
          return changes.upload(principal, received, place);
        });
        const { id } = 'record' in outcome ? outcome.record : outcome;
        concerns(id, factsOf(outcome));
        if ('record' in outcome) reply.code(201).header('location', `/api/v1/services/${id}`);
        return answerOf(outcome);
      }),
    );
    scope.put<OfService>('/api/v1/services/:service', { config }, (request) =>
      audited(request, 'service.replace', async (concerns) => {
        const { principal } = request;
        const id = concerns(request.params.service);
        const { changes, store } = ready(id);
        ownRecord(services, store, principal, id);
        const replace = (received: Received, place: Workplace) => changes.replace(principal, id, received, place);
        const outcome = await withUpload(request, replace);
        concerns(id, factsOf(outcome));
        return answerOf(outcome);
      }),
    );
    scope.patch<OfService>('/api/v1/services/:service', { config }, (request) =>
      audited(request, 'service.choose', async (concerns) => {
        const { principal, body } = request;
        const id = concerns(request.params.service);
        const { changes } = ready(id);
        return answerOf(await oneOfFew(principal, () => changes.choose(principal, id, readChange(body))));
      }),
    );
    scope.delete<OfService>('/api/v1/services/:service', { config }, (request, reply) =>
      audited(request, 'service.remove', async (concerns) => {
        const id = concerns(request.params.service);
        await ready(id).changes.remove(request.principal, id);
        return reply.code(204).send();
      }),
    );
    scope.get<OfService>('/api/v1/services/:service/export', { config }, (request, reply) =>
      audited(request, 'service.export', async (concerns) => {
        const id = concerns(request.params.service);
        const { filename, contentType, data } = await exported(request.principal, id);
        const name = filename.replace(/[^\w.-]/g, '_');
        return reply.header('content-disposition', `attachment; filename="${name}"`).type(contentType).send(data);
      }),
    );
  }

  function ready(id?: string): { readonly changes: Changes; readonly store: UploadStore } {
    if (parts.closing.aborted) throw new HostError('UNAVAILABLE', 'The gateway is shutting down and takes no uploads');
    if (id !== undefined) refuseNotUploaded(services, id);
    if (store && changes) return { changes, store };
    throw new CallerError(
      'INVALID_REQUEST',
      'This gateway keeps no uploads: start it with --data FOLDER to change that',
    );
  }

  function withUpload<T>(
    request: FastifyRequest,
    work: (received: Received, place: Workplace) => Promise<T>,
  ): Promise<T> {
    return oneOfFew(request.principal, async () => {
      const place = await ready().store.createWorkplace();
      try {
        return await work(await receiveUpload(request, place.folder, parts.settings.maxUploadBytes), place);
      } finally {
        await place.remove();
      }
    });
  }

  async function oneOfFew<T>({ id }: Principal, work: () => Promise<T>): Promise<T> {
    const before = underWay.get(id) ?? 0;
    if (before >= atOncePerClient) {
      const message = `You have ${before} uploads under way; wait until one is finished`;
      throw new CallerError('TOO_MANY_REQUESTS', message, { retryAfterMs: 1000 });
    }
    underWay.set(id, before + 1);
    try {
      return await work();
    } finally {
      const left = (underWay.get(id) ?? 1) - 1;
      if (left > 0) underWay.set(id, left);
      else underWay.delete(id);
    }
  }

  async function exported(principal: Principal, id: string): Promise<ExportedService> {
    const { exportService } = deps;
    const definition = ownDefinition(services, principal, id);
    if (!exportService) throw new CallerError('INVALID_REQUEST', 'This gateway makes no standalone servers');
    const work = () => exportService(definition);
    return oneOfFew(principal, () => (changes ? changes.whileUnchanged(id, work) : work()));
  }

  async function audited<T>(
    { principal }: FastifyRequest,
    action: string,
    work: (concerns: Concerns) => Promise<T>,
  ): Promise<T> {
    let subject = '';
    let facts: Facts | undefined;
    const record = (outcome: string, detail?: Facts) =>
      deps.audit.record({ who: { id: principal.id, name: principal.name }, action, subject, outcome, detail });
    try {
      const answer = await work((id, known) => {
        subject = id;
        facts = known;
        return id;
      });
      await record('done', facts);
      return answer;
    } catch (thrown) {
      const error = noSpaceLeft(thrown);
      const isOurs = error instanceof ExecutionError;
      await record(isOurs ? error.code : 'INTERNAL', isOurs ? { message: error.message } : undefined);
      throw error;
    }
  }
}

/** What an upload that is refused is recorded as. */
function nameIn({ fields, filename = '' }: Received): string {
  return fields.get('id')?.[0] ?? fields.get('filename')?.[0] ?? filename;
}

function factsOf(outcome: Outcome | DryRun): Facts {
  if ('prepared' in outcome) return { dryRun: true };
  const { version, file, sha256, bytes } = outcome.record;
  return { version, file, sha256, bytes };
}

function refuseId(principal: Principal, id: string): void {
  if (maySee(principal, id)) return;
  const patterns = (principal.services ?? []).join(', ');
  throw new CallerError(
    'NOT_ALLOWED',
    `Your key is for the services ${patterns}, and ${id} is none of them; choose another id`,
  );
}

function noSpaceLeft(error: unknown): unknown {
  const code: unknown = error instanceof Error && 'code' in error ? error.code : undefined;
  if (code !== 'ENOSPC' && code !== 'EDQUOT') return error;
  const message = 'There is no space left where uploads are kept';
  return new HostError('UNAVAILABLE', message, { retryAfterMs: 60_000 }, { cause: error });
}
