import { type ExecutionError, HostError } from '../../errors.js';
import type { Log } from '../../log.js';
import type { CallOptions } from '../../toolbox.js';
import type { Calls, Metrics } from '../parts.js';
import type { BreakerState, ServedToolbox } from '../service.js';
import type { GatewaySettings } from '../settings.js';
import { createBreaker } from './breaker.js';
import { createCache } from './cache.js';
import type { Call, CalledToolbox, ServiceFacts, Step } from './call.js';
import { createIdempotency } from './idempotency.js';
import { createKnownTools } from './known-tools.js';
import { createQuota } from './quota.js';
import { createRecords, type Tracing } from './records.js';
import { type CallTurns, createCallTurns } from './turns.js';
import { withWatchdog } from './watchdog.js';

export type { ServiceFacts } from './call.js';
export type { TracedCall, Tracing } from './records.js';

export interface PipelineOptions {
  readonly settings: () => GatewaySettings;
  /** Of the services that use slots, all together. */
  readonly concurrency: () => number;
  /** Of that queue, and of each of those that services have of their own. */
  readonly queueLength: () => number;
  /** Time that a call may take, and beside it the time that making ready for the call may. */
  readonly timeoutMs?: () => number;
  readonly startMs?: () => number;
  readonly metrics: Pick<Metrics, 'called' | 'cached'>;
  readonly log: Log;
  readonly tracing?: Tracing;
}

export interface Pipeline {
  readonly calls: Calls;
  /** A toolbox with records, quotas, idempotency, cache, queue, breaker and watchdog around it. */
  serve(service: ServiceFacts, toolbox: CalledToolbox): ServedService;
  status(): PipelineStatus;
  /** Ends every call, and refuses those that come. */
  closeAll(error?: ExecutionError): void;
}

export interface ServedService {
  readonly toolbox: ServedToolbox;
  breaker(): BreakerState;
  /** What a check of the service has found. */
  tellProbe(works: boolean): void;
  running(): number;
  waiting(): number;
  /** Resolves when no call is under way. */
  idle(): Promise<void>;
  /** Ends the calls that are under way, and refuses those that come. */
  close(error?: ExecutionError): void;
}

export interface PipelineStatus {
  readonly running: number;
  readonly waiting: number;
  readonly cacheBytes: number;
  /** By id; a service of which an old version has calls to finish is counted once. */
  readonly services: ReadonlyMap<string, { readonly running: number; readonly waiting: number }>;
}

const minute = 60_000;
/** For services whose own processes set the bounds. */
const generousConcurrency = 128;

export function createPipeline(options: PipelineOptions): Pipeline {
  const { settings, concurrency, queueLength, metrics, log } = options;
  const { timeoutMs: generalTimeoutMs = () => minute, startMs: generalStartMs = () => minute } = options;
  const records = createRecords(options);
  const quota = createQuota(settings);
  const idempotency = createIdempotency(settings);
  const cache = createCache(settings, metrics);
  const slots = createCallTurns({ concurrency, queueLength });
  const served = new Map<ServedService, { readonly id: string; readonly turns: CallTurns }>();

  return {
    calls: records.calls,
    serve,
    status() {
      const services = new Map<string, { running: number; waiting: number }>();
      for (const [service, { id }] of served) {
        const { running = 0, waiting = 0 } = services.get(id) ?? {};
        services.set(id, { running: running + service.running(), waiting: waiting + service.waiting() });
      }
      const sum = (of: 'running' | 'waiting') => [...services.values()].reduce((total, each) => total + each[of], 0);
      return { running: sum('running'), waiting: sum('waiting'), cacheBytes: cache.bytes, services };
    },
    closeAll(error = shuttingDown()) {
      records.close(error);
      for (const { turns } of served.values()) turns.close(() => error);
      slots.close(() => error);
      for (const kept of [idempotency, cache]) kept.close();
    },
  };

  function serve(service: ServiceFacts, toolbox: CalledToolbox): ServedService {
    const { concurrency = () => generousConcurrency, timeoutMs = generalTimeoutMs, startMs = generalStartMs } = service;
    const tools = createKnownTools(service, toolbox);
    const breaker = createBreaker({ service, settings, timeoutMs, log });
    const turns = service.usesSlots ? slots : createCallTurns({ concurrency, queueLength });

    const inner = breaker.around(withWatchdog({ timeoutMs, startMs }, calling(toolbox)));
    const queued = breaker.ahead(turns.around(inner));
    const kept = idempotency.around(service, cache.around(service, tools, queued));
    const recorded = records.around(service, quota.around(kept));

    const self: ServedService = {
      toolbox: { listTools: () => toolbox.listTools(), call: recorded.call },
      breaker: () => breaker.state,
      tellProbe: breaker.tellProbe,
      running: () => recorded.running,
      waiting: () => recorded.waiting,
      idle: recorded.idle,
      close(error = serviceClosed(service.id)) {
        recorded.close(error);
        tools.close();
        recorded.idle().then(() => served.delete(self));
      },
    };
    served.set(self, { id: service.id, turns });
    return self;
  }
}

function calling(toolbox: CalledToolbox): Step {
  return async (call) => toolbox.call(call.tool, call.args, callOptions(call));
}

function callOptions({ principal, session, priority, timeoutMs, signal, onEvent }: Call): CallOptions {
  return { caller: principal.id, session, priority, timeoutMs, signal, onEvent };
}

function shuttingDown(): HostError {
  return new HostError('UNAVAILABLE', 'The gateway is shutting down and takes no more calls');
}

function serviceClosed(id: string): HostError {
  return new HostError('UNAVAILABLE', `Service ${id} was ended and takes no more calls`);
}
