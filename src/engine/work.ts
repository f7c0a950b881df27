import type { Limits, Settings } from '../config.js';
import type { ChosenPython } from '../python/environment-of-script.js';
import type { JsonObject, JsonValue, LogLevel, OnAsk, OnEvent, RunFigures } from '../toolbox.js';
import type { Profile } from './sandbox.js';

/** A function of a script, called with JSON arguments. */
export interface FunctionCall {
  readonly script: string;
  readonly function: string;
  readonly args?: JsonObject;
  /** false: the script has effects when imported, so it is imported by each call and never ahead of one. */
  readonly prewarm?: boolean;
  /** Returned bytes that are a picture or a sound become files of the result; otherwise they are base64 text as all bytes are. */
  readonly media?: boolean;
}

/** A whole script, run as `python script.py` would: from its file, or from source text. */
export type ScriptRun = ({ readonly path: string } | { readonly source: string; readonly filename?: string }) & {
  readonly argv?: readonly string[];
  readonly stdin?: string;
  readonly env?: Readonly<Record<string, string>>;
  readonly cwd?: string;
  readonly context?: JsonObject;
  /** Packages that the script may import, each from its own folder; under strict, such as it may read. */
  readonly packages?: Readonly<Record<string, string>>;
  /** The same as for a function, for what the script passes to `result()`. */
  readonly media?: boolean;
};

export interface RunOptions {
  readonly signal?: AbortSignal;
  readonly onEvent?: OnEvent;
  /** Answers what a whole script asks: its tool calls. Not given: it can ask nothing. */
  readonly onAsk?: OnAsk;
  /** Lower than the global limits, never higher. */
  readonly limits?: Partial<Limits>;
  readonly isolation?: Settings['isolation'];
  /** strict: more of a sandbox than the engine's settings ask for. Less cannot be asked for. */
  readonly profile?: Profile;
  /** Whose script this is: two tenants never share a process, even for the same file. */
  readonly tenant?: string;
  /** Nor do two groups; the processes of one can be looked at, renewed and ended together. */
  readonly group?: string;
  /** With `session` isolation: calls that name the same session share one process. */
  readonly session?: string;
  /** Higher goes first; 0 unless said. */
  readonly priority?: number;
  /** Waiting calls of different callers take turns. */
  readonly caller?: string;
  /** The interpreter for this script, such as that of an environment made for it; that of the settings unless said. */
  readonly python?: ChosenPython;
  /**
   * The sha256 of the script that is meant. While its file has another content, processes forked from what was imported
   * before go on serving; not given, a file that changed is imported again.
   */
  readonly content?: string;
}

export interface LogEntry {
  readonly level: LogLevel;
  readonly message: string;
}

/** A file that a script attached, or returned from its scratch folder. */
export interface ReturnedFile {
  /** A relative path with forward slashes that leads out of no folder; no two files of a result have the same. */
  readonly name: string;
  readonly mimeType: string;
  readonly data: Buffer;
}

export interface RunResult {
  /** The returned value, or what the script passed to `result()`. */
  readonly value: JsonValue;
  readonly stdout: string;
  readonly stderr: string;
  readonly logs: readonly LogEntry[];
  readonly files: readonly ReturnedFile[];
  readonly exitCode: number;
  readonly figures: RunFigures;
}

export interface ScriptStatus {
  readonly script: string;
  readonly launcher: 'fork' | 'warm';
  readonly launcherReason?: string;
  readonly profile: Profile;
  readonly idle: number;
  readonly busy: number;
  readonly calls: number;
  /** Processes that came to be ready for a call. */
  readonly starts: number;
  /** Processes that ended without having been asked to. */
  readonly crashes: number;
}

/** Which processes are meant. What is not given leaves none out. */
export interface WhoseProcesses {
  /** Those that have imported this script. */
  readonly script?: string;
  readonly group?: string;
}

export interface EngineStatus {
  readonly running: number;
  /** For their turn, or for the import of their script. */
  readonly waiting: number;
  /** As of the scripts below, with those that were given up since. */
  readonly starts: number;
  readonly crashes: number;
  readonly scripts: readonly ScriptStatus[];
}

export type WarmOptions = Pick<RunOptions, 'python' | 'content' | 'tenant' | 'group' | 'profile'>;

export interface Engine {
  /** The global ones, which a call may lower. */
  readonly limits: Limits;
  call(work: FunctionCall, options?: RunOptions): Promise<RunResult>;
  run(work: ScriptRun, options?: RunOptions): Promise<RunResult>;
  /** Imports a script and readies processes for it, or for whole scripts; resolves when the next call finds one. */
  warm(script?: string, options?: WarmOptions): Promise<void>;
  /** Passes a trivial call through a process of the script, in which nothing of the script runs. */
  probe(script?: string, options?: WarmOptions): Promise<void>;
  endSession(session: string): Promise<void>;
  /** Imports scripts anew; calls and sessions under way finish on what they began with. Resolves when that is done. */
  recycle(whose?: WhoseProcesses): Promise<void>;
  /** Ends processes, those of calls and sessions under way included. The next call starts new ones. */
  end(whose?: WhoseProcesses): Promise<void>;
  status(whose?: WhoseProcesses): EngineStatus;
  /** Ends everything; resolves when no process is left. An engine that is not closed keeps its Node process running. */
  close(): Promise<void>;
}
