import { request as httpRequest, type IncomingHttpHeaders } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { onTestFinished } from 'vitest';
import { registerAccess } from '../../../src/gateway/access/access.js';
import { createKey, type KeyEntry, type NewKey } from '../../../src/gateway/access/keys.js';
import { type OAuthOptionsInput, oauthSchema } from '../../../src/gateway/access/oauth.js';
import type { Principal } from '../../../src/gateway/access/principal.js';
import { createApp } from '../../../src/gateway/http/app.js';
import { createConnections } from '../../../src/gateway/http/connections.js';
import type { Area, GatewayParts } from '../../../src/gateway/parts.js';
import { type GatewaySettingsInput, gatewaySettingsSchema } from '../../../src/gateway/settings.js';
import { createLog } from '../../../src/log.js';
import { FakeToolbox } from '../../server/fake-toolbox.js';
import { createFakeServices, noMetrics } from '../harness.js';

export interface AccessAppOptions {
  readonly settings?: GatewaySettingsInput;
  readonly keys?: readonly KeyEntry[];
  readonly oauth?: OAuthOptionsInput;
  /** Address to listen on, whatever the settings say. */
  readonly listenOn?: string;
}

export interface AccessApp {
  readonly port: number;
  readonly logged: readonly string[];
  /** What comes into force while the gateway runs. */
  change(options: Omit<AccessAppOptions, 'listenOn'>): void;
  ask(path: string, options?: AskOptions): Promise<Answer>;
  /** Sends these very bytes and gives back all that is answered until the end. */
  raw(bytes: string): Promise<string>;
}

export interface AskOptions {
  readonly method?: string;
  /** The address to connect to. */
  readonly to?: string;
  readonly headers?: Readonly<Record<string, string | string[]>>;
  readonly body?: string;
}

export interface Answer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
  readonly json: unknown;
}

/** Routes of every scope behind the real hooks, listening on a free port until the test ends. */
export async function startAccessApp(options: AccessAppOptions = {}): Promise<AccessApp> {
  const logged: string[] = [];
  const closing = new AbortController();
  let now = current(options);
  const parts: GatewayParts = {
    get settings() {
      return now.settings;
    },
    services: createFakeServices({ sales: new FakeToolbox(), hr: new FakeToolbox(), 'team-a': new FakeToolbox() }),
    calls: { list: () => [], cancel: () => false },
    connections: createConnections({ settings: () => now.settings, metrics: noMetrics, closing: closing.signal }),
    metrics: noMetrics,
    log: createLog({ level: 'debug', environment: {}, write: (line) => logged.push(line) }),
    identity: { name: 'mcp-execution', version: '0' },
    previewBytes: 64 * 1024,
    closing: closing.signal,
  };
  const access: Area = (app, given) => registerAccess(app, given, { keys: () => now.keys, oauth: () => now.oauth });
  const app = await createApp(parts, [access, addRoutes]);
  const host = options.listenOn ?? '127.0.0.1';
  await app.listen({ host, port: 0 });
  const { port } = app.server.address() as AddressInfo;
  onTestFinished(async () => {
    closing.abort();
    await app.close();
  });
  return {
    port,
    logged,
    change(later) {
      now = current(later);
    },
    ask: (path, asked = {}) => ask(port, path, asked),
    raw: (bytes) => sendRaw(port, bytes),
  };
}

export function keyFor(options: Partial<NewKey> = {}) {
  const { key, entry } = createKey({ name: 'test', ...options });
  return { key, entry, bearer: { authorization: `Bearer ${key}` } };
}

function current({ settings, keys = [], oauth }: AccessAppOptions) {
  return {
    settings: gatewaySettingsSchema.parse(settings ?? {}),
    keys,
    oauth: oauth && oauthSchema.parse(oauth),
  };
}

const addRoutes: Area = (app) => {
  const tell = async ({ principal }: { readonly principal: Principal }) => ({
    id: principal.id,
    name: principal.name,
    scopes: [...principal.scopes],
    services: principal.services,
  });
  for (const scope of ['open', 'call', 'upload', 'admin'] as const) app.get(`/${scope}`, { config: { scope } }, tell);
  app.get('/unsaid', tell);
  app.get('/api/v1/services/:service', { config: { scope: 'call' } }, tell);
  app.delete('/api/v1/services/:service', { config: { scope: 'upload' } }, tell);
  for (const url of ['/mcp', '/api/v1/mcp/:service']) app.post(url, { config: { scope: 'call' } }, tell);
};

function ask(port: number, path: string, { to = '127.0.0.1', method = 'GET', headers = {}, body }: AskOptions) {
  return new Promise<Answer>((resolve, reject) => {
    const request = httpRequest({ host: to, port, path, method, headers, agent: false });
    request.on('error', reject);
    request.on('response', async (response) => {
      const answered = await text(response);
      const isJson = response.headers['content-type']?.startsWith('application/json');
      resolve({
        status: response.statusCode ?? 0,
        headers: response.headers,
        text: answered,
        json: isJson ? JSON.parse(answered) : undefined,
      });
    });
    request.end(body);
  });
}

async function sendRaw(port: number, bytes: string): Promise<string> {
  const socket = connect(port, '127.0.0.1');
  socket.write(bytes);
  return text(socket);
}
