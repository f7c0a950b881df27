import {
  Client,
  type JSONRPCMessage,
  LOG_LEVEL_META_KEY,
  ProtocolError,
  SdkHttpError,
} from '@modelcontextprotocol/client';
import * as z from 'zod';
import { LimitError } from '../errors.js';
import type { JsonObject, OnEvent, Tool, ToolResult } from '../toolbox.js';
import { unlessAborted, within } from './deadline.js';
import { createEventFlow, type EventFlow, logOf, type Notification, progressOf } from './events.js';
import { failureOf, orUnknown, refusedCall, SessionLost, serverFailed } from './failures.js';
import { introduce, noSchemaValidator, noTimeout } from './introduce.js';
import type { EndOptions, Link, Reason } from './link.js';
import { listAllTools, type ToolList } from './listing.js';
import { readResult } from './results.js';
import type { FilledOptions } from './target.js';
import { withToolsAside, withToolsBack } from './tools-aside.js';

/** A server that has introduced itself. */
export interface Connection {
  /** What it calls itself. */
  readonly serverInfo: { readonly name: string; readonly version: string; readonly title?: string } | undefined;
  readonly instructions: string | undefined;
  readonly era: 'legacy' | 'modern';
  readonly ended: Link['ended'];
  /** Whether nothing more comes of it. */
  readonly isOver: boolean;
  /** Calls that were given up while the server may still be working on them. */
  readonly abandoned: number;
  listTools(): Promise<ToolList>;
  call(request: CallRequest): Promise<ToolResult>;
  /** Rejects where the server does not answer in time. */
  ping(timeoutMs: number): Promise<void>;
  end(reason: Reason, how?: EndOptions): Promise<void>;
}

export interface CallRequest {
  readonly name: string;
  readonly args: JsonObject;
  /** What the server said that it has, where that is known. */
  readonly tools?: readonly Tool[];
  readonly signal?: AbortSignal;
  readonly onEvent?: OnEvent;
}

export interface ConnectionOptions extends Pick<FilledOptions, 'identity' | 'startTimeoutMs' | 'timeoutMs' | 'log'> {
  /** Whether one client alone is served, so that what the server says to nobody in particular is for that client. */
  readonly isPrivate: boolean;
  readonly onToolsChanged: () => void;
}

const anyResult = z.looseObject({});
const logLevel = 'info';

/** Introduces itself to the server at the other end. The link is ended where that fails. */
export async function openConnection(
  link: Link,
  options: ConnectionOptions,
  signal?: AbortSignal,
): Promise<Connection> {
  const client = new Client(options.identity, {
    capabilities: {},
    jsonSchemaValidator: noSchemaValidator,
    versionNegotiation: link.negotiation,
    listChanged: { tools: { autoRefresh: false, debounceMs: 0, onChanged: () => {} } },
  });
  const { log, isPrivate } = options;
  client.onerror = (error) => {
    log.debug('the connection to an MCP server reported an error', { message: error.message.slice(0, 500) });
    link.onError?.(error);
  };
  const flows = new Map<string, EventFlow>();
  const losses = new Map<string, (why: string) => void>();
  link.onLost = (token, why) => losses.get(token)?.(why);
  let tokens = 0;
  let underWay = 0;
  await introduce(client, link, options.startTimeoutMs, signal);
  hearNotifications();
  const isModern = client.getProtocolEra() === 'modern';
  const capabilities = client.getServerCapabilities() ?? {};
  // Nobody waits for the answer: some servers give none.
  if (capabilities.logging && !isModern) request('logging/setLevel', { level: logLevel }).catch(() => {});

  return {
    serverInfo: client.getServerVersion(),
    instructions: client.getInstructions(),
    era: isModern ? 'modern' : 'legacy',
    ended: link.ended,
    get isOver() {
      return link.isOver;
    },
    get abandoned() {
      return link.abandoned;
    },
    async listTools() {
      if (!capabilities.tools) return { tools: [] };
      try {
        return await listAllTools(
          async (params) => withToolsBack(await within(options.timeoutMs, (own) => request('tools/list', params, own))),
          log,
        );
      } catch (error) {
        throw lostOrFailed(error);
      }
    },
    call,
    async ping(timeoutMs) {
      // The newer revision has no ping.
      const method = isModern ? 'tools/list' : 'ping';
      await within(timeoutMs, (own) => request(method, {}, own).catch(refusalIsAnAnswer)).catch((error) => {
        throw lostOrFailed(error);
      });
    },
    end: (reason, how) => link.end(reason, how),
  };

  /** Before the SDK hears of a message, because it looks at the answer first when both came together. */
  function hearNotifications(): void {
    const { transport } = link;
    const next = transport.onmessage;
    transport.onmessage = (message: JSONRPCMessage, extra) => {
      if (!('method' in message)) {
        if (message.id !== undefined) link.answered?.(message.id);
      } else if (!('id' in message)) hear(message);
      next?.(withToolsAside(message), extra);
    };
    client.setNotificationHandler('notifications/progress', () => {});
  }

  function hear(notification: Notification): void {
    if (notification.method === 'notifications/progress') {
      const progress = progressOf(notification);
      if (progress) flows.get(String(progress.token))?.push(progress.event);
    } else if (notification.method === 'notifications/message') {
      const event = logOf(notification);
      const [flow] = flows.values();
      if (event && flow && (underWay === 1 || isPrivate)) flow.push(event);
      else if (event) log.script.debug('the MCP server logged', { message: event.message });
    } else if (notification.method === 'notifications/tools/list_changed') options.onToolsChanged();
  }

  async function call({ name, args, tools, signal, onEvent }: CallRequest): Promise<ToolResult> {
    const token = nextToken();
    const flow = onEvent && createEventFlow(onEvent, isPrivate ? link.hold : undefined);
    if (flow) flows.set(token, flow);
    const lost = lossOf(token);
    underWay += 1;
    try {
      const params = { name, arguments: args, _meta: metaOf(token, flow !== undefined) };
      const own = either(signal, lost);
      const answer = await unlessAborted(own, () => send(params, own, tools));
      if (flow) await unlessAborted(signal, flow.flush);
      return orUnknown(readResult(answer), name, tools);
    } catch (error) {
      if (error instanceof LimitError) link.giveUp?.(token);
      if (lost?.aborted) throw serverFailed(`The answer of the MCP server was lost: ${lost.reason}`);
      // Why it is over is known only when all of it is gone.
      if (link.isOver && !link.failure && !(error instanceof LimitError)) await link.ended;
      if (error instanceof ProtocolError && !link.failure && !link.explain?.(error)) {
        return refusedCall(error, name, tools);
      }
      throw lostOrFailed(error);
    } finally {
      underWay -= 1;
      flow?.stop();
      flows.delete(token);
      losses.delete(token);
    }
  }

  function lostOrFailed(error: unknown): Error {
    const failure = failureOf(error, link);
    if (!(error instanceof SdkHttpError) || !link.isSessionLost?.(error.status)) return failure;
    link.end(() => serverFailed('The MCP server forgot the session'));
    return new SessionLost(failure.message, { cause: failure });
  }

  /** Where an answer can be lost while the rest of the connection lives. */
  function lossOf(token: string): AbortSignal | undefined {
    if (!link.giveUp) return undefined;
    const lost = new AbortController();
    losses.set(token, (why) => lost.abort(why));
    return lost.signal;
  }

  function nextToken(): string {
    tokens += 1;
    return `call-${tokens}`;
  }

  function metaOf(token: string, listens: boolean): Record<string, string> {
    return {
      ...((listens || link.giveUp) && { progressToken: token }),
      ...(listens && isModern && capabilities.logging && { [LOG_LEVEL_META_KEY]: logLevel }),
    };
  }

  function send(
    params: { name: string; arguments: JsonObject; _meta: Record<string, string> },
    signal: AbortSignal | undefined,
    tools: readonly Tool[] | undefined,
  ): Promise<Readonly<Record<string, unknown>>> {
    const own = signal && { signal };
    const tool = isModern ? tools?.find(({ name }) => name === params.name) : undefined;
    if (!tool || !asksForHeaders(tool)) return request('tools/call', params, own);
    const { name, inputSchema } = tool;
    return client.callTool(
      { ...params, arguments: { ...params.arguments } },
      { ...noTimeout, ...own, toolDefinition: { name, inputSchema: { ...inputSchema, type: 'object' } } },
    );
  }

  function request(
    method: string,
    params?: Record<string, unknown>,
    own?: { readonly signal: AbortSignal },
  ): Promise<Readonly<Record<string, unknown>>> {
    return client.request({ method, ...(params && { params }) }, anyResult, { ...noTimeout, ...own });
  }
}

/** Some servers want arguments repeated in headers, which the SDK knows how to write. */
function asksForHeaders({ inputSchema }: Tool): boolean {
  return JSON.stringify(inputSchema).includes('"x-mcp-header"');
}

function either(one: AbortSignal | undefined, other: AbortSignal | undefined): AbortSignal | undefined {
  return one && other ? AbortSignal.any([one, other]) : (one ?? other);
}

function refusalIsAnAnswer(error: unknown): void {
  if (!(error instanceof ProtocolError)) throw error;
}
