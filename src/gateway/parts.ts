import type { ServerResponse } from 'node:http';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Log } from '../log.js';
import type { Admission } from './access/admission.js';
import type { Principal, Scope } from './access/principal.js';
import type { Services, TransportName } from './service.js';
import type { GatewaySettings } from './settings.js';

/** What every way into the gateway is built from. */
export interface GatewayParts {
  /** As they are now: the config file may have changed them. */
  readonly settings: GatewaySettings;
  readonly services: Services;
  readonly calls: Calls;
  readonly connections: Connections;
  /** Not given: whoever was let in stays so. */
  readonly admission?: Admission;
  readonly metrics: Metrics;
  readonly log: Log;
  readonly identity: { readonly name: string; readonly version: string };
  /** Results beyond this are shown to MCP clients as a preview. */
  readonly previewBytes: number;
  /** Aborts when the gateway begins to end: streams close, and nothing new is taken. */
  readonly closing: AbortSignal;
}

/** One area of addresses: adds its routes to the application. */
export type Area = (app: FastifyInstance, parts: GatewayParts) => void | Promise<void>;

/** A call that was asked for and is not answered yet. */
export interface CallRecord {
  readonly id: string;
  readonly service: string;
  readonly tool: string;
  readonly client: string;
  readonly transport: TransportName;
  readonly state: 'queued' | 'running';
  readonly askedAt: string;
  readonly ms: number;
}

export interface Calls {
  list(): readonly CallRecord[];
  /** False where there is none of that id. */
  cancel(id: string): boolean;
}

export type ConnectionKind = 'mcp' | 'mcp-session' | 'stream' | 'legacy-sse' | 'rest';

export interface EventFrame {
  readonly event?: string;
  readonly id?: string;
  /** One text, which may have several lines. */
  readonly data: string;
}

/** An open `text/event-stream` answer. Its headers and a first comment are on their way when it is given. */
export interface EventStream {
  /** A promise is room to wait for: it resolves when the client has read enough, and never rejects. */
  send(frame: EventFrame): Promise<void> | undefined;
  /** Text that is in the form of events already. */
  write(text: string): Promise<void> | undefined;
  /** Aborts when the client is gone, was cut for reading too slowly, or the stream was closed. */
  readonly closed: AbortSignal;
  close(): void;
}

export interface OpenStreamOptions {
  readonly kind: ConnectionKind;
  /** The first frame, so that it leaves with the headers. */
  readonly first?: EventFrame;
  readonly headers?: Readonly<Record<string, string>>;
  readonly status?: number;
}

/** An answer that is open. */
export interface ConnectionRecord {
  readonly kind: ConnectionKind;
  /** The name of the principal. */
  readonly client: string;
  readonly address?: string;
  readonly service?: string;
  readonly openedAt: string;
}

/** Told how fast events are taken, so that whoever makes them may wait. */
export interface Pace {
  /** The next is asked for. */
  asked(): void;
  /** One was taken, and is on its way. */
  taken(): void;
}

/** All answers that stay open, with their heartbeats and limits. */
export interface Connections {
  /** For administrators. */
  list(): readonly ConnectionRecord[];
  /** Takes over the reply. Throws TOO_MANY_REQUESTS where the client has too many open. */
  open(request: FastifyRequest, reply: FastifyReply, options: OpenStreamOptions): EventStream;
  /** The same for an answer that was made as a web Response: JSON is sent at once, events as they come. */
  respond(
    request: FastifyRequest,
    reply: FastifyReply,
    response: Response,
    kind: ConnectionKind,
    pace?: Pace,
  ): Promise<void>;
  /** Aborts when the client of a request is gone before it has its answer. */
  gone(response: ServerResponse): AbortSignal;
}

export interface CallFigures {
  readonly service: string;
  readonly tool: string;
  /** `done`, or the code of the error. */
  readonly outcome: string;
  readonly transport: TransportName;
  readonly ms: number;
  readonly queueMs: number;
}

export interface Metrics {
  called(figures: CallFigures): void;
  cached(service: string, status: 'hit' | 'miss' | 'joined'): void;
  /** Counts until the given function is called. */
  connected(kind: ConnectionKind): () => void;
  reconnected(kind: ConnectionKind): void;
  /** Bytes of answers. */
  sent(kind: ConnectionKind | 'json', bytes: number): void;
  cut(kind: ConnectionKind): void;
  /** The page for Prometheus, with gauges as they are now. */
  page(): Promise<{ readonly contentType: string; readonly body: string }>;
}

declare module 'fastify' {
  interface FastifyRequest {
    /** Who asks: set before any route runs. */
    principal: Principal;
  }
  interface FastifyContextConfig {
    /** What a route asks of whoever calls it; `open` asks nothing. Not given: admin. */
    scope?: Scope | 'open';
  }
}
