import type { ToolResult } from '../../toolbox.js';
import type { Metrics } from '../parts.js';
import type { GatewaySettings } from '../settings.js';
import { status } from './cache-status.js';
import { type Cacheable, cacheableAs, mayChange } from './cacheable.js';
import type { Call, ServiceFacts, Step } from './call.js';
import { digestOf } from './canonical.js';
import { createFlights } from './flights.js';
import { createKeep, sizeOf } from './keep.js';
import type { KnownTools } from './known-tools.js';

/** Results that are given again to the client that had them, as long as they are fresh. */
export interface Cache {
  readonly bytes: number;
  around(service: ServiceFacts, tools: KnownTools, next: Step): Step;
  close(): void;
}

const maxResults = 100_000;

export function createCache(settings: () => GatewaySettings, metrics: Pick<Metrics, 'cached'>): Cache {
  const flights = createFlights();
  let eras = 0;
  const nextEra = () => ++eras;
  const results = createKeep<ToolResult>({
    maxBytes: () => settings().cacheBytes,
    maxCount: maxResults,
    ttlMs: () => settings().cacheTtlMs,
  });

  return {
    get bytes() {
      return results.bytes;
    },
    around(service, tools, next) {
      // Another one from when a call begins, or ends, that may change what the tools answer.
      let era = nextEra();
      return async (call) => {
        const tool = await tools.find(call.tool, call.signal);
        const { cacheTtlMs, cacheTools } = settings();
        const cacheable = tool && cacheTtlMs > 0 ? cacheableAs(service, tool, cacheTools) : undefined;
        if (cacheable) return fromCache(call, cacheable);
        call.onCacheStatus?.(status.bypass);
        if (!mayChange(tool)) return next(call);
        era = nextEra();
        try {
          return await next(call);
        } finally {
          era = nextEra();
        }
      };

      function fromCache(call: Call, cacheable: Exclude<Cacheable, undefined>): Promise<ToolResult> {
        const keyNow = () => keyOf(service, call, cacheable === 'said' ? era : undefined);
        const key = keyNow();
        const kept = results.get(key);
        if (kept) {
          metrics.cached(service.id, 'hit');
          call.onCacheStatus?.(status.hit(kept.leftMs));
          return Promise.resolve(kept.value);
        }
        const { isJoined, answer } = flights.fly({ key: `${key} ${call.timeoutMs ?? ''}`, call, step: answerAndKeep });
        metrics.cached(service.id, isJoined ? 'joined' : 'miss');
        if (isJoined) call.onCacheStatus?.(status.joined);
        return answer;

        async function answerAndKeep(flown: Call): Promise<ToolResult> {
          let isStored = false;
          try {
            const result = await next(flown);
            isStored = !result.isError && keyNow() === key && results.set(key, result, sizeOf(result));
            return result;
          } finally {
            flown.onCacheStatus?.(isStored ? status.stored(settings().cacheTtlMs) : status.miss);
          }
        }
      }
    },
    close: () => results.clear(),
  };
}

function keyOf(service: ServiceFacts, call: Call, era: number | undefined): string {
  const session = service.keepsState ? call.session : undefined;
  return digestOf(call.principal.id, service.id, service.version(), call.tool, call.args, session, era);
}
