import type { ServerResponse } from 'node:http';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { CallerError } from '../../errors.js';
import type { Principal } from '../access/principal.js';
import type {
  ConnectionKind,
  ConnectionRecord,
  Connections,
  EventStream,
  Metrics,
  OpenStreamOptions,
  Pace,
} from '../parts.js';
import type { GatewaySettings } from '../settings.js';
import { type Next, readEarly } from './early.js';
import { type KeptStream, openEventStream, sendEvents } from './event-stream.js';

export interface ConnectionsOptions {
  readonly settings: () => GatewaySettings;
  readonly metrics: Metrics;
  /** Streams of those of whom this is no longer true are closed. Not given: it is true of all. */
  readonly holds?: (principal: Principal) => boolean;
  /** Closes what is open. */
  readonly closing: AbortSignal;
}

/** Heartbeats are looked after this many times within their time. */
const looksPerBeat = 4;
const shortestLookMs = 10;

export function createConnections({ settings, metrics, holds, closing }: ConnectionsOptions): Connections {
  const streams = new Map<KeptStream, Listener>();
  const openOf = new Map<string, number>();
  let beats: NodeJS.Timeout | undefined;
  closing.addEventListener('abort', () => {
    clearInterval(beats);
    for (const stream of streams.keys()) stream.close();
  });

  return { list: () => [...streams.values()].map(({ record }) => record), open, respond, gone };

  function open(request: FastifyRequest, reply: FastifyReply, options: OpenStreamOptions): EventStream {
    const { kind, first, headers, status = 200 } = options;
    const leave = enter(request.principal.id);
    reply.hijack();
    const disconnect = metrics.connected(kind);
    const stream = openEventStream({
      response: reply.raw,
      status,
      headers: { ...reply.getHeaders(), ...headers },
      first,
      maxUnsentBytes: () => settings().maxUnsentBytes,
      onSent: (bytes) => metrics.sent(kind, bytes),
      onCut: () => metrics.cut(kind),
    });
    keep(stream, { record: recordOf(request, kind), principal: request.principal });
    const forget = () => {
      streams.delete(stream);
      disconnect();
      leave();
    };
    if (stream.closed.aborted) forget();
    else stream.closed.addEventListener('abort', forget, { once: true });
    if (closing.aborted) stream.close();
    return stream;
  }

  async function respond(
    request: FastifyRequest,
    reply: FastifyReply,
    response: Response,
    kind: ConnectionKind,
    pace?: Pace,
  ): Promise<void> {
    const headers = Object.fromEntries(response.headers);
    if (response.body === null || !headers['content-type']?.startsWith('text/event-stream')) {
      const body = await response.text();
      metrics.sent('json', Buffer.byteLength(body));
      await reply.code(response.status).headers(headers).send(body);
      return;
    }
    await passEvents(request, reply, { body: response.body, status: response.status, headers, kind, pace });
  }

  async function passEvents(request: FastifyRequest, reply: FastifyReply, answer: EventAnswer): Promise<void> {
    const { body, status, headers, kind, pace } = answer;
    const reader = body.getReader();
    const decoder = new TextDecoder();
    const read = async (): Promise<Next> => {
      pace?.asked();
      const next = await reader.read();
      if (!next.done) pace?.taken();
      return next;
    };
    const cancel = () => {
      pace?.asked();
      reader.cancel().catch(() => {});
    };
    const left = gone(reply.raw);
    left.addEventListener('abort', cancel, { once: true });
    if (left.aborted) cancel();
    const early = await readEarly(read, decoder, left).catch(() => ({ text: '', next: undefined }));
    if (early.next === undefined) {
      metrics.sent(kind, Buffer.byteLength(early.text));
      sendEvents(reply, status, headers, early.text);
      return;
    }
    let stream: EventStream;
    try {
      stream = open(request, reply, { kind, headers, status });
    } catch (error) {
      cancel();
      throw error;
    }
    stream.closed.addEventListener('abort', cancel, { once: true });
    try {
      if (early.text !== '') await stream.write(early.text);
      for (let next = await early.next; !next.done; next = await read()) {
        await stream.write(decoder.decode(next.value, { stream: true }));
      }
    } catch {
      // Whoever made the answer has ended it; there is nothing more to say.
    } finally {
      stream.close();
    }
  }

  /** Room for one more of this client, until the given function is called. */
  function enter(client: string): () => void {
    const count = openOf.get(client) ?? 0;
    const { maxStreamsPerClient } = settings();
    if (count >= maxStreamsPerClient) {
      const message = `${count} event streams of this client are open, and maxStreamsPerClient permits no more`;
      throw new CallerError('TOO_MANY_REQUESTS', message, { limit: maxStreamsPerClient });
    }
    openOf.set(client, count + 1);
    return () => {
      const left = (openOf.get(client) ?? 1) - 1;
      if (left > 0) openOf.set(client, left);
      else openOf.delete(client);
    };
  }

  function keep(stream: KeptStream, listener: Listener): void {
    streams.set(stream, listener);
    if (beats || closing.aborted) return;
    const lookMs = Math.max(shortestLookMs, settings().heartbeatMs / looksPerBeat);
    beats = setInterval(() => {
      const now = performance.now();
      const { heartbeatMs } = settings();
      for (const [each, { principal }] of streams) {
        if (holds?.(principal) === false) each.close();
        else each.beat(now, heartbeatMs);
      }
      if (streams.size > 0) return;
      clearInterval(beats);
      beats = undefined;
    }, lookMs);
    beats.unref();
  }
}

interface Listener {
  readonly record: ConnectionRecord;
  readonly principal: Principal;
}

function recordOf({ principal, ip, params }: FastifyRequest, kind: ConnectionKind): ConnectionRecord {
  const service: unknown = typeof params === 'object' && params !== null ? Reflect.get(params, 'service') : undefined;
  return {
    kind,
    client: principal.name,
    address: ip,
    ...(typeof service === 'string' && { service }),
    openedAt: new Date().toISOString(),
  };
}

interface EventAnswer {
  readonly body: ReadableStream<Uint8Array>;
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly kind: ConnectionKind;
  readonly pace?: Pace;
}

/** One for all, because making one takes a look at the stack. */
const clientGone = new Error('The client is gone');

function gone(response: ServerResponse): AbortSignal {
  const left = new AbortController();
  const look = () => {
    if (!response.writableFinished) left.abort(clientGone);
  };
  if (response.destroyed) look();
  else response.once('close', look);
  return left.signal;
}
