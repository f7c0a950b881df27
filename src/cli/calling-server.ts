import type { CalledTool } from '../codemode/code-execution.js';
import { createError, ExecutionError, ScriptError } from '../errors.js';
import type { JsonObject, JsonSchema } from '../toolbox.js';
import type { CodeVerbSettings } from './code-flags.js';
import { withCode } from './code-session.js';
import { mentionFiles, saveFiles } from './files.js';
import { harmlessLines, printableJson } from './harmless.js';
import { filesOf, textOf } from './server-content.js';
import type { Terminal } from './terminal.js';

export interface ServerCall {
  /** The name of a server in the config, or a URL. */
  readonly target: string;
  readonly tool: string;
  /** The arguments, read with what is known of the tool's parameters. */
  readonly argumentsFor: (inputSchema?: JsonSchema) => Promise<JsonObject>;
  readonly flags: { readonly json?: boolean; readonly save?: string };
}

const unsavedExitCode = 1;

/** Calls a tool of an MCP server and prints its answer. */
export function callServer(asked: ServerCall, settings: CodeVerbSettings, terminal: Terminal): Promise<number> {
  const { target, tool, argumentsFor, flags } = asked;
  const url = urlOf(target);
  const server = url === undefined ? target : `${url.origin}${url.pathname}`;
  const config = url && [{ mcpServers: { [server]: { url: target } } }];
  return withCode({ settings, terminal, asJson: flags.json, config, explain }, async (code, live) => {
    const following = { signal: terminal.interrupt, onEvent: live.onEvent };
    const { inputSchema } = await code.describeTool(server, tool, following);
    const called = await code.callTool(server, tool, await argumentsFor(inputSchema), following);
    live.end();
    return await handOver(called, { ...asked, target: server }, terminal);
  });

  function explain(error: unknown): unknown {
    return url === undefined ? notFound(error, target) : error;
  }
}

/** An address is a server by itself. Its name in logs is without what may be a secret in it. */
function urlOf(target: string): URL | undefined {
  return /^https?:\/\//i.test(target) && URL.canParse(target) ? new URL(target) : undefined;
}

/** Whoever meant something else by the word than a server learns what was looked for. */
function notFound(error: unknown, target: string): unknown {
  const isOurs = error instanceof ExecutionError && ['UNKNOWN_SERVER', 'INVALID_CONFIG'].includes(error.code);
  if (!isOurs) return error;
  const message = `There is no file or folder ${target} here, and it is no URL. As an MCP server: ${error.message}`;
  return createError(error.code, message, error.details, { cause: error });
}

async function handOver(called: CalledTool, { target, tool, flags }: ServerCall, terminal: Terminal): Promise<number> {
  const text = textOf(called);
  if (called.isError) throw new ScriptError('TOOL_FAILED', `${target}/${tool}: ${text || 'it does not say why'}`);
  const files = filesOf(called.content, tool);
  const isKept = flags.save === undefined || (await saveFiles(files, flags.save, terminal));
  if (flags.json) terminal.out(`${printableJson(called)}\n`);
  else {
    if (flags.save === undefined) mentionFiles(files, terminal);
    if (text !== '') terminal.out(`${terminal.outWatched ? harmlessLines(text) : text}\n`);
  }
  return isKept ? 0 : unsavedExitCode;
}
