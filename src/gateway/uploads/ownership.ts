import { CallerError } from '../../errors.js';
import type { Principal } from '../access/principal.js';
import type { ServiceDefinition, Services } from '../service.js';
import type { UploadRecord } from './record.js';
import type { UploadStore } from './store.js';

/** The record of an uploaded service that the principal may change; throws the reason why not. */
export function ownRecord(services: Services, store: UploadStore, principal: Principal, id: string): UploadRecord {
  refuseNotUploaded(services, id);
  const record = store.get(id);
  if (!record) throw unknown(id);
  refuseStranger(record.owner, principal, id);
  return record;
}

/** What stands on the command line or in the config file is not changed behind its back. */
export function refuseNotUploaded(services: Services, id: string): void {
  if (!services.has(id) || services.get(id).definition.owner !== undefined) return;
  const message = `The service ${id} was not uploaded: it stands on the command line or in the config file, and is changed there`;
  throw new CallerError('NOT_ALLOWED', message);
}

/** The definition of a service that the principal may take away with it. */
export function ownDefinition(services: Services, principal: Principal, id: string): ServiceDefinition {
  if (!services.has(id)) throw unknown(id);
  const { definition } = services.get(id);
  refuseStranger(definition.owner, principal, id);
  if (definition.source.kind === 'script') return definition;
  throw new CallerError('INVALID_REQUEST', `The service ${id} is no script, and only scripts can be exported`);
}

function refuseStranger(owner: string | undefined, principal: Principal, id: string): void {
  if (principal.scopes.has('admin') || owner === principal.id) return;
  const message = `Only whoever uploaded the service ${id}, or a key with the scope admin, may do that`;
  throw new CallerError('NOT_ALLOWED', message);
}

function unknown(id: string): CallerError {
  return new CallerError('UNKNOWN_SERVICE', `There is no service ${JSON.stringify(id.slice(0, 80))}`);
}
