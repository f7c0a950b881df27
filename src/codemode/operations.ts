import type { Log } from '../log.js';
import type { ToolSource } from '../toolsource.js';
import type { Tracing } from '../tracing/tracing.js';
import type { Approve, CodeExecution, GenerateResult } from './code-execution.js';
import { createExecute, createRunLog, type PinnedTools } from './execute/execute.js';
import { recorded } from './execute/recorded.js';
import { createRunId } from './execute/run-id.js';
import type { Operation } from './execute/run-log.js';
import { discover } from './schemas/discover.js';
import { checkDrift } from './schemas/drift.js';
import { openSchemaStore } from './schemas/store.js';
import type { ScriptRunner } from './script-runner.js';
import { createSearch } from './search/search.js';
import type { CodeSettings } from './settings.js';
import type { Workspace } from './workspace.js';
import { changesSince } from './wrappers/pinning.js';
import { createPinsReader, type Pins } from './wrappers/pins.js';
import { generate } from './wrappers/wrappers.js';

export interface OperationParts {
  /** The files that name the servers. */
  readonly configs: readonly string[];
  readonly source: ToolSource;
  /** Asked for with each run; whoever makes it closes it. */
  readonly runner: () => Promise<ScriptRunner>;
  readonly workspace: Workspace;
  readonly settings: CodeSettings;
  readonly approve?: Approve;
  readonly tracing?: Tracing;
  readonly log: Log;
}

/** The operations behind library, command and MCP server. Servers and runner stay the caller's to close. */
export async function createOperations(parts: OperationParts): Promise<CodeExecution> {
  const { source, workspace, settings, log } = parts;
  const store = await openSchemaStore(workspace.schemas, log);
  const runLog = createRunLog(workspace, { log });
  const readPins = createPinsReader(workspace.servers);
  let known: Pins | undefined;
  const pins = async () => {
    known = await readPins();
    return asPinnedTools(known);
  };
  const { resultSchemas } = store;
  const search = createSearch({ source, resultSchemas, pins });
  const execute = createExecute({ ...parts, pins, resultSchemas, checkDrift, search, runLog });
  const logged = <T>(op: Operation, work: () => Promise<T>) => recorded({ op, run: createRunId(), runLog, log }, work);

  return {
    servers: source.names,
    workspace: workspace.folder,
    configs: parts.configs,
    async warm() {
      await (await parts.runner()).warm();
    },
    generateWrappers: (options = {}) => logged('generate_wrappers', () => generateAll(options)),
    discoverSchemas: (options = {}) =>
      logged('discover_schemas', async () => {
        const pinned = await pins();
        return discover({
          source,
          store,
          options,
          call: execute.callTool,
          pinnedTool: (server, tool) => pinned.tools(server)?.get(tool),
          callTimeoutMs: settings.callTimeoutMs,
          log,
        });
      }),
    async executeScript(options) {
      await noticeWrappers().catch(() => undefined);
      return execute.execute(options);
    },
    searchTools: (options) => logged('search_tools', () => search.search(options)),
    describeTool: (server, tool, options) => search.describe(server, tool, options),
    callTool: (server, tool, args, options) => execute.callTool(server, tool, args, options),
    attend: () => execute.attend(),
    savedScripts: () => execute.savedScripts(),
    readOutput: (asked) => execute.readOutput(asked),
    close: () => execute.close(),
  };

  /** Another process may have generated since servers were compared with what was. */
  async function noticeWrappers(): Promise<void> {
    if (known === undefined || (await readPins()) === known) return;
    known = undefined;
    execute.wrappersChanged();
  }

  async function generateAll(options: Parameters<CodeExecution['generateWrappers']>[0] = {}): Promise<GenerateResult> {
    try {
      return await generate({ source, folder: workspace.servers, resultSchemas, options, log });
    } finally {
      execute.wrappersChanged();
    }
  }
}

function asPinnedTools(pins: Pins): PinnedTools {
  return {
    tools(server) {
      const pinned = pins.servers.get(server);
      return pinned && new Map([...pinned.tools].map(([name, { tool }]) => [name, tool]));
    },
    changes: (server, tools) => changesSince(pins, server, tools),
  };
}
