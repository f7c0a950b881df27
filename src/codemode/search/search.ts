import { CallerError } from '../../errors.js';
import { createQueue } from '../../queue/queue.js';
import type { DescribedTool, SearchOptions, SearchResult, ToolEntry } from '../code-execution.js';
import { type CataloguedTool, type CatalogueParts, createCatalogue } from './catalogue.js';
import { descriptionOf, entryOf } from './entry.js';
import { findTool } from './find-tool.js';
import { rank } from './rank.js';

/** The index of all tools. */
export interface Search {
  /** The tools that match, the best first; without words all of them, in the order of the config. */
  search(options?: SearchOptions): Promise<SearchResult>;
  /**
   * What `describe_tool` answers. The names are those of MCP or of Python; without a tool the first holds both, as `server__tool`,
   * `server.tool` or `server/tool`.
   */
  describe(server: string, tool?: string, options?: { readonly signal?: AbortSignal }): Promise<DescribedTool>;
}

const defaultLimit = 20;
const serversAtOnce = 8;

export function createSearch(parts: CatalogueParts): Search {
  const catalogue = createCatalogue(parts);
  const entries = new WeakMap<CataloguedTool['tool'], { readonly of: CataloguedTool; readonly entry: ToolEntry }>();

  return {
    async search(options = {}) {
      const { words = '', signal } = options;
      const limit = limitOf(options);
      const servers = [...new Set(options.servers ?? parts.source.names)].map(
        (name) => catalogue.serverNamed(name) ?? name,
      );
      const queue = createQueue({ concurrency: serversAtOnce, queueLength: servers.length });
      const read = await Promise.all(
        servers.map((server) => queue.run(() => catalogue.tryRead(server, signal), { signal })),
      );
      const all = read.flatMap((one) => ('tools' in one ? one.tools : []));
      const found = words.trim() === '' ? all : rank(words, all);
      return {
        tools: found.slice(0, limit).map(rememberedEntry),
        failures: read.flatMap((one) => ('tools' in one ? [] : [one])),
      };
    },
    async describe(server, tool, { signal } = {}) {
      return descriptionOf(await findTool(catalogue, parts.source.names, { server, tool }, signal));
    },
  };

  function rememberedEntry(catalogued: CataloguedTool): ToolEntry {
    const known = entries.get(catalogued.tool);
    if (known && isSame(known.of, catalogued)) return known.entry;
    const entry = entryOf(catalogued);
    entries.set(catalogued.tool, { of: catalogued, entry });
    return entry;
  }
}

function isSame(one: CataloguedTool, other: CataloguedTool): boolean {
  const isNamedAlike = one.server === other.server && one.names.function === other.names.function;
  return isNamedAlike && one.result?.schema === other.result?.schema;
}

function limitOf({ limit, words = '' }: SearchOptions): number {
  if (limit === undefined) return words.trim() === '' ? Number.POSITIVE_INFINITY : defaultLimit;
  if (Number.isInteger(limit) && limit > 0) return limit;
  throw new CallerError('INVALID_ARGUMENTS', `limit is ${limit}; it must be a whole number above 0.`, {
    argument: 'limit',
  });
}
