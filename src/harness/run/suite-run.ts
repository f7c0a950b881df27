import type { TestedServer } from '../../testedserver.js';
import type { JsonValue } from '../../toolbox.js';
import type { Example } from '../checks/check.js';
import { openSnapshots, type Snapshots } from '../expect/snapshots.js';
import type { RunOptions, SuiteParts } from '../harness.js';
import { createFigures } from '../measure/figures.js';
import type { SuiteReport } from '../report.js';
import { fillVariables } from '../suite/values.js';
import type { Suite, SuiteCase } from '../suite.js';
import { type CaseParts, runSteps } from './attempt.js';
import { runBuiltIns } from './built-ins.js';
import { brokenCase, runCase, skippedCase } from './case-run.js';
import { noteExample } from './examples.js';
import { withGrace } from './grace.js';
import { createResults, type Patience } from './results.js';
import { createValues } from './scene.js';
import { runInOrder } from './schedule.js';
import { type Selection, selectFrom } from './selection.js';
import { createKeeper } from './server-keeper.js';
import { serverReport } from './server-report.js';
import { suiteReportOf } from './suite-report.js';
import { prepareValidators } from './validators.js';

/** A suite that can be run: what is wrong with it shows before, and rejects. */
export async function prepareSuite(
  suite: Suite,
  parts: SuiteParts,
  options: RunOptions,
): Promise<(patience: Patience) => Promise<SuiteReport>> {
  const { file, folder, document } = suite;
  const selection = selectFrom(suite, options);
  const { updateSnapshots: update = false, refuseNewSnapshots: refuseNew = false } = options;
  const snapshots = await openSnapshots({ file, folder, update, refuseNew, redact: parts.redact });
  const given = { temp: parts.temp, suite_folder: folder };
  const shared: Record<string, JsonValue> = { ...fillVariables(document.variables, given) };
  return (patience) => runSuite({ suite, parts, options, selection, snapshots, shared, patience });
}

interface SuiteRun {
  readonly suite: Suite;
  readonly parts: SuiteParts;
  readonly options: RunOptions;
  readonly selection: Selection;
  readonly snapshots: Snapshots;
  readonly shared: Record<string, JsonValue>;
  readonly patience: Patience;
}

/** Runs a suite from the start of its server to its end. */
async function runSuite({ suite, parts, options, ...prepared }: SuiteRun): Promise<SuiteReport> {
  const { selection, snapshots, shared, patience } = prepared;
  const { document } = suite;
  const { signal, onEvent } = options;
  const began = performance.now();
  const underWay = new Set<string>();
  const figures = createFigures();
  const notes: string[] = [];
  const validators = prepareValidators(suite, parts.validators);
  const keeper = createKeeper({
    open: parts.open,
    timeoutMs: document.timeout,
    signal,
    underWay: () => [...underWay],
    onStarted(server) {
      figures.watch(server);
      onEvent?.({ type: 'server-started', ms: server.introduction.ms });
    },
    note,
  });
  const caseParts: CaseParts = {
    suite,
    signal,
    keeper,
    shared,
    figures,
    validatorOf: validators.of,
    snapshotsOf: (id) => snapshots.of(id),
  };
  const results = createResults(parts, options, patience);
  const examples: Example[] = [];
  const chosen = suite.cases.filter(({ id }) => selection.cases.has(id));
  onEvent?.({ type: 'suite-started', file: suite.file, name: suite.name, cases: chosen.length });
  parts.notes?.forEach(note);

  try {
    const obstacle = await prepare();
    const parallel = options.parallel ?? document.parallel;
    await runInOrder(
      chosen.map((item) => ({ id: item.id, after: item.after, run: () => runOne(item, obstacle) })),
      parallel,
    );
    await runBuiltIns({
      suite,
      parts,
      options,
      selection,
      keeper,
      results,
      examples,
      shared,
      underWay,
      note,
      whyNot: () => obstacle ?? whyOver(),
    });
    if (obstacle === undefined || keeper.current) await finishSteps();
  } finally {
    await keeper.close();
  }
  return report();

  /** The server, and the steps before the first case. Gives why no case can run, where that is so. */
  async function prepare(): Promise<string | undefined> {
    if (patience.isOver) return givenUp;
    try {
      const server = document.isolation === 'case' && document.setup.length === 0 ? undefined : await keeper.get();
      const findings = server ? await runSteps('setup', document.setup, sceneFor(server)) : [];
      if (findings.length === 0) return undefined;
      // What was given up says nothing of the server.
      if (signal?.aborted) return interrupted;
      results.addFailure('setup', 'setup', findings);
      return 'the setup of the suite failed';
    } catch (error) {
      if (signal?.aborted) return interrupted;
      results.addThrown('server', 'the server starts', error);
      return 'the server could not be started';
    }
  }

  async function runOne(item: SuiteCase, obstacle: string | undefined): Promise<void> {
    const reason = reasonToSkip(item, obstacle);
    if (reason !== undefined) {
      results.tell(skippedCase(item, reason));
      return;
    }
    underWay.add(item.id);
    onEvent?.({ type: 'case-started', id: parts.redact(item.id) });
    const done = await runCase(item, caseParts, { repeat: options.repeat }).catch((error) => brokenCase(item, error));
    keeper.noticeEnds();
    underWay.delete(item.id);
    // Checks have the client of the suite, for which such a call may not work.
    if (item.spec.client === undefined) noteExample(done, examples);
    results.tell(done);
  }

  function reasonToSkip({ spec, after }: SuiteCase, obstacle: string | undefined): string | undefined {
    if (spec.skip !== undefined) return spec.skip;
    if (obstacle !== undefined) return obstacle;
    const over = whyOver();
    if (over !== undefined) return over;
    const missing = after.find((id) => results.statusOf(id) !== 'passed');
    if (missing === undefined) return undefined;
    return `it depends on ${JSON.stringify(missing)}, which ${results.statusOf(missing) === 'failed' ? 'failed' : 'was skipped'}`;
  }

  function whyOver(): string | undefined {
    if (signal?.aborted) return interrupted;
    return patience.isOver ? givenUp : undefined;
  }

  function note(message: string): void {
    notes.push(message);
    onEvent?.({ type: 'note', message: parts.redact(message) });
  }

  async function finishSteps(): Promise<void> {
    // No server is started for it after the run was given up.
    if (document.teardown.length === 0 || (signal?.aborted && keeper.current?.isOver !== false)) return;
    try {
      const server = await keeper.get();
      const findings = await withGrace(signal, (grace) =>
        runSteps('teardown', document.teardown, { ...sceneFor(server), signal: grace }),
      );
      if (findings.length > 0) results.addFailure('teardown', 'teardown', findings);
    } catch (error) {
      results.addThrown('teardown', 'teardown', error, 'server');
    }
  }

  function sceneFor(server: TestedServer) {
    const { validatorOf } = caseParts;
    const tools = () => keeper.tools(server);
    const values = createValues(shared);
    return {
      suite,
      server,
      testName: suite.name,
      attempt: 1,
      values,
      timeoutMs: document.timeout,
      signal,
      tools,
      validatorOf,
      figures,
    };
  }

  async function saveSnapshots(complete: boolean): Promise<SuiteReport['snapshots']> {
    try {
      return await snapshots.save({ complete });
    } catch (error) {
      results.addThrown('teardown', 'snapshots are kept', error, 'snapshot');
      return { written: 0, updated: 0, unused: [] };
    }
  }

  async function report(): Promise<SuiteReport> {
    const behaviour = results.hasNoServer && !keeper.first ? undefined : serverReport(suite, keeper);
    if (behaviour) results.add(behaviour);
    const wereAllRun = chosen.every(({ id }) => results.statusOf(id) !== 'skipped');
    const saved = await saveSnapshots(selection.isComplete && !signal?.aborted && wereAllRun);
    const finished = suiteReportOf({
      suite,
      parts,
      keeper,
      cases: results.inOrder(chosen.map(({ id }) => id)),
      isWhole: selection.isComplete && !options.bail && !signal?.aborted,
      durationMs: performance.now() - began,
      measures: await figures.finish(),
      snapshots: saved,
      notes,
    });
    onEvent?.({ type: 'suite-finished', report: finished });
    return finished;
  }
}

const interrupted = 'the run was interrupted';
const givenUp = 'the run was ended after failures (--bail)';
