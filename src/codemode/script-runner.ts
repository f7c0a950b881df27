import type { JsonObject, JsonValue, LogLevel, OnAsk, OnEvent, RunFigures } from '../toolbox.js';

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
