import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Settings } from '../config.js';
import { CallerError } from '../errors.js';
import type { ServiceDefinition } from '../gateway/service.js';
import type { ExportedService, UploadWork } from '../gateway/uploads/uploads.js';
import type { Log } from '../log.js';
import { explore } from '../manifest/explore.js';
import { exportScripts } from '../server/export/export.js';

export interface UploadWorkOptions {
  readonly settings: Settings;
  readonly log: Log;
  readonly environment?: NodeJS.ProcessEnv;
  /** How long the scripts of one upload may be read, all together. */
  readonly readMs?: number;
}

const usualReadMs = 60_000;

/** What uploads need of discovery and of exports. */
export function createUploadWork(options: UploadWorkOptions): UploadWork {
  const { settings, log, environment = process.env, readMs = usualReadMs } = options;
  const { python, cacheDir } = settings;
  const exploring = { python, cacheDir, environment, log };
  return {
    async explore(targets, choice) {
      const signal = AbortSignal.timeout(readMs);
      const { manifest, problems, notes } = await explore(targets, { ...exploring, ...choice, signal }).catch(
        (error: unknown) => {
          throw signal.aborted ? tookTooLong(readMs) : error;
        },
      );
      return {
        tools: manifest.tools,
        problems: problems.map(({ path, error }) => `${path}: ${error.message}`),
        notes,
      };
    },
    exportService: (definition) => exportService(definition, exploring),
  };
}

function tookTooLong(readMs: number): CallerError {
  return new CallerError(
    'TOO_LARGE',
    `Reading the scripts took longer than ${readMs} ms; upload fewer or smaller ones`,
  );
}

async function exportService(
  { id, source, description }: ServiceDefinition,
  exploring: Parameters<typeof explore>[1],
): Promise<ExportedService> {
  if (source.kind !== 'script') {
    throw new CallerError('INVALID_REQUEST', `Service ${id} is no script: there is nothing to export`);
  }
  const { targets, only, exclude } = source;
  const { manifest } = await explore(targets, { ...exploring, only, exclude });
  const folder = await mkdtemp(join(tmpdir(), 'mcp-execution-export-'));
  try {
    const to = join(folder, `${id}.mcpb`);
    await exportScripts({ manifest, to, name: id, ...(description !== undefined && { description }) });
    return { filename: `${id}.mcpb`, contentType: 'application/zip', data: await readFile(to) };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
