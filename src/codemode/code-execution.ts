import type {
  CallRecord,
  ContentBlock,
  JsonObject,
  JsonSchema,
  JsonValue,
  LogLevel,
  OnAsk,
  OnEvent,
  RunFigures,
} from '../toolbox.js';

/** The operations of code execution on one set of servers and one workspace, for as long as it is open. */
export interface CodeExecution {
  /** Servers that are not disabled. */
  readonly servers: readonly string[];
  readonly workspace: string;
  /** The files that name the servers. */
  readonly configs: readonly string[];
  /** Readies what the first script needs. What goes wrong is told by the run that meets it. */
  warm(): Promise<void>;
  generateWrappers(options?: GenerateOptions): Promise<GenerateResult>;
  discoverSchemas(options?: DiscoverSchemasOptions): Promise<DiscoverSchemasResult>;
  executeScript(options: ExecuteOptions): Promise<ExecuteResult>;
  /** The tools that match, the best first; all of them without words. */
  searchTools(options?: SearchOptions): Promise<SearchResult>;
  /** All that is known of one tool; throws UNKNOWN_SERVER or UNKNOWN_TOOL with near names. */
  describeTool(server: string, tool: string, options?: WorkOptions): Promise<DescribedTool>;
  /** One call by a person, outside of any script; policy and records hold for it too. */
  callTool(server: string, tool: string, args: JsonObject, options?: WorkOptions): Promise<CalledTool>;
  /** Answers the questions of a script that runs elsewhere, under the policy and in the records of one run. */
  attend(): Promise<Attendance>;
  savedScripts(): Promise<readonly SavedScript[]>;
  /** What was kept of the output of a run, where more was written than its result showed. */
  readOutput(options: { readonly run: string; readonly stream?: OutputName }): Promise<string>;
  close(): Promise<void>;
}

export interface Attendance {
  readonly run: string;
  readonly onAsk: OnAsk;
  /** The script is over. */
  end(): Promise<void>;
}

/** How one operation is followed and given up. */
export interface WorkOptions {
  readonly signal?: AbortSignal;
  readonly onEvent?: OnEvent;
}

export type Language = 'python' | 'typescript';

export interface GenerateOptions extends WorkOptions {
  /** Of these only; what was generated for others stays. */
  readonly servers?: readonly string[];
  /** Beside Python, which is always written. */
  readonly language?: Language;
  /** Take over tools that changed since they were generated; otherwise those stay as they were, and are reported. */
  readonly acceptChanges?: boolean;
}

export interface GenerateResult {
  /** The folder `servers`. */
  readonly folder: string;
  readonly servers: readonly GeneratedServer[];
  /** Paths seen from `folder`. */
  readonly written: readonly string[];
  readonly removed: readonly string[];
  readonly unchanged: number;
}

export interface GeneratedServer {
  readonly server: string;
  /** The name of its Python module. */
  readonly module: string;
  readonly tools: number;
  /** Since they were generated the last time. */
  readonly changes: readonly ToolChange[];
  /** The changes were not taken over. */
  readonly isPinned: boolean;
  /** Why nothing could be generated; what was generated before stays. */
  readonly failure?: Failure;
}

export interface ToolChange {
  readonly tool: string;
  readonly change: 'added' | 'removed' | 'changed';
}

export interface Failure {
  readonly code: string;
  readonly message: string;
}

export interface DiscoverSchemasOptions extends WorkOptions {
  readonly servers?: readonly string[];
  /** Tools that may be called to see what they answer: `server/tool`, with the arguments to call each with. */
  readonly safeTools?: readonly SafeTool[];
  /** Tools that declare readOnlyHint, and need no arguments, may be called as well. */
  readonly acceptReadOnly?: boolean;
}

export interface SafeTool {
  readonly server: string;
  readonly tool: string;
  /** One sample each; `{}` unless said. */
  readonly arguments?: readonly JsonObject[];
  /** Only where the tool declares, now and when it was pinned, that it changes nothing: an agent named it, and no person. */
  readonly onlyIfReadOnly?: boolean;
}

export interface DiscoverSchemasResult {
  readonly tools: readonly ToolSchemaReport[];
  /** Servers of which nothing could be learnt. */
  readonly failures: readonly (Failure & { readonly server: string })[];
}

export interface ToolSchemaReport {
  readonly server: string;
  readonly tool: string;
  /** none: not called, for the reason given. */
  readonly origin: 'declared' | 'inferred' | 'none';
  readonly samples: number;
  readonly schema?: JsonSchema;
  readonly reason?: string;
  /** The new answers did not fit what was inferred before, which was widened. */
  readonly drift?: string;
}

export interface ExecuteOptions extends WorkOptions {
  /** Source text. One of `script`, `path` and `saved` is given. */
  readonly script?: string;
  /** A file, which is read by the host; the script itself does not see its folder. */
  readonly path?: string;
  /** The name of a script that was saved. */
  readonly saved?: string;
  /** What is in `context`. */
  readonly context?: JsonObject;
  /** What is in `sys.argv`. */
  readonly args?: readonly string[];
  /** Lower than those of the host, never higher. */
  readonly limits?: ExecuteLimits;
  /** Tighter than the one of the host, never wider. */
  readonly policy?: Policy;
  /** Keeps the script under this name where it succeeds. */
  readonly save?: string;
  /** Waiting runs of different callers take turns. */
  readonly caller?: string;
}

export interface ExecuteLimits {
  readonly timeoutMs?: number;
  readonly cpuMs?: number;
  readonly memoryBytes?: number;
  readonly maxOutputBytes?: number;
  /** Of each of stdout and stderr, and of the value, as shown in the result; the rest is kept. */
  readonly shownBytes?: number;
  readonly maxCalls?: number;
}

/** Patterns are `server`, `server/tool`, with `*` for any part of a name. */
export interface Policy {
  /** Not given: all. */
  readonly allow?: readonly string[];
  /** Wins over allow. */
  readonly deny?: readonly string[];
  /** Only tools that declare readOnlyHint. */
  readonly readOnly?: boolean;
  /** Whoever runs the host is asked before a call. Where nobody can be, it is refused. */
  readonly ask?: readonly string[];
}

export interface Approval {
  readonly run: string;
  readonly server: string;
  readonly tool: string;
  readonly arguments: JsonObject;
}

/** Whether the person permits the call. */
export type Approve = (asked: Approval, signal: AbortSignal) => Promise<boolean>;

export type OutputName = 'stdout' | 'stderr' | 'value';

export interface ExecuteResult {
  /** The id of the run, in the log and for what was kept. */
  readonly run: string;
  /** What the script passed to `result()`, or its global `result`; null where that is in `cut`. */
  readonly value: JsonValue;
  readonly stdout: string;
  readonly stderr: string;
  readonly logs: readonly { readonly level: LogLevel; readonly message: string }[];
  readonly files: readonly { readonly name: string; readonly mimeType: string; readonly data: Buffer }[];
  /** The first and the last, where there were very many. */
  readonly calls: readonly CallRecord[];
  /** Of all calls, those that `calls` leaves out included. */
  readonly callCount?: number;
  readonly figures: RunFigures;
  readonly cut: readonly CutOutput[];
  /** Drift of results, and servers whose tools changed since they were generated. */
  readonly warnings: readonly string[];
  readonly saved?: string;
}

/** Output of which the result shows the beginning and the end. */
export interface CutOutput {
  readonly stream: OutputName;
  readonly bytes: number;
  readonly shownBytes: number;
  /** Where the whole is kept; not given where it could not be, or nothing is to be kept. */
  readonly file?: string;
  /** Of the value: the beginning and the end of its JSON. */
  readonly shown?: string;
}

export interface CalledTool {
  readonly content: readonly ContentBlock[];
  readonly structuredContent?: JsonObject;
  readonly isError: boolean;
}

export interface SearchOptions {
  readonly words?: string;
  readonly servers?: readonly string[];
  readonly limit?: number;
  readonly signal?: AbortSignal;
  readonly onEvent?: OnEvent;
}

export interface SearchResult {
  readonly tools: readonly ToolEntry[];
  readonly failures: readonly (Failure & { readonly server: string })[];
}

/** What the index says of a tool: enough to choose it and to import it. */
export interface ToolEntry {
  readonly server: string;
  readonly tool: string;
  /** The first sentence of what the server says of it. */
  readonly summary: string;
  /** `create_issue(title: str, body: str = ...) -> CreateIssueResult` */
  readonly signature: string;
  /** `from servers.github import create_issue` */
  readonly import: string;
}

export type DescribedTool = {
  readonly server: string;
  readonly tool: string;
  /** The whole of what the server says of it. */
  readonly description: string;
  readonly signature: string;
  readonly import: string;
  readonly inputSchema: JsonSchema;
  readonly resultSchema?: JsonSchema;
  /** `declared`, or `inferred from 3 samples`. */
  readonly resultOrigin?: string;
  readonly annotations?: JsonObject;
};

export interface SavedScript {
  readonly name: string;
  readonly summary: string;
  readonly savedAt: string;
}
