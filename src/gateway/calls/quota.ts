import { CallerError } from '../../errors.js';
import type { Principal } from '../access/principal.js';
import type { GatewaySettings } from '../settings.js';
import type { Step } from './call.js';

/** Counts what each client has under way, on all services together, and refuses what is beyond its quota. */
export function createQuota(settings: () => GatewaySettings): { around(next: Step): Step } {
  const underWay = new Map<string, number>();
  return {
    around: (next) => async (call) => {
      const { principal } = call;
      const now = underWay.get(principal.id) ?? 0;
      const most = principal.quotas?.maxRunning ?? settings().maxRunningPerClient;
      if (now >= most) throw tooMany(now, most);
      count(principal, 1);
      try {
        return await next(call);
      } finally {
        count(principal, -1);
      }
    },
  };

  function count({ id }: Principal, change: 1 | -1): void {
    const now = (underWay.get(id) ?? 0) + change;
    if (now > 0) underWay.set(id, now);
    else underWay.delete(id);
  }
}

function tooMany(now: number, most: number): CallerError {
  const message = `You have ${now} calls running or waiting, and may have ${most} at once; wait until one has ended`;
  return new CallerError('TOO_MANY_REQUESTS', message, { limit: most, retryAfterMs: 1000 });
}
