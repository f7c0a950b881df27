import { CallerError, ExecutionError } from '../../errors.js';
import type { Log } from '../../log.js';
import { nearest } from '../../nearest.js';
import type { CallOptions, JsonObject, Tool, Toolbox, ToolResult } from '../../toolbox.js';
import type { CodeExecution, SafeTool, WorkOptions } from '../code-execution.js';
import { argumentSchemas, type CodeToolName, codeToolNames } from './arguments.js';
import { shownJson } from './foreign-text.js';
import { createHostPaths } from './host-paths.js';
import { checkConfig, safeToolsFor } from './permissions.js';
import { presentDiscovered } from './present-discovered.js';
import { presentFailure } from './present-failure.js';
import { presentGenerated } from './present-generated.js';
import { presentRun } from './present-run.js';
import { readArguments } from './read-arguments.js';
import { scriptInWorkspace } from './script-path.js';
import { codeTools } from './tools.js';

/** What the user permitted when the server was started. Nothing that an agent says widens it. */
export interface CodeToolboxOptions {
  /** Names of configs that an agent may say, all of which the operations work with anyway. */
  readonly configs?: readonly string[];
  /** Tools that changed since they were generated are taken over. */
  readonly acceptChanges?: boolean;
  /** Tools that may be called to see what they answer. */
  readonly safeTools?: readonly SafeTool[];
  /** So may tools that declare readOnlyHint. */
  readonly acceptReadOnly?: boolean;
  /** Output shown of a run that failed, for each of stdout and stderr. */
  readonly shownBytes?: number;
  /** The most that one call has, of which a client may ask for less. */
  readonly timeoutMs?: number;
  readonly log?: Log;
}

const shownBytesUnlessSaid = 20_000;

/** The three tools of code execution. Closing it closes the operations behind it. */
export function createCodeToolbox(code: CodeExecution, options: CodeToolboxOptions = {}): Toolbox {
  const { configs = [], acceptChanges = false, safeTools = [], acceptReadOnly = false, log } = options;
  const paths = createHostPaths(code.workspace);
  const failures = { paths, shownBytes: options.shownBytes ?? shownBytesUnlessSaid };
  const ended = new AbortController();
  let tools: readonly Tool[] | undefined;

  const work: Readonly<Record<CodeToolName, Work>> = {
    async generate_wrappers(given, following) {
      const { servers, language, config } = readArguments(
        'generate_wrappers',
        argumentSchemas.generate_wrappers,
        given,
      );
      permit(config);
      const result = await code.generateWrappers({ servers, language, acceptChanges, ...following });
      return presentGenerated(result, paths);
    },
    async discover_schemas(given, following) {
      const asked = readArguments('discover_schemas', argumentSchemas.discover_schemas, given);
      permit(asked.config);
      const result = await code.discoverSchemas({
        servers: asked.servers,
        safeTools: await safeToolsFor(asked, safeTools, { servers: code.servers, isAccepted }),
        acceptReadOnly,
        ...following,
      });
      return presentDiscovered(result, paths);
    },
    async execute_script(given, following, { caller, session, timeoutMs }) {
      const { path, limits, ...asked } = readArguments('execute_script', argumentSchemas.execute_script, given);
      const file = path === undefined ? undefined : await scriptInWorkspace(code.workspace, path);
      const result = await code.executeScript({
        ...asked,
        ...(file !== undefined && { path: file }),
        limits: lowered(limits, timeoutMs),
        caller: caller ?? session,
        ...following,
      });
      return presentRun(result, paths);
    },
  };

  return {
    async listTools() {
      tools ??= codeTools(code.servers);
      return tools;
    },
    async call(name, args, callOptions = {}) {
      const startedAt = performance.now();
      const following = { signal: either(callOptions.signal, ended.signal), onEvent: callOptions.onEvent };
      const finish = (outcome: string) =>
        log?.info('call', { tool: name, ms: Math.round(performance.now() - startedAt), outcome });
      try {
        const result = await work[toolNamed(name)](args, following, callOptions);
        finish(result.isError ? 'failed' : 'done');
        return result;
      } catch (error) {
        finish(error instanceof ExecutionError ? error.code : 'failed');
        return presentFailure(error, failures);
      }
    },
    async close() {
      ended.abort();
      await code.close();
    },
  };

  function permit(config: string | undefined): void {
    checkConfig(config, configs, [process.cwd(), code.workspace]);
  }

  async function isAccepted(server: string, tool: string): Promise<boolean> {
    if (!acceptReadOnly) return false;
    const { annotations } = await code.describeTool(server, tool);
    return annotations?.readOnlyHint === true && annotations.destructiveHint !== true;
  }

  /** A client cannot know the limit of the host; what it asks for beyond that is what it has. */
  function lowered(limits: Limits, timeoutMs: number | undefined): Limits {
    if (timeoutMs === undefined || options.timeoutMs === undefined) return limits;
    return { ...limits, timeoutMs: Math.min(timeoutMs, limits?.timeoutMs ?? options.timeoutMs) };
  }
}

type Work = (given: JsonObject, following: WorkOptions, options: CallOptions) => Promise<ToolResult>;
type Limits = Parameters<CodeExecution['executeScript']>[0]['limits'];

function toolNamed(name: string): CodeToolName {
  const known = codeToolNames.find((one) => one === name);
  if (known !== undefined) return known;
  const near = nearest(name.slice(0, 80), codeToolNames);
  const hint = near === undefined ? '' : ` (did you mean ${near}?)`;
  const message = `There is no tool ${shownJson(name)}${hint}; there are ${codeToolNames.join(', ')}. Tools of MCP servers are called from a script, by execute_script.`;
  throw new CallerError('UNKNOWN_TOOL', message);
}

function either(signal: AbortSignal | undefined, other: AbortSignal): AbortSignal {
  return signal ? AbortSignal.any([signal, other]) : other;
}
