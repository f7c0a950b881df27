import { onTestFinished } from 'vitest';
import { CallerError } from '../../src/errors.js';
import type { Principal } from '../../src/gateway/access/principal.js';
import { createApp } from '../../src/gateway/http/app.js';
import { createConnections } from '../../src/gateway/http/connections.js';
import type { Area, GatewayParts, Metrics } from '../../src/gateway/parts.js';
import type { Service, ServiceDefinition, Services } from '../../src/gateway/service.js';
import { type GatewaySettingsInput, gatewaySettingsSchema } from '../../src/gateway/settings.js';
import { createLog } from '../../src/log.js';
import type { Toolbox } from '../../src/toolbox.js';

export const everybody: Principal = {
  id: 'anonymous',
  name: 'anonymous',
  scopes: new Set(['call', 'upload', 'admin']),
};

export interface TestApp {
  readonly url: string;
  readonly parts: GatewayParts;
  /** What was written to the log, a line each. */
  readonly logged: readonly string[];
  close(): Promise<void>;
}

export interface TestAppOptions {
  readonly services?: Readonly<Record<string, Toolbox>>;
  readonly settings?: GatewaySettingsInput;
  /** Who asks, by the header x-test-client where it is given. */
  readonly principalFor?: (client: string | undefined) => Principal;
  readonly parts?: Partial<GatewayParts>;
}

/** The application with some areas, over toolboxes in memory, listening on a free port until the test ends. */
export async function startApp(areas: readonly Area[], options: TestAppOptions = {}): Promise<TestApp> {
  const settings = gatewaySettingsSchema.parse(options.settings ?? {});
  const closing = new AbortController();
  const logged: string[] = [];
  const metrics = options.parts?.metrics ?? noMetrics;
  const parts: GatewayParts = {
    settings,
    services: createFakeServices(options.services ?? {}),
    calls: { list: () => [], cancel: () => false },
    connections: createConnections({ settings: () => settings, metrics, closing: closing.signal }),
    metrics,
    log: createLog({ level: 'debug', write: (line) => logged.push(line) }),
    identity: { name: 'mcp-execution', version: '0' },
    previewBytes: 64 * 1024,
    closing: closing.signal,
    ...options.parts,
  };
  const setPrincipal: Area = (app) => {
    app.decorateRequest('principal');
    app.addHook('onRequest', async (request) => {
      const client = request.headers['x-test-client'];
      const name = typeof client === 'string' ? client : undefined;
      request.principal = options.principalFor?.(name) ?? (name ? { ...everybody, id: name, name } : everybody);
    });
  };
  const app = await createApp(parts, [setPrincipal, ...areas]);
  const url = await app.listen({ host: '127.0.0.1', port: 0 });
  let closed: Promise<void> | undefined;
  const close = () => {
    closing.abort();
    closed ??= app.close();
    return closed;
  };
  onTestFinished(close);
  return { url, parts, logged, close };
}

export const noMetrics: Metrics = {
  called: () => {},
  cached: () => {},
  connected: () => () => {},
  reconnected: () => {},
  sent: () => {},
  cut: () => {},
  page: async () => ({ contentType: 'text/plain', body: '' }),
};

export interface FakeServices extends Services {
  readonly endedSessions: readonly string[];
  set(id: string, toolbox: Toolbox, change?: Partial<Service>): void;
  /** Tells that the service has other tools. */
  change(id: string): void;
}

/** Services that are toolboxes in memory, without queue, cache or breaker. */
export function createFakeServices(toolboxes: Readonly<Record<string, Toolbox>>): FakeServices {
  const services = new Map<string, Service>();
  const listeners = new Set<(id: string) => void>();
  const endedSessions: string[] = [];
  const tell = (id: string) => {
    for (const listener of listeners) listener(id);
  };
  const set = (id: string, toolbox: Toolbox, change: Partial<Service> = {}) => {
    services.set(id, {
      id,
      definition: { id, source: { kind: 'script', targets: [`/${id}.py`] } },
      version: '1',
      notes: [],
      state: 'ready',
      breaker: 'closed',
      processes: { idle: 1, busy: 0, starts: 1, crashes: 0 },
      toolbox,
      endSession: async (session) => void endedSessions.push(session),
      ...change,
    });
    tell(id);
  };
  for (const [id, toolbox] of Object.entries(toolboxes)) set(id, toolbox);
  const get = (id: string): Service => {
    const service = services.get(id);
    if (service) return service;
    throw new CallerError('UNKNOWN_SERVICE', `There is no service ${JSON.stringify(id.slice(0, 80))}`);
  };
  const open = async (_definition: ServiceDefinition): Promise<Service> => {
    throw new Error('services in memory are set, not opened');
  };
  return {
    endedSessions,
    set,
    change: tell,
    list: () => [...services.values()],
    get,
    has: (id) => services.has(id),
    add: open,
    replace: open,
    async remove(id) {
      get(id);
      services.delete(id);
      tell(id);
    },
    restart: async (id) => void get(id),
    recycle: async (id) => void get(id),
    drain: async (id) => void get(id),
    resume: (id) => void get(id),
    check: async (id) => get(id),
    onChange(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}
