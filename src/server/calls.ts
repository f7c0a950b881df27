import {
  type CallToolRequest,
  type CallToolResult,
  LOG_LEVEL_META_KEY,
  type ServerContext,
} from '@modelcontextprotocol/server';
import { type CallOptions, type JsonObject, type LogLevel, logLevels, type ToolResult } from '../toolbox.js';
import type { Connection } from './connection.js';
import { failedResult } from './failures.js';
import { presentResult } from './results.js';
import { createLogStream, createPartialStream, createProgressStream, joinStreams, type Stream } from './streaming.js';

/** One `tools/call`: events go out while it runs, then the one answer. */
export async function callTool(
  connection: Connection,
  request: CallToolRequest,
  context: ServerContext,
  connectionLevel: LogLevel | undefined,
): Promise<CallToolResult> {
  const { session, store, previewBytes, log } = connection;
  const toolbox = connection.toolboxOf?.(context) ?? connection.toolbox;
  const { name, arguments: args = {} } = request.params;
  const streams = streamsOf(connection, name, context, connectionLevel);
  const stream = joinStreams(streams);
  const options: CallOptions = {
    session,
    signal: context.mcpReq.signal,
    ...(streams.length > 0 && { onEvent: stream.onEvent }),
  };
  const presentation = { store, previewBytes, tool: name, hasOutputSchema: await hasOutputSchema(connection, name) };
  let result: ToolResult;
  try {
    result = await toolbox.call(name, jsonArguments(args), options);
  } catch (error) {
    result = failedResult(error, log);
  } finally {
    await stream.flush();
  }
  return presentResult(result, presentation);
}

/** Whatever came over the wire was parsed from JSON. */
function jsonArguments(args: NonNullable<CallToolRequest['params']['arguments']>): JsonObject {
  return args as JsonObject;
}

async function hasOutputSchema({ toolbox }: Connection, name: string): Promise<boolean> {
  const tools = await toolbox.listTools();
  return tools.some((tool) => tool.name === name && tool.outputSchema !== undefined);
}

function streamsOf(
  { writePartial }: Connection,
  tool: string,
  { mcpReq }: ServerContext,
  connectionLevel: LogLevel | undefined,
): Stream[] {
  const { id, notify } = mcpReq;
  const token = mcpReq._meta?.progressToken;
  const level = requestLevel(mcpReq.envelope) ?? connectionLevel;
  const streams: Stream[] = [];
  if (token !== undefined) {
    streams.push(
      createProgressStream((numbers) =>
        notify({ method: 'notifications/progress', params: { progressToken: token, ...numbers } }),
      ),
    );
  }
  if (level !== undefined) {
    const send = (entry: { readonly level: LogLevel; readonly data: string }) =>
      notify({ method: 'notifications/message', params: { ...entry, logger: tool } });
    streams.push(createLogStream(send, level, token === undefined));
  }
  if (writePartial) {
    streams.push(createPartialStream((part) => writePartial({ jsonrpc: '2.0', id, partial: true, ...part })));
  }
  return streams;
}

function requestLevel(envelope: Readonly<Record<string, unknown>> | undefined): LogLevel | undefined {
  const level = envelope?.[LOG_LEVEL_META_KEY];
  return logLevels.find((known) => known === level);
}
