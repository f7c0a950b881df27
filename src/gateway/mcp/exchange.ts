import type {
  JSONRPCErrorResponse,
  JSONRPCNotification,
  JSONRPCRequest,
  JSONRPCResultResponse,
  RequestId,
  ServerContext,
  Transport,
} from '@modelcontextprotocol/server';
import { type Connection, createServer } from '../../server/connection.js';
import type { CallScene } from './calls.js';

export type Answer = JSONRPCResultResponse | JSONRPCErrorResponse;

export interface AskOptions {
  readonly scene: CallScene;
  /** Aborts when nobody waits for the answer any more. */
  readonly signal: AbortSignal;
  /** Told what happens before the answer; a promise holds back what comes next. */
  readonly onNotification?: (notification: JSONRPCNotification) => Promise<void> | undefined;
}

/** One MCP server that answers the requests of many, who know nothing of each other. */
export interface Exchange {
  readonly underWay: number;
  /** Nothing where the request was given up before it was answered. */
  ask(request: JSONRPCRequest, options: AskOptions): Promise<Answer | undefined>;
  close(): Promise<void>;
}

interface Waiting extends AskOptions {
  /** As whoever asks calls it; here it has a number that no other request has. */
  readonly id: RequestId;
  answer(answer: Answer | undefined): void;
}

export function createExchange(
  connect: (sceneOf: (context: ServerContext) => CallScene | undefined) => Connection,
): Exchange {
  const waiting = new Map<RequestId | undefined, Waiting>();
  let lastNumber = 0;
  const transport: Transport = {
    async start() {},
    async close() {
      for (const { answer } of waiting.values()) answer(undefined);
      waiting.clear();
      transport.onclose?.();
    },
    async send(message, options) {
      if ('method' in message) {
        if (!('id' in message)) await waiting.get(options?.relatedRequestId)?.onNotification?.(message);
        return;
      }
      const asked = waiting.get(message.id);
      waiting.delete(message.id);
      asked?.answer({ ...message, id: asked.id });
    },
  };
  const server = createServer(connect(({ mcpReq }) => waiting.get(mcpReq.id)?.scene));
  const connected = server.connect(transport);

  return {
    get underWay() {
      return waiting.size;
    },
    async ask(request, options) {
      await connected;
      const { signal } = options;
      if (signal.aborted) return undefined;
      const number = ++lastNumber;
      const giveUp = () => {
        const reason = 'the client is gone';
        waiting.get(number)?.answer(undefined);
        waiting.delete(number);
        transport.onmessage?.({
          jsonrpc: '2.0',
          method: 'notifications/cancelled',
          params: { requestId: number, reason },
        });
      };
      signal.addEventListener('abort', giveUp, { once: true });
      try {
        return await new Promise((answer) => {
          waiting.set(number, { ...options, id: request.id, answer });
          transport.onmessage?.({ ...request, id: number });
        });
      } finally {
        signal.removeEventListener('abort', giveUp);
      }
    },
    close: () => server.close(),
  };
}
