import type { JsonObject, JsonValue, RunFigures } from '../toolbox.js';
import type { Finding, LoggedLine } from './report.js';
import type { ValidatorSpec } from './suite/schema.js';

/** Runs validation scripts, each run in a process of its own. */
export interface Validators {
  /** Compiled once; what is wrong with the source is a finding of each run. */
  prepare(source: ValidatorSource): Promise<Validator>;
  close(): Promise<void>;
}

export interface ValidatorSource {
  readonly spec: ValidatorSpec;
  readonly source: string;
  /** What findings call it: the file, or the place of inline source. */
  readonly name: string;
}

export interface Validator {
  readonly spec: ValidatorSpec;
  readonly name: string;
  /** Never rejects. */
  run(context: ValidatorContext, signal?: AbortSignal): Promise<ValidatorOutcome>;
}

/** What a script finds under `context`. */
export interface ValidatorContext {
  readonly request: { readonly method: string; readonly params: JsonObject };
  /** The result; of a JSON-RPC error, an object with `error`; of no answer, an object with `error` too. */
  readonly response?: JsonObject;
  readonly metadata: {
    readonly test_name: string;
    readonly tool_name: string | null;
    /** The tool, prompt, URI, list or method. */
    readonly target: string;
    readonly server_info: JsonObject;
    readonly suite_name: string;
    readonly phase: 'before' | 'after';
    readonly attempt: number;
    readonly latency_ms: number | null;
    /** Variables, columns of the row, and what was captured so far. */
    readonly values: JsonObject;
    readonly events: readonly JsonObject[];
  };
}

export interface ValidatorOutcome {
  readonly findings: readonly Finding[];
  /** What it said with value(), for later cases and for the report. */
  readonly values: Readonly<Record<string, JsonValue>>;
  readonly message?: string;
  readonly logs: readonly LoggedLine[];
  readonly figures?: RunFigures;
}
