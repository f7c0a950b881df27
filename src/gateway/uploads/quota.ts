import { CallerError } from '../../errors.js';
import type { Principal } from '../access/principal.js';
import type { GatewaySettings } from '../settings.js';
import type { Usage } from './store.js';

/** Throws where what is asked for would be more than the principal may have. */
export function refuseBeyondQuota(principal: Principal, settings: GatewaySettings, wanted: Usage): void {
  const maxServices = principal.quotas?.maxServices ?? settings.maxServicesPerClient;
  const maxBytes = principal.quotas?.maxDiskBytes ?? settings.maxDiskBytesPerClient;
  if (wanted.services > maxServices) {
    throw beyond(`You may have ${maxServices} uploaded services; remove one with DELETE before you upload another`);
  }
  if (wanted.bytes > maxBytes) {
    throw beyond(
      `All that you upload may take ${maxBytes} bytes, and this would make it ${wanted.bytes}; remove a service, or send less`,
    );
  }
}

function beyond(message: string): CallerError {
  return new CallerError('TOO_MANY_REQUESTS', message, { retryAfterMs: 60_000 });
}
