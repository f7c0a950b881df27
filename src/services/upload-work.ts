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
}

/** What uploads need of discovery and of exports. */
export function createUploadWork({ settings, log, environment = process.env }: UploadWorkOptions): UploadWork {
  const { python, cacheDir } = settings;
  const exploring = { python, cacheDir, environment, log };
  return {
    async explore(targets, choice) {
      const { manifest, problems, notes } = await explore(targets, { ...exploring, ...choice });
      return {
        tools: manifest.tools,
        problems: problems.map(({ path, error }) => `${path}: ${error.message}`),
        notes,
      };
    },
    exportService: (definition) => exportService(definition, exploring),
  };
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
