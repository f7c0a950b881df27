import type { JsonValue } from '../../toolbox.js';
import type { Example } from '../checks/check.js';
import type { RunOptions, SuiteParts } from '../harness.js';
import type { CaseReport } from '../report.js';
import type { Suite } from '../suite.js';
import type { Results } from './results.js';
import type { Selection } from './selection.js';
import type { ServerKeeper } from './server-keeper.js';
import { skippedChecks, skippedConformance } from './skipped-checks.js';

export interface BuiltIns {
  readonly suite: Suite;
  readonly parts: SuiteParts;
  readonly options: RunOptions;
  readonly selection: Selection;
  readonly keeper: ServerKeeper;
  readonly results: Results;
  readonly examples: readonly Example[];
  readonly shared: Readonly<Record<string, JsonValue>>;
  /** What is under way, for the account of a crash. */
  readonly underWay: Set<string>;
  readonly note: (message: string) => void;
  /** Why nothing more is to be run, where that is so. */
  readonly whyNot: () => string | undefined;
}

/** The checks and the conformance suite that a suite asks for. Whatever becomes of them, there is a report of what was done. */
export async function runBuiltIns(given: BuiltIns): Promise<void> {
  try {
    await runChecksOf(given);
    await runConformanceOf(given);
  } catch (error) {
    given.results.addThrown('server', 'the checks can be made', error, 'check');
  }
}

async function runChecksOf(given: BuiltIns): Promise<void> {
  const { suite, parts, options, selection, keeper, results, examples, shared, underWay, whyNot } = given;
  const { checks, timeout: timeoutMs } = suite.document;
  const { signal, onEvent } = options;
  if (Object.keys(checks).length === 0) return;
  const reason = whyNot();
  if (reason !== undefined) return addChosen(skippedChecks(suite, reason), given);
  const { runChecks } = await import('../checks/checks.js');
  await runChecks({
    checks,
    suite,
    // Servers that a check opens for itself are its own to end, in whatever way.
    open: (how) => parts.open({ signal, ...how }),
    server: () => keeper.get(),
    tools: await keeper.tools(),
    examples,
    timeoutMs,
    temp: parts.temp,
    values: shared,
    signal,
    isWanted: (id) => selection.takes(id, ['check']) && whyNot() === undefined,
    onStarted(id) {
      underWay.add(id);
      onEvent?.({ type: 'case-started', id });
    },
    onFinished(done) {
      keeper.noticeEnds();
      underWay.delete(done.id);
      results.add(done);
    },
  });
}

async function runConformanceOf(given: BuiltIns): Promise<void> {
  const { suite, parts, options, selection, results, note, whyNot } = given;
  const { conformance } = suite.document;
  const { signal, onEvent } = options;
  if (!conformance) return;
  const reason = whyNot();
  if (reason !== undefined) return addChosen(skippedConformance(suite, reason), given);
  if (!selection.takes('conformance', ['conformance'])) return;
  onEvent?.({ type: 'case-started', id: 'conformance' });
  for (const scenario of await parts.conformance(conformance, { note, signal })) results.add(scenario);
}

function addChosen(reports: readonly CaseReport[], { selection, results }: BuiltIns): void {
  for (const report of reports) if (selection.takes(report.id, report.tags)) results.add(report);
}
