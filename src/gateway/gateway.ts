import type { Server } from 'node:net';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { type Settings, settingsSchema } from '../config.js';
import { ExecutionError } from '../errors.js';
import { type AdjustableLog, createLog } from '../log.js';
import { registerAccess } from './access/access.js';
import { createAdmission } from './access/admission.js';
import { checkHostSettings } from './access/hosts.js';
import type { KeyEntry } from './access/keys.js';
import { refuseOpenBind } from './access/loopback.js';
import type { OAuthOptions } from './access/oauth.js';
import { registerAdmin } from './admin/admin.js';
import { createPipeline, type Tracing } from './calls/pipeline.js';
import { createClosers } from './closers.js';
import { compareServices } from './config/changes.js';
import { gatewaySettingFamily } from './config/family.js';
import { createApp } from './http/app.js';
import { createConnections } from './http/connections.js';
import { listen } from './http/listen.js';
import { registerMcp } from './mcp/mcp.js';
import { createAccessLog } from './observe/access-log.js';
import { createAudit } from './observe/audit.js';
import { registerHealth } from './observe/health.js';
import { createMetrics } from './observe/metrics.js';
import { registerMetrics } from './observe/metrics-page.js';
import { registerOpenApi } from './openapi/openapi.js';
import type { Area, GatewayParts } from './parts.js';
import { createServices } from './registry/services.js';
import { registerRest } from './rest/rest.js';
import type { OpenService, ServiceDefinition, Services } from './service.js';
import type { GatewaySettings, GatewaySettingsInput } from './settings.js';
import { createStreams } from './stream/stream.js';
import { openUploads, type UploadWork } from './uploads/uploads.js';

type CallLimits = Pick<Settings, 'concurrency' | 'queueLength' | 'timeoutMs' | 'importTimeoutMs' | 'previewBytes'>;

export interface GatewayOptions {
  readonly settings?: GatewaySettingsInput;
  readonly services?: readonly ServiceDefinition[];
  /** Beside those that the data folder keeps. */
  readonly keys?: readonly KeyEntry[];
  readonly oauth?: OAuthOptions;
  /** Makes a service of what is said of it. */
  readonly open: OpenService;
  /** What uploads need of whoever knows scripts; without it nothing can be uploaded. */
  readonly uploads?: UploadWork;
  /** Of calls of scripts: how many run at once, how many may wait, how long each may take. */
  readonly limits?: Partial<CallLimits>;
  readonly log?: AdjustableLog;
  readonly identity?: { readonly name: string; readonly version: string };
  readonly tracing?: Tracing;
}

export type GatewayChanges = Partial<Pick<GatewayOptions, 'settings' | 'keys' | 'oauth' | 'services'>>;

export interface Gateway {
  /** Where it listens. */
  readonly url: string;
  readonly services: Services;
  /** What can be changed without a new start is, at once; settings that need one stay as they are. */
  apply(changes: GatewayChanges): Promise<void>;
  /** Takes no new calls; resolves when those under way are finished, or after `drainMs`. */
  drain(): Promise<void>;
  close(): Promise<void>;
}

/** Who may ask, and what holds, as it is now. */
interface Rules {
  settings: GatewaySettings;
  keys: readonly KeyEntry[];
  oauth: OAuthOptions | undefined;
}

const servicesOpenedAtOnce = 4;

/** Listens when this resolves; services may still be starting. */
export async function createGateway(options: GatewayOptions): Promise<Gateway> {
  const closers = createClosers();
  try {
    return await openGateway(options, closers);
  } catch (error) {
    await closers.close();
    throw error;
  }
}

async function openGateway(options: GatewayOptions, closers: ReturnType<typeof createClosers>): Promise<Gateway> {
  const { log = createLog({ level: 'warn' }), identity = { name: 'mcp-execution', version: '0' }, tracing } = options;
  const limits = limitsOf(options.limits);
  const closing = new AbortController();
  const settings = gatewaySettingFamily.parse(options.settings ?? {});
  const audit = createAudit({ log, ...(settings.data !== undefined && { file: join(settings.data, 'audit.jsonl') }) });
  closers.add(() => audit.close());
  const uploads = await openUploads({ data: settings.data, work: options.uploads, audit });
  closers.add(() => uploads.close());
  for (const problem of uploads.problems) log.error('an uploaded service is lost', { problem });

  const rules: Rules = { settings, keys: joined(options.keys ?? [], uploads.keys), oauth: options.oauth };
  refuseUnsafe(rules);
  const pipeline = createPipeline({
    settings: () => rules.settings,
    concurrency: () => limits.concurrency,
    queueLength: () => limits.queueLength,
    timeoutMs: () => limits.timeoutMs,
    startMs: () => limits.importTimeoutMs,
    metrics: { called: (figures) => metrics.called(figures), cached: (id, status) => metrics.cached(id, status) },
    log,
    tracing,
  });
  const services = createServices({ open: options.open, pipeline, settings: () => rules.settings, log });
  const metrics = createMetrics(() => {
    const { running, waiting } = pipeline.status();
    return { running, waiting, sessions: countSessions(), sockets: sockets(), services: services.list() };
  });
  const access = { keys: () => rules.keys, oauth: () => rules.oauth };
  const admission = createAdmission({ ...access, settings: () => rules.settings });
  let countSessions = () => 0;
  let sockets = () => 0;
  const parts: GatewayParts = {
    get settings() {
      return rules.settings;
    },
    services,
    calls: pipeline.calls,
    connections: createConnections({
      settings: () => rules.settings,
      metrics,
      holds: admission.holds,
      closing: closing.signal,
    }),
    admission,
    metrics,
    log,
    identity,
    previewBytes: limits.previewBytes,
    closing: closing.signal,
  };
  const accessLog = await createAccessLog(() => rules.settings);
  closers.add(() => accessLog.close());
  const streams = createStreams(parts);
  const areas: readonly Area[] = [
    (app) => accessLog.register(app),
    (app) => registerAccess(app, parts, access),
    registerHealth,
    registerMetrics,
    registerRest,
    (app) =>
      registerMcp(app, parts, {
        toStream: streams.accept,
        onCounted: (count) => {
          countSessions = count;
        },
      }),
    streams.register,
    (app) => uploads.register(app, parts),
    (app) => registerAdmin(app, { ...parts, audit, adjustableLog: log }),
    registerOpenApi,
  ];
  const app = await createApp(parts, areas);
  sockets = countSockets(app.server);
  closers.add(async () => {
    const isIdle = pipeline.calls.list().length === 0;
    pipeline.closeAll();
    if (!isIdle) await lastWords(services);
    closing.abort();
    await app.close();
    await services.close();
  });
  const configured = options.services ?? [];
  await openAll([...configured, ...uploads.definitions]);
  const url = await listen(app, settings.host, settings.port);

  let lastChange: Promise<void> = Promise.resolve();
  return {
    url,
    services,
    apply(changes) {
      const applied = lastChange.then(() => apply(changes));
      lastChange = applied.catch(() => {});
      return applied;
    },
    drain: () => services.drainAll(),
    close: () => closers.close(),
  };

  async function apply(changes: GatewayChanges): Promise<void> {
    const next: Rules = {
      settings: changes.settings === undefined ? rules.settings : withWhatStays(changes.settings),
      keys: changes.keys ?? rules.keys,
      oauth: 'oauth' in changes ? changes.oauth : rules.oauth,
    };
    refuseUnsafe(next);
    Object.assign(rules, next);
    await accessLog.reopen();
    if (changes.services === undefined) return;
    const served = services.list().flatMap(({ definition }) => (definition.owner === undefined ? [definition] : []));
    const { added, replaced, removed } = compareServices(served, changes.services);
    await Promise.all(removed.map((id) => services.remove(id)));
    for (const definition of replaced) await services.replace(definition).catch(tellUnchanged(definition));
    await openAll(added);
  }

  function withWhatStays(input: GatewaySettingsInput): GatewaySettings {
    const { host, port, data } = settings;
    return { ...gatewaySettingFamily.parse(input), host, port, data };
  }

  function tellUnchanged({ id }: ServiceDefinition) {
    return (error: unknown) => log.error('a change of a service cannot be served: it is as before', { id, error });
  }

  /** What was configured comes first, and has its id; an upload of the same one is there again when that is gone. */
  function tellLeftOut({ id }: ServiceDefinition) {
    return (error: unknown) => {
      if (!(error instanceof ExecutionError)) throw error;
      log.error('a service is left out', { id, code: error.code, message: error.message });
    };
  }

  /** One that cannot be opened keeps no other from being served. */
  async function openAll(definitions: readonly ServiceDefinition[]): Promise<void> {
    const waiting = [...definitions];
    const openNext = async () => {
      for (let next = waiting.shift(); next; next = waiting.shift())
        await services.addOrFail(next).catch(tellLeftOut(next));
    };
    await Promise.all(Array.from({ length: servicesOpenedAtOnce }, openNext));
  }
}

function countSockets(server: Server): () => number {
  let open = 0;
  server.on('connection', (socket) => {
    open++;
    socket.once('close', () => open--);
  });
  return () => open;
}

const longestLastWordsMs = 2000;
const lastFrameMs = 50;

/** Calls that were ended say so to whoever waits for them, before the streams that would carry it are closed. */
async function lastWords({ drainAll }: ReturnType<typeof createServices>): Promise<void> {
  await Promise.race([drainAll(), pause(longestLastWordsMs, undefined, { ref: false })]);
  await pause(lastFrameMs);
}

function joined(given: readonly KeyEntry[], kept: readonly KeyEntry[]): readonly KeyEntry[] {
  const known = new Set(given.map(({ id }) => id));
  return [...given, ...kept.filter(({ id }) => !known.has(id))];
}

function refuseUnsafe({ settings, keys, oauth }: Rules): void {
  refuseOpenBind(settings.host, keys.length > 0 || oauth !== undefined);
  checkHostSettings(settings);
}

const limitsSchema = settingsSchema.pick({
  concurrency: true,
  queueLength: true,
  timeoutMs: true,
  importTimeoutMs: true,
  previewBytes: true,
});

function limitsOf({ concurrency, queueLength, timeoutMs, importTimeoutMs, previewBytes }: Partial<CallLimits> = {}) {
  return limitsSchema.parse({ concurrency, queueLength, timeoutMs, importTimeoutMs, previewBytes });
}
