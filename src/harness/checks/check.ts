import type { Exchange, OpenServer, RequestOptions, TestedServer } from '../../testedserver.js';
import type { JsonObject, Tool } from '../../toolbox.js';
import type { Finding } from '../report.js';
import type { CheckName, Checks } from '../suite/schema-checks.js';

/** What the suite's own cases called a tool with, and passed. */
export interface Example {
  readonly tool: string;
  readonly arguments: JsonObject;
  readonly case: string;
  /** How long the answer took, where it is known. */
  readonly ms?: number;
}

/** What all checks of a run have. */
export interface CheckRun {
  readonly tools: readonly Tool[];
  readonly examples: readonly Example[];
  readonly timeoutMs: number;
  readonly signal?: AbortSignal;
  readonly open: OpenServer;
  /** The suite's own, started anew where it was over. */
  server(): Promise<TestedServer>;
  /** Asks that server. */
  ask(method: string, params: JsonObject, options?: Partial<RequestOptions>): Promise<Exchange>;
  /** Calls a tool of that server. */
  call(tool: string, args: JsonObject, options?: Partial<RequestOptions>): Promise<Exchange>;
  /** Told with the outcome, whatever it is. */
  note(sentence: string): void;
}

/** Nothing could be checked, and why. */
export interface Skipped {
  readonly skipped: string;
}

/** One line of the report. */
export interface CheckPart {
  /** What tells it from other parts of the check, such as the name of a tool. */
  readonly target?: string;
  run(check: CheckRun): Promise<readonly Finding[] | Skipped>;
}

/** What there is to do for a check with what was said about it. */
export type CheckPlan<N extends CheckName> = (
  options: CheckOptions<N>,
  given: { readonly tools: readonly Tool[]; readonly examples: readonly Example[] },
) => readonly CheckPart[];

/** `true`: the check is to find by itself what it can be done with. */
export type CheckOptions<N extends CheckName> = Exclude<Checks[N], false | undefined>;

export function isSkipped(verdict: readonly Finding[] | Skipped): verdict is Skipped {
  return 'skipped' in verdict;
}
