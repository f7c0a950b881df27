import type { TestedServer } from '../../testedserver.js';
import type { JsonValue, RunFigures, Tool } from '../../toolbox.js';
import type { CaseSnapshots } from '../expect/snapshots.js';
import type { ValidatorSpec } from '../suite/schema.js';
import type { Suite } from '../suite.js';
import type { Validator } from '../validators.js';

/** What a step happens in. */
export interface Scene {
  readonly suite: Suite;
  readonly server: TestedServer;
  /** Of the case, for validators. */
  readonly testName: string;
  readonly attempt: number;
  readonly values: ValueStore;
  readonly timeoutMs: number;
  readonly signal: AbortSignal | undefined;
  readonly snapshots?: CaseSnapshots;
  tools(): Promise<readonly Tool[]>;
  validatorOf(spec: ValidatorSpec): Promise<Validator>;
  readonly figures: FigureSink;
}

/** Where figures of a run go. */
export interface FigureSink {
  noteCall(tool: string, ms: number, failed: boolean): void;
  noteValidator(figures: RunFigures): void;
  /** The largest memory of the server's tree while the work was done, where that can be seen. */
  peakMemoryDuring<T>(
    server: TestedServer,
    work: () => Promise<T>,
  ): Promise<{ readonly value: T; readonly bytes?: number }>;
}

/** Values that input may name; what a case says of itself stands before what the suite says. */
export interface ValueStore {
  readonly all: Readonly<Record<string, JsonValue>>;
  keep(values: Readonly<Record<string, JsonValue>>): void;
}

export function createValues(
  shared: Record<string, JsonValue>,
  own: Readonly<Record<string, JsonValue>> = {},
): ValueStore {
  const kept: Record<string, JsonValue> = {};
  return {
    get all() {
      return { ...shared, ...own, ...kept };
    },
    keep(values) {
      Object.assign(kept, values);
      Object.assign(shared, values);
    },
  };
}
