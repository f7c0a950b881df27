import {
  type classifyInboundRequest,
  isJsonContentType,
  type JSONRPCMessage,
  type JSONRPCRequest,
  PerRequestHTTPServerTransport,
  type RequestId,
  SUBSCRIPTION_ID_META_KEY,
} from '@modelcontextprotocol/server';
import type { Link } from '../../../client/link.js';
import { mistakeInHeaders } from './headers.js';
import { refusal } from './http.js';
import { asTheServerSaid, failedWith, isAnswer, memberOf, progressTokenOf } from './messages.js';

/** Requests of 2026-07-28, which belong to no session: one process takes them all. */
export interface Stateless {
  answer(request: Request, route: ModernRoute): Promise<Response>;
  /** Resolves when the process is gone with all that it started. */
  close(): Promise<void>;
}

export type ModernRoute = Extract<ReturnType<typeof classifyInboundRequest>, { kind: 'modern' }>;

const headerMismatch = -32_020;
const clientGone = 499;
/** Errors that are about the request and not about the work have an HTTP status of their own. */
const statusOf: ReadonlyMap<number, number> = new Map([
  [-32_601, 404],
  [-32_020, 400],
  [-32_021, 400],
  [-32_022, 400],
]);

interface OpenExchange {
  readonly id: RequestId;
  readonly token: string | number | undefined;
  readonly method: string;
  take(message: JSONRPCMessage): void;
}

export function createStateless(open: () => Link): Stateless {
  let pipe: Pipe | undefined;
  return {
    async answer(request, { messageKind, message, classification }) {
      if (!isJsonContentType(request.headers.get('content-type'))) {
        return refusal(415, {
          code: -32_000,
          message: 'Unsupported Media Type: Content-Type must be application/json',
        });
      }
      if (pipe === undefined || pipe.isOver) pipe = await openPipe(open());
      if (messageKind === 'notification') {
        pipe.notify(message);
        return new Response(null, { status: 202 });
      }
      const mistake = mistakeInHeaders(request.headers, message);
      if (mistake !== undefined) return refusal(400, { code: headerMismatch, message: mistake }, message.id);
      return exchange(pipe, request, message, new PerRequestHTTPServerTransport({ classification }));
    },
    async close() {
      await pipe?.end();
    },
  };
}

async function exchange(
  pipe: Pipe,
  request: Request,
  message: JSONRPCRequest,
  transport: PerRequestHTTPServerTransport,
): Promise<Response> {
  const { id, method } = message;
  let isStreaming = false;
  return new Promise((resolve, reject) => {
    const token = memberOf(message.params?._meta, 'progressToken');
    const taker: OpenExchange = {
      id,
      method,
      token: typeof token === 'string' || typeof token === 'number' ? token : undefined,
      take(said) {
        const status = isAnswer(said) && 'error' in said && !isStreaming ? statusOf.get(said.error.code) : undefined;
        if (status !== undefined) {
          resolve(Response.json(said, { status }));
          void transport.close();
          return;
        }
        isStreaming ||= !isAnswer(said);
        void transport.send(said, { relatedRequestId: id });
      },
    };
    const giveUp = { now: () => {} };
    transport.onmessage = () => {
      giveUp.now = pipe.request(message, taker);
    };
    transport.onclose = () => giveUp.now();
    transport
      .start()
      .then(() => transport.handleMessage(message, { request }))
      .then(resolve, (error: unknown) => {
        if (request.signal.aborted) resolve(new Response(null, { status: clientGone }));
        else reject(error);
      });
  });
}

interface Pipe {
  readonly isOver: boolean;
  /** Gives what tells the server that the request is given up, which does nothing once it is answered. */
  request(message: JSONRPCRequest, exchange: OpenExchange): () => void;
  notify(message: JSONRPCMessage): void;
  end(): Promise<void>;
}

/** Clients count as they like, so every request has another number on the way to the process and its own on the way back. */
async function openPipe(link: Link): Promise<Pipe> {
  const underWay = new Map<number, OpenExchange>();
  let lastNumber = 0;
  link.transport.onmessage = (message: JSONRPCMessage) => take(message);
  link.transport.onclose = () => void abandon();
  await link.transport.start();

  return {
    get isOver() {
      return link.isOver;
    },
    request(message, exchange) {
      lastNumber += 1;
      const number = lastNumber;
      const meta = message.params?._meta;
      const numbered = exchange.token === undefined ? meta : { ...meta, progressToken: number };
      underWay.set(number, exchange);
      pass({ ...message, id: number, params: { ...message.params, ...(numbered && { _meta: numbered }) } });
      return () => {
        if (!underWay.delete(number)) return;
        const { progressToken, ...envelope } = { ...meta };
        pass({
          jsonrpc: '2.0',
          method: 'notifications/cancelled',
          params: { requestId: number, reason: 'The client closed the stream', _meta: envelope },
        });
      };
    },
    notify: pass,
    end: () => link.end(() => failedWith('The bridge is closed')),
  };

  function pass(message: JSONRPCMessage): void {
    link.transport.send(message).catch(() => {});
  }

  function take(message: JSONRPCMessage): void {
    if (isAnswer(message)) {
      const exchange = underWay.get(Number(message.id));
      underWay.delete(Number(message.id));
      exchange?.take(withOwnSubscription({ ...asTheServerSaid(message), id: exchange.id }, exchange.id));
      return;
    }
    const { params } = message;
    const subscription = memberOf(params?._meta, SUBSCRIPTION_ID_META_KEY);
    if (subscription !== undefined) {
      const exchange = underWay.get(Number(subscription));
      return exchange?.take(withOwnSubscription(message, exchange.id));
    }
    if (message.method !== 'notifications/progress') return newest()?.take(message);
    const exchange = underWay.get(Number(progressTokenOf(params)));
    exchange?.take({ ...message, params: { ...params, progressToken: exchange.token } });
  }

  function newest(): OpenExchange | undefined {
    return [...underWay.values()].filter(({ method }) => method !== 'subscriptions/listen').at(-1);
  }

  async function abandon(): Promise<void> {
    await link.ended;
    const error = { code: -32_603, message: link.failure?.().message ?? 'The MCP server is gone' };
    for (const exchange of underWay.values()) exchange.take({ jsonrpc: '2.0', id: exchange.id, error });
    underWay.clear();
  }
}

/** A subscription is known by the id of the request that began it. */
function withOwnSubscription<M extends JSONRPCMessage>(message: M, id: RequestId): M {
  const holder = 'params' in message ? 'params' : 'result';
  const held = memberOf(message, holder);
  const meta = memberOf(held, '_meta');
  if (memberOf(meta, SUBSCRIPTION_ID_META_KEY) === undefined) return message;
  return { ...message, [holder]: { ...Object(held), _meta: { ...Object(meta), [SUBSCRIPTION_ID_META_KEY]: id } } };
}
