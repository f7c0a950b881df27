/** The one interface both halves of the product meet at: something that lists tools, calls one, and closes. */

export type JsonValue = null | boolean | number | string | readonly JsonValue[] | { readonly [key: string]: JsonValue };
export type JsonObject = { readonly [key: string]: JsonValue };
export type JsonSchema = JsonObject;

/** Of what is JSON. */
export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

export interface Tool {
  readonly name: string;
  readonly title?: string;
  readonly description?: string;
  readonly inputSchema: JsonSchema;
  readonly outputSchema?: JsonSchema;
  readonly annotations?: JsonObject;
}

export const logLevels = ['debug', 'info', 'notice', 'warning', 'error', 'critical', 'alert', 'emergency'] as const;
export type LogLevel = (typeof logLevels)[number];

export type CallEvent =
  | { readonly type: 'output'; readonly stream: 'stdout' | 'stderr'; readonly line: string }
  | { readonly type: 'progress'; readonly done: number; readonly total?: number; readonly message?: string }
  | { readonly type: 'log'; readonly level: LogLevel; readonly message: string }
  | { readonly type: 'value'; readonly value: JsonValue }
  | { readonly type: 'queued'; readonly position: number };

/** A callback that returns a promise holds the script's output back until it resolves. */
export type OnEvent = (event: CallEvent) => void | Promise<void>;

export type Enforcement = 'enforced' | 'best-effort' | 'none';

/** What one call cost, measured on the child that ran it and not on the host. */
export interface RunFigures {
  readonly queueMs: number;
  readonly wallMs: number;
  readonly cpuMs: number;
  /** The child's largest resident size, everything included. */
  readonly peakMemoryBytes: number;
  /** The same, less what the child held before the call began. */
  readonly addedMemoryBytes: number;
  readonly isolation: 'call' | 'session' | 'shared';
  /** How the process came to be: forked ahead from a warm one, or an interpreter started ahead. */
  readonly launcher: 'fork' | 'warm';
  /** Why the script does not run in forked children, where it could have. */
  readonly launcherReason?: string;
  readonly python: string;
  readonly profile: 'trusted' | 'strict';
  /** What holds even against a script that means harm. */
  readonly enforced: Enforced;
}

export const enforcedAreas = ['files', 'network', 'processes', 'memory', 'cpu', 'disk'] as const;
export type Enforced = Readonly<Record<(typeof enforcedAreas)[number], Enforcement>>;

export type ContentBlock =
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'image' | 'audio'; readonly data: string; readonly mimeType: string }
  | { readonly type: 'resource'; readonly resource: JsonObject }
  | {
      readonly type: 'resource_link';
      readonly uri: string;
      readonly name: string;
      readonly mimeType?: string;
      readonly description?: string;
      readonly size?: number;
    };

export interface ToolResult {
  readonly content: readonly ContentBlock[];
  readonly structuredContent?: JsonObject;
  readonly isError?: boolean;
  /** Of a call that failed: the code of the error table, where it is known. */
  readonly code?: string;
  /** Of a call whose process ended by itself: its exit code. */
  readonly exitCode?: number;
  /** What was printed, kept apart from what was returned. */
  readonly output?: { readonly stdout: string; readonly stderr: string };
  readonly figures?: RunFigures;
}

/** What a script asks its host while it runs, and waits for. */
export interface Ask {
  readonly method: string;
  readonly params: JsonObject;
  /** Aborts when the script gave the question up, or is over. */
  readonly signal: AbortSignal;
  /** To be waited for before an answer is made: the script has not read what it was answered before. */
  readonly room?: () => Promise<void> | undefined;
}

/** An ExecutionError reaches the script as an exception with its code and sentence; of others it learns that there was one. */
export type OnAsk = (ask: Ask) => Promise<JsonValue>;

/** A call that a script made to a tool of an MCP server. */
export interface CallRecord {
  readonly server: string;
  readonly tool: string;
  /** From the start of the run. */
  readonly atMs: number;
  readonly wallMs: number;
  readonly outcome: 'done' | 'failed' | 'refused';
  readonly code?: string;
  readonly sentBytes: number;
  readonly receivedBytes: number;
}

export interface CallOptions {
  /** Calls that name the same session may share state, where the tools keep any. */
  readonly session?: string;
  /** Waiting calls of different callers take turns. */
  readonly caller?: string;
  /** Waiting calls of higher priority go first; 0 unless said. */
  readonly priority?: number;
  /** Less time than the tools give by themselves; more cannot be asked for. */
  readonly timeoutMs?: number;
  readonly signal?: AbortSignal;
  readonly onEvent?: OnEvent;
}

export interface Toolbox {
  listTools(): Promise<readonly Tool[]>;
  call(name: string, args: JsonObject, options?: CallOptions): Promise<ToolResult>;
  close(): Promise<void>;
}
