import type { CallEvent, JsonObject, JsonValue } from './toolbox.js';

/** A server that is being tested, and has introduced itself. Nothing of what it says is mended on the way. */
export interface TestedServer {
  readonly introduction: Introduction;
  /** Never rejects: whatever becomes of a request is an exchange. */
  request(method: string, params: JsonObject, options: RequestOptions): Promise<Exchange>;
  /** Told of notifications that are neither progress nor logs, until the function that is given back is called. */
  listen(hear: (notification: NotificationEvent) => void): () => void;
  /** Whether nothing more comes of it. */
  readonly isOver: boolean;
  /** When it is gone with all that it started. */
  readonly ended: Promise<ServerEnd>;
  /** Lines on its standard output that are no messages, the first ones of them. */
  readonly noise: readonly string[];
  /** Answers on its standard output that nobody waits for, the first ones of them. */
  readonly strayAnswers: readonly StrayAnswer[];
  /** Results that came for requests which had been given up. An error, which some send then, is none. */
  readonly lateAnswers: number;
  /** Methods of requests that the server made to this side, such as elicitation/create, in their order. */
  readonly asked: readonly string[];
  /** What it wrote to standard error at last. */
  lastWords(since?: number): readonly string[];
  /** How many lines it wrote there so far: what `since` counts from. */
  readonly wordCount: number;
  /** Of the server and all that it started, where that can be seen: a process of this machine. Of one that was closed, before that. */
  usage(): Promise<TreeUsage | undefined>;
  /** Its process, where it is one of this machine. */
  readonly pid: number | undefined;
  /** Where it is such a process and is spoken to at an address. */
  readonly served?: Served;
  close(): Promise<void>;
}

export interface Served {
  /** The same for all sessions with one process. */
  readonly process: object;
  /** Whether there is one process for all, because two cannot listen at one address. */
  readonly isShared: boolean;
}

export interface StrayAnswer {
  readonly line: string;
  /** Of a request that has its answer; otherwise of none that was made. */
  readonly isRepeated: boolean;
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
  /** What comes before the answer, as it comes; it is in the exchange too. */
  readonly onEvent?: (event: TimedEvent) => void;
}

/** A request and what came of it. */
export interface Exchange {
  readonly outcome: Outcome;
  /** Progress of this request; logs, other notifications and questions while it was under way; in their order. */
  readonly events: readonly TimedEvent[];
  /** Types of events of which there were more than are kept. */
  readonly leftOut?: readonly TimedEvent['type'][];
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

export type TimedEvent = (Extract<CallEvent, { readonly type: 'progress' | 'log' }> | AskEvent | NotificationEvent) & {
  readonly atMs: number;
  /** Of progress: how often the request had been sent again with answers. */
  readonly round?: number;
};

/** Something that the server asked this side for, such as elicitation/create. */
export interface AskEvent {
  readonly type: 'ask';
  readonly method: string;
  readonly params: JsonObject;
  /** A request of the server, or a result of the newer revision that asks before there is another. */
  readonly by: 'request' | 'result';
  /** What it was told: a result, or an object with an error. Nothing where a result was left as it is. */
  readonly answer?: JsonObject;
}

/** Any notification but progress and logs. */
export interface NotificationEvent {
  readonly type: 'notification';
  readonly method: string;
  readonly params: JsonObject;
}

/** What this side can do for the server, and what it says when it is asked. What it does not declare it refuses. */
export interface ClientSide {
  readonly capabilities: Readonly<Record<string, JsonObject>>;
  /** To each kind of question one after the other, the last again and again. */
  readonly replies: Readonly<Partial<Record<QuestionKind, readonly Reply[]>>>;
}

export type QuestionKind = 'roots' | 'elicitation' | 'url elicitation' | 'sampling';

export type Reply = { readonly result: JsonObject } | { readonly error: RpcError };

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
export type OpenServer = (options?: OpenOptions) => Promise<TestedServer>;

export interface OpenOptions {
  readonly signal?: AbortSignal;
  /** In place of what the suite says that its client can do. */
  readonly client?: ClientSide;
}
