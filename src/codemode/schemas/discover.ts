import { ExecutionError } from '../../errors.js';
import type { Log } from '../../log.js';
import { createQueue } from '../../queue/queue.js';
import type { Tool } from '../../toolbox.js';
import type { ToolSource } from '../../toolsource.js';
import type { DiscoverSchemasOptions, DiscoverSchemasResult, Failure } from '../code-execution.js';
import { cancelled } from '../execute/deadline.js';
import { cleanLine } from '../wrappers/foreign-text.js';
import type { CallTool } from './ask.js';
import { discoverServer, type ServerFindings } from './discover-server.js';
import type { SchemaStore } from './store.js';

export interface Discovery {
  readonly source: Pick<ToolSource, 'names' | 'list'>;
  readonly store: SchemaStore;
  readonly options: DiscoverSchemasOptions;
  readonly call: CallTool;
  /** The tool as it was when it was generated, where it is pinned. */
  readonly pinnedTool?: (server: string, tool: string) => Tool | undefined;
  readonly callTimeoutMs?: number;
  readonly log?: Log;
}

type FailedServer = Failure & { readonly server: string };

const serversAtOnce = 4;

/**
 * Learns what tools without an output schema answer, by calling those that a person permits. One server that fails stops no
 * other; what was learnt of a server is kept when all its calls are over.
 */
export async function discover(discovery: Discovery): Promise<DiscoverSchemasResult> {
  const { source, options } = discovery;
  const servers = [...new Set(options.servers ?? source.names)];
  const asked = [...servers, ...unknownSafeServers(discovery, servers)];
  const tell = tellProgress(options, asked.length * 2);
  const queue = createQueue({ concurrency: serversAtOnce, queueLength: asked.length });
  const found = await Promise.all(
    asked.map((server) => queue.run(() => findingsOf(discovery, server, tell), { signal: options.signal })),
  );
  return {
    tools: found.flatMap((findings) => ('reports' in findings ? findings.reports : [])),
    failures: found.flatMap((findings) => ('reports' in findings ? [] : [findings])),
  };
}

/** They are asked for, so that the source itself says what is wrong with them. */
function unknownSafeServers({ source, options }: Discovery, servers: readonly string[]): readonly string[] {
  const named = new Set(options.safeTools?.map(({ server }) => server));
  return [...named].filter((server) => !servers.includes(server) && !source.names.includes(server));
}

async function findingsOf(
  discovery: Discovery,
  server: string,
  tell: (message: string) => Promise<void>,
): Promise<ServerFindings | FailedServer> {
  const { source, options, log } = discovery;
  const { signal } = options;
  const listed = await source.list(server, { signal }).catch((error: unknown) => failureOf(server, error));
  if (signal?.aborted) throw cancelled(signal);
  if ('code' in listed) {
    log?.warn('no schemas were learnt', { server, code: listed.code, reason: listed.message });
    await tell(`${cleanLine(server, 60)}: ${listed.message}`);
    return listed;
  }
  return discoverServer(discovery, server, listed.tools, tell);
}

function failureOf(server: string, error: unknown): FailedServer {
  if (error instanceof ExecutionError) return { server, code: error.code, message: cleanLine(error.message, 500) };
  return { server, code: 'SERVER_FAILED', message: 'The tools of the MCP server cannot be listed.' };
}

function tellProgress({ onEvent }: DiscoverSchemasOptions, total: number): (message: string) => Promise<void> {
  let done = 0;
  return async (message) => {
    done = Math.min(done + 1, total);
    await onEvent?.({ type: 'progress', done, total, message });
  };
}
