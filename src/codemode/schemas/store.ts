import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { CallerError } from '../../errors.js';
import type { Log } from '../../log.js';
import type { ResultSchema } from '../known-tools.js';
import { makeFolder } from '../workspace.js';
import { schemaFileName } from './file-name.js';
import { type InferredSchema, readSchemaFile, writeSchemaFile } from './schema-file.js';

export type ResultSchemas = (server: string, tool: string) => ResultSchema | undefined;

/** The inferred result schemas of a workspace, a file per server, worth keeping. */
export interface SchemaStore {
  /** Of what was read, and what was saved since. */
  readonly resultSchemas: ResultSchemas;
  inferred(server: string): ReadonlyMap<string, InferredSchema>;
  /** All that is known of a server from now on; without any, its file goes. */
  save(server: string, tools: readonly InferredSchema[]): Promise<void>;
}

/** Reads the folder, which need not be there. A file that is damaged is reported, and taken for none. */
export async function openSchemaStore(folder: string, log?: Log): Promise<SchemaStore> {
  const known = await readAll(folder, log);
  let lastSave: Promise<unknown> = Promise.resolve();

  return {
    resultSchemas(server, tool) {
      const inferred = known.get(server)?.get(tool);
      return inferred && resultSchemaOf(inferred);
    },
    inferred: (server) => known.get(server) ?? new Map(),
    save(server, tools) {
      known.set(server, byTool(tools));
      const saved = lastSave.then(() => write(join(folder, schemaFileName(server)), server, tools));
      lastSave = saved.catch(() => undefined);
      return saved;
    },
  };

  async function write(path: string, server: string, tools: readonly InferredSchema[]): Promise<void> {
    try {
      if (tools.length === 0) return await rm(path, { force: true });
      await makeFolder(folder, 0o777);
      await writeSchemaFile(path, { server, tools });
    } catch (error) {
      if (error instanceof CallerError) throw error;
      throw new CallerError('INVALID_WORKSPACE', `${path} cannot be written: ${reasonOf(error)}`, {}, { cause: error });
    }
  }
}

/** What was inferred of results, by server and tool. */
export async function readResultSchemas(folder: string, log?: Log): Promise<ResultSchemas> {
  return (await openSchemaStore(folder, log)).resultSchemas;
}

async function readAll(folder: string, log?: Log): Promise<Map<string, ReadonlyMap<string, InferredSchema>>> {
  const names = await readdir(folder).catch(() => []);
  const known = new Map<string, ReadonlyMap<string, InferredSchema>>();
  for (const name of names.filter((file) => file.endsWith('.json')).sort()) {
    try {
      const { server, tools } = await readSchemaFile(join(folder, name));
      if (schemaFileName(server) !== name) throw new Error(`the server in it belongs to ${schemaFileName(server)}`);
      known.set(server, byTool(tools));
    } catch (error) {
      log?.warn('schema file skipped', { file: name, reason: reasonOf(error), advice: 'Run mcp-exec schemas again.' });
    }
  }
  return known;
}

function byTool(tools: readonly InferredSchema[]): ReadonlyMap<string, InferredSchema> {
  return new Map(tools.map((inferred) => [inferred.tool, inferred]));
}

function resultSchemaOf({ schema, samples, isJsonText }: InferredSchema): ResultSchema {
  return { schema, origin: 'inferred', samples, ...(isJsonText && { isJsonText }) };
}

function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
