import { type ErrorCode, errorTable, isErrorCode } from '../../errors.js';
import type { Log } from '../../log.js';
import { partOf } from '../../server/streaming.js';
import { rpcErrorOf } from '../http/failures.js';
import { type Outcome, outcomeOf } from '../rest/outcome.js';
import type { GatewayCallOptions, ServedToolbox } from '../service.js';
import type { StreamEvent } from './kept-events.js';
import type { RpcId, StreamMessage } from './message.js';
import type { OpenStream } from './registry.js';

type StreamRequest = Extract<StreamMessage, { readonly id: RpcId }>;
type CallRequest = Extract<StreamMessage, { readonly method: 'tools/call' }>;

/** Does what was asked for, with every frame on the stream, the last of which is the answer. */
export async function answerOn(
  stream: OpenStream,
  request: StreamRequest,
  toolbox: ServedToolbox,
  options: GatewayCallOptions,
  log: Log,
): Promise<void> {
  const { channel, calls, isOnce } = stream;
  const { id } = request;
  const cancelled = new AbortController();
  calls.set(id, cancelled);
  await channel.sendWhenRoom(await lastFrame().catch((error) => errorFrame(rpcErrorOf(error, log))));
  calls.delete(id);
  if (isOnce) channel.complete();

  async function lastFrame(): Promise<StreamEvent> {
    if (request.method === 'tools/call') return call(request, cancelled.signal);
    return frame({ result: request.method === 'ping' ? {} : { tools: await toolbox.listTools() } });
  }

  async function call(asked: CallRequest, signal: AbortSignal): Promise<StreamEvent> {
    const onEvent: GatewayCallOptions['onEvent'] = (event) => channel.send(frame({ partial: true, ...partOf(event) }));
    const outcome = await outcomeOf(() => toolbox.call(asked.tool, asked.args, { ...options, signal, onEvent }), log);
    return outcome.isDone ? frame({ result: outcome.answer }) : errorFrame(rpcFailure(outcome));
  }

  function frame(members: object): StreamEvent {
    return { data: JSON.stringify({ jsonrpc: '2.0', id, ...members }) };
  }

  function errorFrame(error: object): StreamEvent {
    return { event: 'error', ...frame({ error }) };
  }
}

/** The number of a tool that failed by itself, which MCP would give as a result. */
const toolFailed = -32_000;
const internalError = -32_603;

function rpcFailure({ failure, answer }: Extract<Outcome, { isDone: false }>) {
  const { code, message, ...more } = failure.body.error;
  return { code: isErrorCode(code) ? rpcNumber(code) : internalError, message, data: { code, ...more, ...answer } };
}

function rpcNumber(code: ErrorCode): number {
  const { mcp } = errorTable[code];
  return mcp.outcome === 'error' ? mcp.code : toolFailed;
}
