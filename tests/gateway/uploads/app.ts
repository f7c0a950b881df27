import type { AuditEntry } from '../../../src/gateway/observe/audit.js';
import type { Area } from '../../../src/gateway/parts.js';
import { openDataFolder } from '../../../src/gateway/uploads/data-folder.js';
import type { FoundTool } from '../../../src/gateway/uploads/exploration.js';
import { registerUploads, type UploadDeps } from '../../../src/gateway/uploads/routes.js';
import { openUploadStore, type UploadStore } from '../../../src/gateway/uploads/store.js';
import { startApp, type TestApp, type TestAppOptions } from '../harness.js';
import { temporaryFolder } from './folders.js';
import { readByWords } from './reading.js';
import { createOpenableServices, type OpenableServices } from './services.js';

export interface UploadApp extends TestApp {
  readonly folder: string;
  readonly store: UploadStore;
  readonly services: OpenableServices;
  readonly audit: readonly AuditEntry[];
  /** Sends a file as a form. */
  send(method: 'POST' | 'PUT', path: string, file: Blob, filename: string, more?: SendMore): Promise<Answer>;
  ask(method: string, path: string, more?: RequestInit & { readonly client?: string }): Promise<Answer>;
}

export interface SendMore {
  readonly client?: string;
  readonly fields?: Readonly<Record<string, string>>;
}

export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  /** Empty where the answer is not JSON. */
  readonly body: AnswerBody;
}

/** What answers have, each some of it. */
export interface AnswerBody {
  readonly id: string;
  readonly owner: string;
  readonly version: string;
  readonly createdAt: string;
  readonly tools: readonly FoundTool[];
  readonly problems: readonly string[];
  readonly error: { readonly code: string; readonly message: string };
}

export interface UploadAppOptions extends TestAppOptions {
  readonly folder?: string;
  readonly deps?: Partial<UploadDeps>;
  readonly withoutStore?: boolean;
}

export async function startUploads(options: UploadAppOptions = {}): Promise<UploadApp> {
  const folder = options.folder ?? `${await temporaryFolder()}/data`;
  const store = await openUploadStore(await openDataFolder(folder));
  const services = createOpenableServices();
  const audit: AuditEntry[] = [];
  const deps: UploadDeps = {
    store: options.withoutStore ? undefined : store,
    explore: readByWords,
    audit: { record: async (entry) => void audit.push(entry) },
    ...options.deps,
  };
  const uploads: Area = (fastify, given) => registerUploads(fastify, given, deps);
  const parts = { services, ...options.parts };
  const app = await startApp([uploads], { ...options, parts });
  const close = async () => {
    await app.close();
    await store.close();
  };
  const ask: UploadApp['ask'] = async (method, path, { client, headers, ...rest } = {}) => {
    const all = { ...(client && { 'x-test-client': client }), ...Object.fromEntries(new Headers(headers)) };
    const response = await fetch(`${app.url}${path}`, { method, headers: all, ...rest });
    const isJson = response.headers.get('content-type')?.includes('json');
    const text = await response.text();
    return { status: response.status, headers: response.headers, body: JSON.parse(isJson ? text : '{}') };
  };
  return {
    ...app,
    close,
    folder,
    store,
    services,
    audit,
    ask,
    send(method, path, file, filename, { client, fields = {} } = {}) {
      const form = new FormData();
      for (const [name, value] of Object.entries(fields)) form.append(name, value);
      form.append('file', file, filename);
      return ask(method, path, { client, body: form });
    },
  };
}
