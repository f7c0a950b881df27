import type { JsonObject, JsonValue, LogLevel, OnEvent, RunFigures } from '../toolbox.js';

/** What runs Python for the operations. An engine is one. */
export interface ScriptRunner {
  /** Readies a process for the next script. */
  warm(): Promise<void>;
  run(work: ScriptWork, options?: ScriptRunOptions): Promise<ScriptOutcome>;
  close(): Promise<void>;
}

export interface ScriptWork {
  readonly source: string;
  readonly filename?: string;
  readonly argv?: readonly string[];
  readonly context?: JsonObject;
  /** Packages that the script may import, each from its own folder. */
  readonly packages?: Readonly<Record<string, string>>;
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

/** An ExecutionError reaches the script as an exception with its code and sentence; anything else as one that says little. */
export type OnAsk = (ask: Ask) => Promise<JsonValue>;

export interface ScriptRunOptions {
  readonly signal?: AbortSignal;
  readonly onEvent?: OnEvent;
  readonly onAsk?: OnAsk;
  readonly caller?: string;
  readonly limits?: {
    readonly timeoutMs?: number;
    readonly cpuMs?: number;
    readonly memoryBytes?: number;
    readonly maxOutputBytes?: number;
  };
}

export interface ScriptOutcome {
  readonly value: JsonValue;
  readonly stdout: string;
  readonly stderr: string;
  readonly logs: readonly { readonly level: LogLevel; readonly message: string }[];
  readonly files: readonly { readonly name: string; readonly mimeType: string; readonly data: Buffer }[];
  readonly figures: RunFigures;
}

/** Questions that scripts may ask, and what is answered: the other side is python/mcp_execution/_tools.py. */
export const askMethods = {
  /** {server, tool, arguments} → {content, structuredContent?, isError?} */
  callTool: 'call_tool',
  /** {words?, server?, limit?} → ToolEntry[] */
  searchTools: 'search_tools',
  /** {server, tool} → {server, tool, description, import, signature, inputSchema, resultSchema?, resultOrigin?, annotations?} */
  describeTool: 'describe_tool',
  /** {run, stream?} → text */
  readOutput: 'read_output',
  /** {server, tool, problem} → null; said by a generated wrapper whose result type no longer holds */
  reportDrift: 'report_drift',
} as const;
