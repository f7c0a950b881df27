import type { Settings } from '../config.js';
import { HostError } from '../errors.js';
import { createQueue, type Queue } from '../queue/queue.js';

/** What each tenant may have at once, counted by itself: the slow imports of one hold up no other. */
export interface Tenants {
  /** A call that waits for its script to be imported; refused where too many of the tenant do. */
  wait<T>(tenant: string | undefined, waiting: () => Promise<T>): Promise<T>;
  /** Where imports of the tenant take turns: as many at once as calls. */
  importsOf(tenant: string | undefined): Pick<Queue, 'run'>;
  readonly waiting: number;
}

interface Owned {
  readonly imports: Queue;
  waiting: number;
}

export function createTenants({ concurrency, queueLength }: Settings): Tenants {
  const owners = new Map<string | undefined, Owned>();
  const mostWaiting = concurrency + queueLength;

  return {
    async wait(tenant, waiting) {
      const owned = ownedBy(tenant);
      if (owned.waiting >= mostWaiting) throw full(owned.waiting, queueLength);
      owned.waiting++;
      try {
        return await waiting();
      } finally {
        owned.waiting--;
        forgetIfIdle(tenant);
      }
    },
    importsOf: (tenant) => ({
      async run(task, turn) {
        try {
          return await ownedBy(tenant).imports.run(task, turn);
        } finally {
          forgetIfIdle(tenant);
        }
      },
    }),
    get waiting() {
      return [...owners.values()].reduce((sum, { waiting }) => sum + waiting, 0);
    },
  };

  function ownedBy(tenant: string | undefined): Owned {
    const found = owners.get(tenant);
    if (found) return found;
    const owned = { imports: createQueue({ concurrency, queueLength: Number.MAX_SAFE_INTEGER }), waiting: 0 };
    owners.set(tenant, owned);
    return owned;
  }

  function forgetIfIdle(tenant: string | undefined): void {
    const owned = owners.get(tenant);
    if (owned && owned.waiting + owned.imports.running + owned.imports.waiting === 0) owners.delete(tenant);
  }
}

function full(waiting: number, limit: number): HostError {
  return new HostError('QUEUE_FULL', `${waiting} calls are waiting for scripts to be imported; no more may wait`, {
    limit,
  });
}
