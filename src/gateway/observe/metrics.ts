import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';
import type { CallFigures, ConnectionKind, Metrics } from '../parts.js';
import type { BreakerState, Service, ServiceState } from '../service.js';
import { createLabels } from './labels.js';

/** What is looked at when the page is made. */
export interface Gauges {
  /** Calls of all services. */
  readonly running: number;
  readonly waiting: number;
  /** MCP sessions that are remembered. */
  readonly sessions: number;
  /** Connections of any kind, idle ones included. */
  readonly sockets?: number;
  readonly services: readonly Pick<Service, 'id' | 'state' | 'breaker' | 'processes'>[];
}

export interface MetricsOptions {
  /** Whether the process itself is measured too: memory, processor, event loop. */
  readonly ofProcess?: boolean;
}

const prefix = 'mcp_execution_';
const seconds = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300];
const serviceStates: readonly ServiceState[] = ['starting', 'ready', 'failing', 'draining'];
const breakerStates: readonly BreakerState[] = ['closed', 'half-open', 'open'];

export function createMetrics(look: () => Gauges, { ofProcess = true }: MetricsOptions = {}): Metrics {
  const register = new Registry();
  if (ofProcess) collectDefaultMetrics({ register });
  const labels = createLabels();
  const counted = createCounters(register);
  const looked = createGauges(register);

  return {
    called({ service, tool, outcome, transport, ms, queueMs }: CallFigures) {
      const of = labels.of(service, tool, outcome);
      counted.calls.inc({ ...of, outcome, transport });
      counted.duration.observe(of, ms / 1000);
      counted.queueWait.observe({ service: of.service }, queueMs / 1000);
    },
    cached: (service, status) => counted.cache.inc({ service: labels.service(service), status }),
    connected(kind) {
      counted.connections.inc({ kind });
      let isOpen = true;
      return () => {
        if (isOpen) counted.connections.dec({ kind });
        isOpen = false;
      };
    },
    reconnected: (kind: ConnectionKind) => counted.reconnects.inc({ kind }),
    sent: (kind, bytes) => counted.sentBytes.inc({ kind }, bytes),
    cut: (kind) => counted.cut.inc({ kind }),
    async page() {
      const gauges = look();
      const present = new Set(gauges.services.map(({ id }) => id));
      await forget(labels.keepOnly(present));
      looked.set(gauges);
      return { contentType: register.contentType, body: await register.metrics() };
    },
  };

  /** What is told of services that are gone would only grow. */
  async function forget(services: ReadonlySet<string>): Promise<void> {
    if (services.size === 0) return;
    const { calls, cache, duration, queueWait } = counted;
    for (const metric of [calls, cache, duration, queueWait]) await removeSeries(metric, services);
  }
}

interface Series {
  get(): Promise<{ readonly values: readonly { readonly labels: Readonly<Record<string, string | number>> }[] }>;
  remove(labels: Readonly<Record<string, string | number>>): void;
}

async function removeSeries(metric: Series, services: ReadonlySet<string>): Promise<void> {
  const { values } = await metric.get();
  for (const { labels } of values) {
    const isBucket = 'le' in labels;
    if (!isBucket && services.has(String(labels.service))) metric.remove(labels);
  }
}

function createCounters(register: Registry) {
  const registers = [register];
  const name = (words: string) => `${prefix}${words}`;
  return {
    calls: new Counter({
      name: name('calls_total'),
      help: 'Calls by what they came to: done, or the code of the error.',
      labelNames: ['service', 'tool', 'outcome', 'transport'],
      registers,
    }),
    duration: new Histogram({
      name: name('call_duration_seconds'),
      help: 'Time from the request of a call to its answer.',
      labelNames: ['service', 'tool'],
      buckets: seconds,
      registers,
    }),
    queueWait: new Histogram({
      name: name('queue_wait_seconds'),
      help: 'Time that calls waited for their turn.',
      labelNames: ['service'],
      buckets: seconds,
      registers,
    }),
    cache: new Counter({
      name: name('cache_total'),
      help: 'Calls whose result may be kept: hit, miss, or joined to one under way.',
      labelNames: ['service', 'status'],
      registers,
    }),
    connections: new Gauge({
      name: name('connections'),
      help: 'Answers that stay open, by kind.',
      labelNames: ['kind'],
      registers,
    }),
    reconnects: new Counter({
      name: name('reconnects_total'),
      help: 'Clients that came back to a stream with the id of the last event.',
      labelNames: ['kind'],
      registers,
    }),
    cut: new Counter({
      name: name('slow_consumers_cut_total'),
      help: 'Streams that were cut because their client read too slowly.',
      labelNames: ['kind'],
      registers,
    }),
    sentBytes: new Counter({
      name: name('sent_bytes_total'),
      help: 'Bytes of answers, by kind.',
      labelNames: ['kind'],
      registers,
    }),
  };
}

function createGauges(register: Registry) {
  const registers = [register];
  const gauge = (words: string, help: string, labelNames: readonly string[] = []) =>
    new Gauge({ name: `${prefix}${words}`, help, labelNames: [...labelNames], registers });
  const counter = (words: string, help: string) =>
    new Counter({ name: `${prefix}${words}`, help, labelNames: ['service'], registers });
  const running = gauge('calls_running', 'Calls under way.');
  const waiting = gauge('calls_waiting', 'Calls that wait for their turn.');
  const sessions = gauge('sessions', 'MCP sessions that are remembered.');
  const sockets = gauge('sockets', 'Connections of any kind, idle ones included.');
  const states = gauge('service_state', '1 for the state that a service is in.', ['service', 'state']);
  const breakers = gauge('breaker_state', '1 for the state that the circuit breaker is in.', ['service', 'state']);
  const processes = gauge('service_processes', 'Processes of a service.', ['service', 'state']);
  const starts = counter('service_process_starts_total', 'Processes that were started for a service.');
  const crashes = counter('service_process_crashes_total', 'Processes that ended without having been asked to.');

  return {
    set(gauges: Gauges): void {
      running.set(gauges.running);
      waiting.set(gauges.waiting);
      sessions.set(gauges.sessions);
      sockets.set(gauges.sockets ?? 0);
      for (const metric of [states, breakers, processes, starts, crashes]) metric.reset();
      for (const { id: service, state, breaker, processes: of } of gauges.services) {
        for (const each of serviceStates) states.set({ service, state: each }, each === state ? 1 : 0);
        for (const each of breakerStates) breakers.set({ service, state: each }, each === breaker ? 1 : 0);
        processes.set({ service, state: 'idle' }, of.idle);
        processes.set({ service, state: 'busy' }, of.busy);
        starts.inc({ service }, of.starts);
        crashes.inc({ service }, of.crashes);
      }
    },
  };
}
