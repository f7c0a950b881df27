import { ExecutionError } from '../../errors.js';
import type { Log } from '../../log.js';
import type { Metrics } from '../parts.js';
import type { UnderWay } from './under-way.js';
import { type Ending, outcomeOf } from './verdict.js';

export interface ReportOptions {
  readonly metrics: Pick<Metrics, 'called'>;
  readonly log: Log;
}

const longestName = 100;

/** Tells the figures and the log of a call that is over, and of nothing that was in it. */
export function createReport({ metrics, log }: ReportOptions) {
  return (call: UnderWay, ending: Ending): void => {
    const { id, service, tool, options, askedAt, startedAt, cacheStatus } = call;
    const { transport, principal } = options;
    const outcome = outcomeOf(ending);
    const now = performance.now();
    const ms = now - askedAt;
    const queueMs = waited(askedAt, startedAt, outcome, now);
    metrics.called({ service, tool, outcome, transport, ms, queueMs });
    const line = {
      request: id,
      service,
      tool: tool.slice(0, longestName),
      client: principal.name,
      transport,
      outcome,
      ms: Math.round(ms),
      queueMs: Math.round(queueMs),
      cache: cacheStatus,
    };
    log.info('call', line);
    if (ending.kind === 'error' && !(ending.error instanceof ExecutionError)) {
      log.error('a call failed unexpectedly', { ...line, error: ending.error });
    }
  };
}

/** An answer that was there already did not wait; a call that failed before it began did nothing else. */
function waited(askedAt: number, startedAt: number | undefined, outcome: string, now: number): number {
  if (startedAt !== undefined) return startedAt - askedAt;
  return outcome === 'done' ? 0 : now - askedAt;
}
