import { createResultStore, type ResultStore } from '../../server/store.js';
import type { Principal } from '../access/principal.js';
import type { GatewayParts } from '../parts.js';
import { createAggregate } from './aggregate.js';
import { connectionTo } from './connection.js';
import { createServiceEndpoint, type Endpoint } from './endpoint.js';
import { createExchange, type Exchange } from './exchange.js';
import { createKept } from './kept.js';

/** What one client has at one address, unless its requests belong to a session of the protocol. */
export interface Desk {
  readonly endpoint: Endpoint;
  /** Its results that were too large to be shown whole. */
  readonly store: ResultStore;
  /** What answers its requests that set nothing up. */
  readonly exchange: Exchange;
  /** A server for a request that does, and that must not change what others meet. */
  createExchangeApart(): Exchange;
  /** Counts a request that is answered elsewhere, until the given function is called. */
  enter(): () => void;
}

export interface Desks {
  /** Throws UNKNOWN_SERVICE. */
  of(service: string | undefined, principal: Principal): Desk;
  /** A service came, went or has other tools. */
  changed(service: string): void;
  close(): void;
}

/** Less than in a session, because nothing says when the client has gone for good. */
const storeLimits = { maxResults: 32, maxBytes: 16 * 1024 * 1024 };

export function createDesks(parts: GatewayParts): Desks {
  const { services } = parts;
  const kept = createKept<KeptDesk>({
    idleMs: () => parts.settings.streamIdleMs,
    most: () => parts.settings.maxSessions,
    isInUse: ({ isInUse }) => isInUse(),
    end: ({ close }) => close(),
  });

  return {
    of(service, principal) {
      if (service !== undefined) services.get(service);
      const found = kept.get(`${service ?? ''}\n${principal.id}`, () => createDesk(parts, service, principal));
      found.isNow(principal);
      return found.desk;
    },
    changed(service) {
      if (!services.has(service)) kept.drop(({ desk }) => desk.endpoint.service === service);
      for (const { desk } of kept.values()) desk.endpoint.forget();
    },
    close: kept.close,
  };
}

/** What an address serves to a principal, who may do something else by the next request. */
export function endpointFor(parts: GatewayParts, service: string | undefined, principal: () => Principal): Endpoint {
  return service === undefined ? createAggregate(parts, principal) : createServiceEndpoint(parts, service);
}

interface KeptDesk {
  readonly desk: Desk;
  isNow(principal: Principal): void;
  isInUse(): boolean;
  close(): void;
}

function createDesk(parts: GatewayParts, service: string | undefined, first: Principal): KeptDesk {
  let principal = first;
  let elsewhere = 0;
  let exchange: Exchange | undefined;
  const endpoint = endpointFor(parts, service, () => principal);
  const store = createResultStore(storeLimits);
  const createExchangeApart = () => createExchange((sceneOf) => connectionTo(endpoint, store, parts, sceneOf));
  return {
    desk: {
      endpoint,
      store,
      get exchange() {
        exchange ??= createExchangeApart();
        return exchange;
      },
      createExchangeApart,
      enter() {
        elsewhere++;
        return () => void elsewhere--;
      },
    },
    isNow(now) {
      principal = now;
    },
    isInUse: () => elsewhere > 0 || (exchange?.underWay ?? 0) > 0,
    close: () => void exchange?.close().catch(() => {}),
  };
}
