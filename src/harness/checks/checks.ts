import type { OpenServer, TestedServer } from '../../testedserver.js';
import type { JsonValue, Tool } from '../../toolbox.js';
import type { CaseReport } from '../report.js';
import { type CheckName, type Checks, checkNames } from '../suite/schema-checks.js';
import { fillValues, UnknownValue, type Values } from '../suite/values.js';
import type { Suite } from '../suite.js';
import { planArguments } from './arguments.js';
import { planCancellation } from './cancellation.js';
import type { CheckOptions, CheckPart, CheckPlan, Example } from './check.js';
import { named } from './findings.js';
import { planIdempotence } from './idempotence.js';
import { planLarge } from './large.js';
import { planParallel } from './parallel.js';
import { planRestart } from './restart.js';
import { runPart } from './run-part.js';
import { planSchemas } from './schemas.js';
import { planUnicode } from './unicode.js';
import { planUnknown } from './unknown.js';

export interface CheckInput {
  readonly checks: Checks;
  readonly suite: Suite;
  readonly open: OpenServer;
  /** The suite's own server, started anew where it was over. */
  readonly server: () => Promise<TestedServer>;
  /** As the server listed them. */
  readonly tools: readonly Tool[];
  readonly examples: readonly Example[];
  readonly timeoutMs: number;
  readonly temp: string;
  /** What `{{ name }}` stands for in what is said about the checks. */
  readonly values?: Values;
  readonly signal?: AbortSignal;
  /** Whether the check of this id is to be run; all are unless said. */
  readonly isWanted?: (id: string) => boolean;
  readonly onStarted: (id: string) => void;
  readonly onFinished: (report: CaseReport) => void;
}

/** Runs the built-in checks of a suite one after another. Never rejects for what a server does. */
export async function runChecks(input: CheckInput): Promise<void> {
  for (const name of checkNames) {
    for (const part of partsOf(name, input)) {
      if (input.signal?.aborted) return;
      const id = part.target === undefined ? `check: ${name}` : `check: ${name} of ${named(part.target)}`;
      if (input.isWanted && !input.isWanted(id)) continue;
      input.onStarted(id);
      input.onFinished({ ...(await runPart(id, part, input)), ...input.suite.placeOfCheck?.(name) });
    }
  }
}

const plans: { readonly [N in CheckName]: CheckPlan<N> } = {
  schemas: planSchemas,
  idempotence: planIdempotence,
  arguments: planArguments,
  unknown: planUnknown,
  cancellation: planCancellation,
  large: planLarge,
  unicode: planUnicode,
  parallel: planParallel,
  restart: planRestart,
};

function partsOf<N extends CheckName>(name: N, input: CheckInput): readonly CheckPart[] {
  const options: Checks[N] = input.checks[name];
  if (options === undefined || options === false) return [];
  try {
    return plans[name](filled(options as CheckOptions<N>, input.values), input);
  } catch (error) {
    if (!(error instanceof UnknownValue)) throw error;
    const finding = { kind: 'value', message: error.message };
    return [{ run: async () => [finding] }];
  }
}

function filled<T>(options: T, values: Values | undefined): T {
  // What is filled in are values within JSON; its form stays.
  return values ? (fillValues(options as JsonValue, values) as T) : options;
}
