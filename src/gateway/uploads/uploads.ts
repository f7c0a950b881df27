import type { FastifyInstance } from 'fastify';
import type { KeyEntry } from '../access/keys.js';
import type { Audit } from '../observe/audit.js';
import type { GatewayParts } from '../parts.js';
import type { ServiceDefinition } from '../service.js';
import { openDataFolder } from './data-folder.js';
import { readKeptKeys } from './kept-keys.js';
import { registerUploads, type UploadWork } from './routes.js';
import { openUploadStore } from './store.js';

export type { Explore, FoundTool, FoundTools, ToolChoice } from './exploration.js';
export {
  type ExportedService,
  type ExportService,
  registerUploads,
  type UploadDeps,
  type UploadWork,
} from './routes.js';

export interface UploadsOptions {
  /** The data folder; without one nothing can be uploaded. */
  readonly data?: string;
  readonly work?: UploadWork;
  readonly audit: Pick<Audit, 'record'>;
}

/** Everything that the data folder gives to a gateway, until it is closed. */
export interface Uploads {
  /** The services that were uploaded before. */
  readonly definitions: readonly ServiceDefinition[];
  readonly keys: readonly KeyEntry[];
  /** What could not be read back, in sentences. */
  readonly problems: readonly string[];
  /** Adds the addresses that uploads come and go by. */
  register(app: FastifyInstance, parts: GatewayParts): Promise<void>;
  /** To be called when the application and the services are closed. */
  close(): Promise<void>;
}

/** Throws CONFLICT where another gateway uses the folder. */
export async function openUploads({ data, work, audit }: UploadsOptions): Promise<Uploads> {
  const folder = data === undefined ? undefined : await openDataFolder(data);
  try {
    const store = folder && (await openUploadStore(folder));
    return {
      definitions: store?.definitions() ?? [],
      keys: folder ? await readKeptKeys(folder.path) : [],
      problems: store?.problems ?? [],
      register: (app, parts) => registerUploads(app, parts, { ...work, store, audit }),
      async close() {
        await store?.close();
      },
    };
  } catch (error) {
    await folder?.close();
    throw error;
  }
}
