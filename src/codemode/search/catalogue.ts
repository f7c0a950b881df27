import { ExecutionError } from '../../errors.js';
import type { Tool } from '../../toolbox.js';
import type { ToolSource } from '../../toolsource.js';
import type { Failure } from '../code-execution.js';
import type { PinnedTools } from '../execute/changed-servers.js';
import { cancelled } from '../execute/deadline.js';
import type { KnownTool, ResultSchema } from '../known-tools.js';
import { uniqueTools } from '../schemas/unique-tools.js';
import { cleanLine } from '../wrappers/foreign-text.js';
import { serverModules, type ToolNames, toolNames } from '../wrappers/names.js';

export interface CatalogueParts {
  readonly source: Pick<ToolSource, 'names' | 'list'>;
  /** What was inferred. */
  readonly resultSchemas: (server: string, tool: string) => ResultSchema | undefined;
  /** What wrappers were generated from. A tool that changed since is shown as it was, as its wrapper is. */
  readonly pins?: () => Promise<Pick<PinnedTools, 'tools'>>;
}

export interface CataloguedTool extends KnownTool {
  readonly server: string;
  /** Of the server, in Python. */
  readonly module: string;
  readonly names: ToolNames;
  readonly hasWrapper: boolean;
}

export interface CataloguedServer {
  readonly server: string;
  readonly tools: readonly CataloguedTool[];
}

export type FailedServer = Failure & { readonly server: string };

/** The tools of servers, with what they are called in Python. */
export interface Catalogue {
  /** The server that a name of the config or of Python means. */
  serverNamed(name: string): string | undefined;
  /** Rejects as the source does. */
  read(server: string, signal?: AbortSignal): Promise<CataloguedServer>;
  /** Rejects only where the signal aborts. */
  tryRead(server: string, signal?: AbortSignal): Promise<CataloguedServer | FailedServer>;
}

export function createCatalogue({ source, resultSchemas, pins }: CatalogueParts): Catalogue {
  const modules = serverModules(source.names);
  return { serverNamed, read, tryRead };

  function serverNamed(name: string): string | undefined {
    return (
      source.names.find((server) => server === name) ?? source.names.find((server) => modules.get(server) === name)
    );
  }

  async function read(server: string, signal?: AbortSignal): Promise<CataloguedServer> {
    const { tools } = await source.list(server, { signal });
    const pinned = (await pins?.())?.tools(server);
    const names = toolNames(pinned ? [...pinned.keys()] : tools.map(({ name }) => name));
    const module = modules.get(server) ?? server;
    const catalogued = uniqueTools(tools).map((listed): CataloguedTool => {
      const own = names.get(listed.name);
      if (own === undefined) return unaccepted(server, module, listed.name);
      const tool = pinned?.get(listed.name) ?? listed;
      return { server, module, names: own, tool, result: resultOf(server, tool), hasWrapper: true };
    });
    return { server, tools: catalogued };
  }

  /** What a server declares holds, whatever was inferred before it did. */
  function resultOf(server: string, { name, outputSchema }: Tool): ResultSchema | undefined {
    return outputSchema ? { schema: outputSchema, origin: 'declared' } : resultSchemas(server, name);
  }

  async function tryRead(server: string, signal?: AbortSignal): Promise<CataloguedServer | FailedServer> {
    try {
      return await read(server, signal);
    } catch (error) {
      if (signal?.aborted) throw cancelled(signal);
      return failureOf(server, error);
    }
  }
}

/** Came after the wrappers: until a person accepts it, nothing of what it says of itself reaches an agent. */
function unaccepted(server: string, module: string, name: string): CataloguedTool {
  const description = 'New since the wrappers were generated, and not looked at yet. Generate anew to accept it.';
  const names = toolNames([name]).get(name) ?? { module: name, function: name, asyncFunction: name };
  return { server, module, names, tool: { name, description, inputSchema: {} }, hasWrapper: false };
}

function failureOf(server: string, error: unknown): FailedServer {
  if (error instanceof ExecutionError) return { server, code: error.code, message: cleanLine(error.message, 500) };
  return { server, code: 'SERVER_FAILED', message: 'The tools of the MCP server cannot be listed.' };
}
