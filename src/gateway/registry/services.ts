import { CallerError, ExecutionError, HostError } from '../../errors.js';
import type { Log } from '../../log.js';
import { nearest } from '../../nearest.js';
import type { Pipeline } from '../calls/pipeline.js';
import {
  type OpenService,
  type Service,
  type ServiceDefinition,
  type ServiceState,
  type Services,
  serviceIdForm,
} from '../service.js';
import type { GatewaySettings } from '../settings.js';
import { createChecks } from './checks.js';
import { brokenService, closeVersion, createVersion, type Version } from './version.js';

export interface ServicesOptions {
  readonly open: OpenService;
  readonly pipeline: Pipeline;
  readonly settings: () => GatewaySettings;
  readonly log: Log;
}

export interface OwnedServices extends Services {
  /** The same as `add`, but a service that cannot be opened is there all the same, and says why it fails. */
  addOrFail(definition: ServiceDefinition): Promise<Service>;
  /** Takes no more calls; resolves when none is under way any more, or after `drainMs`. */
  drainAll(): Promise<void>;
  close(): Promise<void>;
}

/** A service as the registry keeps it: one id, whose version is exchanged. */
interface Kept extends Service {
  /** Which one it was asked for as: some open faster than those before them. */
  readonly rank: number;
  current: Version;
  isDraining: boolean;
}

export function createServices({ open, pipeline, settings, log }: ServicesOptions): OwnedServices {
  const kept = new Map<string, Kept>();
  const taken = new Set<string>();
  const listeners = new Set<(id: string) => void>();
  const retiring = new Set<Promise<void>>();
  const ended = new AbortController();
  let ranks = 0;
  const checks = createChecks({ settings, log, services: () => [...kept.values()].map(({ current }) => current) });

  return {
    list: () => [...kept.values()].sort((one, other) => (one.id < other.id ? -1 : 1)),
    get,
    has: (id) => kept.has(id),
    add: (definition) => reserve(definition, () => openVersion(definition)),
    addOrFail: (definition) => reserve(definition, () => openVersion(definition).catch(asBroken(definition))),
    async replace(definition, onRetired) {
      const service = get(definition.id);
      exchange(service, await openVersion(definition), onRetired);
      return service;
    },
    async remove(id) {
      const service = get(id);
      service.isDraining = true;
      await untilIdle(service.current);
      if (kept.get(id) !== service) return;
      kept.delete(id);
      tell(id);
      await closeVersion(service.current);
    },
    async restart(id) {
      const service = get(id);
      if (service.current.isBroken) exchange(service, await openVersion(service.definition));
      else await service.current.opened.toolbox.restart();
      checks.begin(service.current);
    },
    async recycle(id) {
      await get(id).current.opened.toolbox.recycle();
    },
    async drain(id) {
      const service = get(id);
      service.isDraining = true;
      await untilIdle(service.current);
    },
    resume(id) {
      get(id).isDraining = false;
    },
    async check(id) {
      const service = get(id);
      await checks.now(service.current);
      return service;
    },
    onChange(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    async drainAll() {
      for (const service of kept.values()) service.isDraining = true;
      await Promise.all([...kept.values()].map(({ current }) => untilIdle(current)));
    },
    async close() {
      ended.abort();
      checks.close();
      const versions = [...kept.values()].map(({ current }) => current);
      kept.clear();
      await Promise.all([...versions.map(closeVersion), ...retiring]);
    },
  };

  function get(id: string): Kept {
    const service = kept.get(id);
    if (service) return service;
    const near = nearest(id, [...kept.keys()]);
    const hint = near === undefined ? '' : ` (did you mean ${near}?)`;
    throw new CallerError('UNKNOWN_SERVICE', `There is no service ${JSON.stringify(id.slice(0, 80))}${hint}`);
  }

  /** Two that come at once for the same id: the first has it. */
  async function reserve({ id }: ServiceDefinition, open: () => Promise<Version>): Promise<Service> {
    if (!serviceIdForm.test(id)) throw wrongId(id);
    if (taken.has(id) || kept.has(id)) {
      throw new CallerError('CONFLICT', `There is a service ${id} already; choose another id`);
    }
    taken.add(id);
    ranks += 1;
    const rank = ranks;
    try {
      return keep(id, rank, await open());
    } finally {
      taken.delete(id);
    }
  }

  async function openVersion(definition: ServiceDefinition): Promise<Version> {
    if (ended.signal.aborted) throw shuttingDown();
    const opened = await open(definition, ended.signal);
    const version = createVersion(definition, opened, pipeline);
    if (!ended.signal.aborted) return version;
    await closeVersion(version);
    throw shuttingDown();
  }

  function asBroken(definition: ServiceDefinition): (error: unknown) => Version {
    return (error) => {
      if (!(error instanceof ExecutionError) || ended.signal.aborted) throw error;
      const { code, message } = error;
      log.error('a service cannot be served', { service: definition.id, code, message });
      return createVersion(definition, brokenService(error), pipeline, error);
    };
  }

  function keep(id: string, rank: number, version: Version): Kept {
    const service = createKept(id, rank, version);
    kept.set(id, service);
    watch(service, version);
    tell(id);
    return service;
  }

  function exchange(service: Kept, version: Version, onRetired = () => {}): void {
    const old = service.current;
    service.current = version;
    watch(service, version);
    tell(service.id);
    const retired = untilIdle(old)
      .then(() => closeVersion(old))
      .catch((error: unknown) => log.error('an old version did not end well', { service: service.id, error }))
      .then(onRetired);
    retiring.add(retired);
    retired.finally(() => retiring.delete(retired));
  }

  function watch(service: Kept, version: Version): void {
    version.stopTelling = version.opened.toolbox.onToolsChanged(() => tell(service.id));
    checks.begin(version);
  }

  function tell(id: string): void {
    for (const listener of listeners) listener(id);
  }

  async function untilIdle({ served }: Version): Promise<void> {
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<void>((resolve) => {
      timer = setTimeout(resolve, settings().drainMs);
    });
    await Promise.race([served.idle(), late]);
    clearTimeout(timer);
  }
}

function createKept(id: string, rank: number, first: Version): Kept {
  const service: Kept = {
    id,
    rank,
    current: first,
    isDraining: false,
    get definition() {
      return service.current.definition;
    },
    get version() {
      return service.current.opened.version;
    },
    get description() {
      return service.current.definition.description ?? service.current.opened.description;
    },
    get notes() {
      return service.current.opened.notes;
    },
    get state(): ServiceState {
      return service.isDraining ? 'draining' : service.current.health.state;
    },
    get reason() {
      return service.current.health.reason;
    },
    get probedAt() {
      return service.current.health.probedAt;
    },
    get probeMs() {
      return service.current.health.probeMs;
    },
    get breaker() {
      return service.current.served.breaker();
    },
    get processes() {
      return service.current.opened.toolbox.status();
    },
    toolbox: {
      listTools: () => service.current.served.toolbox.listTools(),
      async call(name, args, options) {
        if (service.isDraining) throw drained(id);
        return service.current.served.toolbox.call(name, args, options);
      },
    },
    endSession: (session) => service.current.opened.toolbox.endSession(session),
  };
  return service;
}

function shuttingDown(): HostError {
  return new HostError('UNAVAILABLE', 'The gateway is shutting down');
}

function drained(id: string): HostError {
  return new HostError('UNAVAILABLE', `Service ${id} is being drained and takes no new calls`, { retryAfterMs: 5000 });
}

function wrongId(id: string): CallerError {
  const shown = JSON.stringify(id.slice(0, 80));
  const message = `${shown} is no id for a service: letters, digits, ".", "_" and "-", at most 64, the first a letter or digit`;
  return new CallerError('INVALID_REQUEST', message);
}
