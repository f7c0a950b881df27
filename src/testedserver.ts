import type { CallEvent, JsonObject, JsonValue } from './toolbox.js';

/** A server that is being tested, and has introduced itself. Nothing of what it says is mended on the way. */
export interface TestedServer {
  readonly introduction: Introduction;
  /** Never rejects: whatever becomes of a request is an exchange. */
  request(method: string, params: JsonObject, options: RequestOptions): Promise<Exchange>;
  /** Whether nothing more comes of it. */
  readonly isOver: boolean;
  /** When it is gone with all that it started. */
  readonly ended: Promise<ServerEnd>;
  /** Lines on its standard output that are no messages, the first ones of them. */
  readonly noise: readonly string[];
  /** Results that came for requests which had been given up. An error, which some send then, is none. */
  readonly lateAnswers: number;
  /** Methods of requests that the server made to this side, such as elicitation/create, in their order. */
  readonly asked: readonly string[];
  /** What it wrote to standard error at last. */
  lastWords(): readonly string[];
  /** Of the server and all that it started, where that can be seen: a process of this machine. */
  usage(): Promise<TreeUsage | undefined>;
  /** Its process, where it is one of this machine. */
  readonly pid: number | undefined;
  close(): Promise<void>;
}

export interface Introduction {
  readonly name?: string;
  readonly version?: string;
  readonly title?: string;
  readonly instructions?: string;
  readonly protocolVersion?: string;
  readonly capabilities: JsonObject;
  /** From the start of the process, or the first word to the address. */
  readonly ms: number;
}

export interface RequestOptions {
  readonly timeoutMs: number;
  /** The server is told that the request is given up. */
  readonly signal?: AbortSignal;
  /** Progress and logs, as they come; they are in the exchange too. */
  readonly onEvent?: (event: TimedEvent) => void;
}

/** A request and what came of it. */
export interface Exchange {
  readonly outcome: Outcome;
  /** Notifications for this request, and log messages while it was under way, in their order. */
  readonly events: readonly TimedEvent[];
  readonly ms: number;
}

export type Outcome =
  | { readonly kind: 'result'; readonly result: JsonObject }
  | { readonly kind: 'error'; readonly error: RpcError }
  /** No answer: the reason has a code of the error table (TIMEOUT, CANCELLED, SERVER_FAILED, MEMORY_LIMIT …). */
  | { readonly kind: 'none'; readonly code: string; readonly message: string };

export interface RpcError {
  readonly code: number;
  readonly message: string;
  readonly data?: JsonValue;
}

export type TimedEvent = Extract<CallEvent, { readonly type: 'progress' | 'log' }> & { readonly atMs: number };

export interface ServerEnd {
  /** Whether this side ended it. */
  readonly wasAsked: boolean;
  /** How it came to its end, in a sentence. */
  readonly message: string;
}

export interface TreeUsage {
  readonly memoryBytes: number;
  readonly cpuMs: number;
  readonly processes: number;
  /** Which ones they are, where that is known. */
  readonly pids?: readonly number[];
}

/** Starts the server of a suite, or connects to it. Rejects with an ExecutionError that says why it cannot be had. */
export type OpenServer = (options?: { readonly signal?: AbortSignal }) => Promise<TestedServer>;
