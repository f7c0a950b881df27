import { ProtocolError, ProtocolErrorCode, SdkError, SdkErrorCode, SdkHttpError } from '@modelcontextprotocol/client';
import { CallerError, type ErrorDetails, ExecutionError, HostError, LimitError } from '../errors.js';
import { nearest } from '../nearest.js';
import type { Tool, ToolResult } from '../toolbox.js';
import type { Link, Reason } from './link.js';

const longestText = 4000;

export function serverFailed(message: string, details?: ErrorDetails, cause?: unknown): HostError {
  return new HostError('SERVER_FAILED', message, details, { cause });
}

/** The request was refused before anything was done, because the server forgot the session: it may be sent again. */
export class SessionLost extends Error {}

/** Why a request came to nothing, as far as it is not the word of the server on that very call. */
export function failureOf(error: unknown, link: Link): Error {
  if (error instanceof ExecutionError || error instanceof SessionLost) return error;
  if (link.failure) return link.failure();
  const explained = link.explain?.(error);
  if (explained) return explained;
  if (error instanceof SdkHttpError) return refusedWith(error.status, error);
  const content = unexpectedContentIn(error);
  if (content) return serverFailed(`The MCP server answered with ${contentTypeIn(content)}`, {}, error);
  if (error instanceof SdkError && error.code === SdkErrorCode.InvalidResult) {
    return serverFailed('The MCP server gave an answer that has no form that MCP knows', {}, error);
  }
  if (error instanceof SdkError && asksThePerson.has(error.code)) {
    return serverFailed(
      'The tool asks the person a question in the middle of the call, which cannot be passed on',
      {},
      error,
    );
  }
  if (error instanceof ProtocolError) {
    return serverFailed(`The MCP server answered with the error ${error.code}: ${textOf(error)}`, {}, error);
  }
  return serverFailed(`The MCP server could not be reached: ${reasonOf(error)}`, {}, error);
}

const asksThePerson: ReadonlySet<string> = new Set([
  SdkErrorCode.UnsupportedResultType,
  SdkErrorCode.InputRequiredRoundsExceeded,
]);

/** What the server says against a call: the caller's mistake is thrown, anything else is a result that the model reads. */
export function refusedCall(error: ProtocolError, name: string, tools: readonly Tool[] | undefined): ToolResult {
  const text = textOf(error);
  if (error.code === ProtocolErrorCode.InvalidParams) {
    if (tools && !isAmong(tools, name)) throw unknownTool(name, tools);
    throw new CallerError('INVALID_ARGUMENTS', text === '' ? 'The MCP server refused the arguments' : text);
  }
  return { content: [{ type: 'text', text: `Error ${error.code}: ${text}` }], isError: true, code: 'SERVER_FAILED' };
}

/** Many servers say only in a result that they have no such tool; one that is listed may fail as it likes. */
export function orUnknown(result: ToolResult, name: string, tools: readonly Tool[] | undefined): ToolResult {
  if (result.isError && tools && !isAmong(tools, name)) throw unknownTool(name, tools);
  return result;
}

function isAmong(tools: readonly Tool[], name: string): boolean {
  return tools.some((tool) => tool.name === name);
}

export function unknownTool(name: string, tools: readonly Tool[]): CallerError {
  const names = tools.map((tool) => tool.name);
  const close = nearest(name, names);
  const few = names.slice(0, 20).join(', ');
  const advice = close === undefined ? `It has: ${few === '' ? 'none' : few}.` : `Did you mean ${close}?`;
  return new CallerError('UNKNOWN_TOOL', `The MCP server has no tool ${JSON.stringify(name.slice(0, 200))}. ${advice}`);
}

export function timedOut(timeoutMs: number): LimitError {
  return new LimitError('TIMEOUT', `The MCP server did not answer within ${timeoutMs} ms`, { limit: timeoutMs });
}

export function cancelled(signal: AbortSignal | undefined): LimitError {
  return new LimitError('CANCELLED', 'The call was cancelled', {}, { cause: signal?.reason });
}

export const closedReason: Reason = () => new HostError('CLOSED', 'The connection to the MCP server is closed');
export const restartedReason: Reason = () => serverFailed('The MCP server was restarted before it answered');

export function refusedWith(status: number | undefined, cause?: SdkHttpError): HostError {
  const what = status === 401 || status === 403 ? ': it asks for other credentials; check the headers' : '';
  return serverFailed(`The MCP server refused the request with HTTP status ${status}${what}`, {}, cause);
}

/** What the server says, which is anything: it stays text. */
function textOf({ message }: Error): string {
  return message.length > longestText ? `${message.slice(0, longestText)}…` : message;
}

/** The SDK puts the error into another where it was still finding out what the server speaks. */
function unexpectedContentIn(error: unknown): SdkError | undefined {
  for (let cause = error, depth = 0; cause instanceof Error && depth < 5; cause = cause.cause, depth += 1) {
    if (cause instanceof SdkError && cause.code === SdkErrorCode.ClientHttpUnexpectedContent) return cause;
  }
  return undefined;
}

function contentTypeIn({ data }: SdkError): string {
  const said = typeof data === 'object' && data !== null && 'contentType' in data ? data.contentType : undefined;
  const [type] = typeof said === 'string' ? (/^[\w.+-]{1,60}\/[\w.+-]{1,60}/.exec(said) ?? []) : [];
  const found = type === undefined ? 'a content type that is none' : `the content type ${type}`;
  const expected = 'expected application/json or text/event-stream; is the address that of an MCP server?';
  return `${typeof said === 'string' ? found : 'no content type'}; ${expected}`;
}

/** `fetch` says what happened in the cause of its error, and the SDK puts that error into another. */
function reasonOf(error: unknown): string {
  let reason = error;
  for (let cause = error, depth = 0; cause instanceof Error && depth < 5; cause = cause.cause, depth += 1) {
    if ('code' in cause && typeof cause.code === 'string' && /^E[A-Z0-9]+$/.test(cause.code)) return cause.code;
    if (cause.message === 'fetch failed' && cause.cause instanceof Error) reason = cause.cause;
  }
  return reason instanceof Error ? textOf(reason) : 'the reason is not known';
}
