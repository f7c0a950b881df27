import { createApp } from '../../../../src/gateway/http/app.js';
import { createConnections } from '../../../../src/gateway/http/connections.js';
import type { GatewayParts } from '../../../../src/gateway/parts.js';
import { gatewaySettingsSchema } from '../../../../src/gateway/settings.js';
import type { Explore } from '../../../../src/gateway/uploads/exploration.js';
import { openUploads } from '../../../../src/gateway/uploads/uploads.js';
import { createLog } from '../../../../src/log.js';
import { everybody, noMetrics } from '../../harness.js';
import { readByWords } from '../reading.js';
import { createOpenableServices } from '../services.js';

/** A gateway that takes uploads, and stops for ever at the stage that the name of a tool asks for. */
const [, , data = ''] = process.argv;
const settings = gatewaySettingsSchema.parse({});
const closing = new AbortController();
const services = createOpenableServices();
const never = new Promise<never>(() => {});

const explore: Explore = async (targets, choice) => {
  const found = await readByWords(targets, choice);
  if (found.tools.some(({ name }) => name === 'stops_when_read')) await reached('reading');
  return found;
};

const parts: GatewayParts = {
  settings,
  services: { ...services, add: stopOr(services.add), replace: stopOr(services.replace) },
  calls: { list: () => [], cancel: () => false },
  connections: createConnections({ settings: () => settings, metrics: noMetrics, closing: closing.signal }),
  metrics: noMetrics,
  log: createLog({ level: 'silent' }),
  identity: { name: 'mcp-execution', version: '0' },
  previewBytes: 1024,
  closing: closing.signal,
};

const uploads = await openUploads({ data, work: { explore }, audit: { record: async () => {} } });
const app = await createApp(parts, [
  (fastify) => {
    fastify.decorateRequest('principal');
    fastify.addHook('onRequest', async (request) => {
      request.principal = everybody;
    });
  },
  uploads.register,
]);
say({ url: await app.listen({ host: '127.0.0.1', port: 0 }) });

function stopOr<T extends readonly unknown[], R>(work: (...args: T) => Promise<R>): (...args: T) => Promise<R> {
  return async (...args) => {
    const opened = await work(...args);
    if (JSON.stringify(args[0]).includes('stops_when_opened')) await reached('opening');
    return opened;
  };
}

function reached(stage: string): Promise<never> {
  say({ stage });
  return never;
}

function say(what: object): void {
  process.stdout.write(`${JSON.stringify(what)}\n`);
}
