import { resolve } from 'node:path';
import type { Path } from '../../configfile/place.js';
import { type Machine, thisMachine } from './clients.js';
import type { ServerEntry } from './entry.js';
import { findConfig } from './find.js';
import { findServers } from './forms.js';
import { readEntry } from './read-entry.js';
import { fileOf, inlineSource, type Place, readSource, type SourceText } from './sources.js';

export type { EntryLogin, ServerEntry } from './entry.js';

/** A path, the name of a client whose file is meant, or what such a file would say. */
export type ConfigSource = string | InlineConfig;

export interface InlineConfig {
  readonly mcpServers: Readonly<Record<string, unknown>>;
}

export interface ReadConfigOptions {
  readonly environment: NodeJS.ProcessEnv;
  /** What relative paths are meant from. */
  readonly cwd?: string;
  /** What decides where clients keep their files, and the home folder. */
  readonly machine?: Machine;
  /** Values for `${input:id}`, by id. */
  readonly inputs?: Readonly<Record<string, string>>;
}

export interface McpConfig {
  readonly entries: readonly ServerEntry[];
  /** The files that were read. */
  readonly files: readonly string[];
  /** What was passed over, in sentences. */
  readonly notes: readonly string[];
}

/**
 * What the sources say of MCP servers; of none, the config of the working folder is read. A source that cannot be
 * read is an error; an entry that is wrong says so itself. Of two servers of one name the first counts.
 */
export async function readMcpConfig(sources: readonly ConfigSource[], options: ReadConfigOptions): Promise<McpConfig> {
  const { environment, inputs = {}, machine = thisMachine(environment) } = options;
  const place: Place = { cwd: resolve(options.cwd ?? '.'), machine };
  const texts = await readAll(sources.length === 0 ? findConfig(place.cwd) : sources, place);
  const entries = new Map<string, ServerEntry>();
  const notes: string[] = [];
  for (const { config, form, origin, folder, repeated } of texts) {
    const found = findServers(config, form, place.cwd);
    const known = { environment, home: machine.home, folder, inputs, declared: found.inputs };
    for (const { path, error } of repeated) {
      if (found.containers.some((container) => isWithin(path, container)))
        notes.push(`${error.message}; the last counts`);
    }
    for (const server of found.servers) {
      const entry = await readEntry(server, config, origin, known);
      const first = entries.get(entry.name);
      if (first)
        notes.push(`${origin}: the server ${entry.name} is passed over, because ${first.origin} has one already`);
      else entries.set(entry.name, entry);
    }
  }
  return { entries: [...entries.values()], files: texts.flatMap(({ file }) => file ?? []), notes };
}

async function readAll(sources: readonly ConfigSource[], place: Place): Promise<readonly SourceText[]> {
  const texts = new Map<unknown, SourceText>();
  for (const source of sources) {
    const key = typeof source === 'string' ? fileOf(source, place) : source;
    if (texts.has(key)) continue;
    const text =
      typeof source === 'string' ? await readSource(fileOf(source, place), source, place) : inlineSource(source, place);
    texts.set(key, text);
  }
  return [...texts.values()];
}

function isWithin(path: Path, container: Path): boolean {
  return container.every((step, index) => path[index] === step);
}
