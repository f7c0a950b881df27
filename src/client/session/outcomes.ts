import { type JSONRPCMessage, SdkHttpError } from '@modelcontextprotocol/client';
import type { Outcome, RpcError } from '../../testedserver.js';
import { isJsonObject } from '../../toolbox.js';
import { whatWasWrongWith } from '../command/messages.js';
import { serverFailed } from '../failures.js';

interface Malformed {
  readonly kind: 'malformed';
  readonly failure: Error;
}

/** What an answer says, without anything mended. */
export function outcomeOfAnswer(message: JSONRPCMessage): Outcome | Malformed {
  const wrong = whatWasWrongWith(message) ?? wrongId(message);
  if (wrong !== undefined) return { kind: 'malformed', failure: malformedAnswer(wrong) };
  if ('result' in message && isJsonObject(message.result)) return { kind: 'result', result: message.result };
  const error = 'error' in message ? rpcErrorOf(message.error) : undefined;
  return error ? { kind: 'error', error } : { kind: 'malformed', failure: malformedAnswer('it has no result') };
}

/** Requests of a session have numbers; not every client takes the same digits in a text for it. */
function wrongId(message: JSONRPCMessage): string | undefined {
  const isText = 'id' in message && typeof message.id === 'string';
  return isText ? 'its id is a string, where the request has a number' : undefined;
}

type FailedSend =
  | { readonly kind: 'answered'; readonly error: RpcError }
  | Malformed
  | { readonly kind: 'session lost' }
  | { readonly kind: 'failed' };

/** What a request that could not be sent, or was refused by HTTP, comes to. */
export function readFailedSend(
  error: unknown,
  id: number,
  isSessionLost: (status: number | undefined) => boolean,
): FailedSend {
  const failure = malformed(error);
  if (failure) return { kind: 'malformed', failure };
  if (!(error instanceof SdkHttpError)) return { kind: 'failed' };
  const answer = answerIn(error);
  if (answer && answer.id === id) return { kind: 'answered', error: answer.error };
  if (isSessionLost(error.status)) return { kind: 'session lost' };
  return answer ? { kind: 'answered', error: answer.error } : { kind: 'failed' };
}

/** What the SDK says of a message that it cannot read, as an error about the server; of other errors, nothing. */
export function malformed(error: unknown): Error | undefined {
  if (!(error instanceof Error)) return undefined;
  if (error instanceof SyntaxError) return malformedAnswer('it is no valid JSON');
  return error.name === 'ZodError' || error.name === '$ZodError'
    ? malformedAnswer('it is no message of JSON-RPC 2.0')
    : undefined;
}

function malformedAnswer(wrong: string): Error {
  return serverFailed(`The MCP server gave a malformed answer: ${wrong}`);
}

/** Many servers put the reason for which they refuse a request by HTTP into a JSON-RPC error, not always with its number. */
function answerIn(error: SdkHttpError): { readonly id: unknown; readonly error: RpcError } | undefined {
  const { text } = error.data ?? {};
  if (typeof text !== 'string') return undefined;
  try {
    const body: unknown = JSON.parse(text);
    const said = isJsonObject(body) ? rpcErrorOf(body.error) : undefined;
    return isJsonObject(body) && said ? { id: body.id, error: said } : undefined;
  } catch {
    return undefined;
  }
}

function rpcErrorOf(error: unknown): RpcError | undefined {
  if (!isJsonObject(error)) return undefined;
  const { code, message, data } = error;
  if (typeof code !== 'number' || typeof message !== 'string') return undefined;
  return { code, message, ...(data !== undefined && { data }) };
}
