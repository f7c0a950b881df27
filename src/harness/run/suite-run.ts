import type { TestedServer } from '../../testedserver.js';
import type { JsonObject, JsonValue } from '../../toolbox.js';
import type { Example } from '../checks/check.js';
import { openSnapshots } from '../expect/snapshots.js';
import type { RunOptions, SuiteParts } from '../harness.js';
import { createFigures } from '../measure/figures.js';
import type { CaseReport, Finding, SuiteReport } from '../report.js';
import { fillVariables } from '../suite/values.js';
import type { Suite, SuiteCase } from '../suite.js';
import { type CaseParts, runSteps } from './attempt.js';
import { notRun, runCase, skippedCase } from './case-run.js';
import { redactedReport } from './redacted.js';
import { createValues } from './scene.js';
import { runInOrder } from './schedule.js';
import { selectFrom } from './selection.js';
import { createKeeper, reasonOf } from './server-keeper.js';
import { serverReport } from './server-report.js';
import { totalsOf } from './totals.js';
import { prepareValidators } from './validators.js';

/** Failed cases that a run may still have, over all suites. */
export interface Patience {
  noteFailure(): void;
  readonly isOver: boolean;
}

/** Runs a suite from the start of its server to its end. Rejects only for what is nobody's test result. */
export async function runSuite(
  suite: Suite,
  parts: SuiteParts,
  options: RunOptions,
  patience: Patience,
): Promise<SuiteReport> {
  const { document } = suite;
  const { signal, onEvent } = options;
  const began = performance.now();
  const selection = selectFrom(suite, options);
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
  });
  const snapshots = await openSnapshots({
    file: suite.file,
    folder: suite.folder,
    update: options.updateSnapshots === true,
    refuseNew: options.refuseNewSnapshots === true,
  });
  const given = { temp: parts.temp, suite_folder: suite.folder };
  const shared: Record<string, JsonValue> = { ...fillVariables(document.variables, given) };
  const caseParts: CaseParts = {
    suite,
    signal,
    keeper,
    shared,
    figures,
    tools: () => keeper.tools(),
    validatorOf: validators.of,
    snapshotsOf: (id) => snapshots.of(id),
  };
  const reports = new Map<string, CaseReport>();
  const aside: CaseReport[] = [];
  const examples: Example[] = [];
  const chosen = suite.cases.filter(({ id }) => selection.cases.has(id));
  onEvent?.({ type: 'suite-started', file: suite.file, name: suite.name, cases: chosen.length });

  try {
    const obstacle = await prepare();
    const parallel = options.parallel ?? document.parallel;
    await runInOrder(
      chosen.map((item) => ({ id: item.id, after: item.after, run: () => runOne(item, obstacle) })),
      parallel,
    );
    if (obstacle === undefined) await runBuiltIns();
    if (obstacle === undefined || keeper.current) await finishSteps();
  } finally {
    await keeper.close();
  }
  return report();

  /** The server, and the steps before the first case. Gives why no case can run, where that is so. */
  async function prepare(): Promise<string | undefined> {
    try {
      const server = document.isolation === 'case' && document.setup.length === 0 ? undefined : await keeper.get();
      const findings = server ? await runSteps('setup', document.setup, sceneFor(server)) : [];
      if (findings.length === 0) return undefined;
      add(failedAside('setup', 'setup', findings));
      return 'the setup of the suite failed';
    } catch (error) {
      const { message, ...rest } = reasonOf(error);
      add(failedAside('server', 'the server starts', [{ kind: 'server', message, ...rest }]));
      return 'the server could not be started';
    }
  }

  async function runOne(item: SuiteCase, obstacle: string | undefined): Promise<void> {
    const reason = reasonToSkip(item, obstacle);
    if (reason !== undefined) {
      tell(skippedCase(item, reason));
      return;
    }
    underWay.add(item.id);
    onEvent?.({ type: 'case-started', id: item.id });
    const done = await runCase(item, caseParts, { repeat: options.repeat });
    underWay.delete(item.id);
    noteExample(done, examples);
    tell(done);
  }

  function reasonToSkip({ spec, after }: SuiteCase, obstacle: string | undefined): string | undefined {
    if (spec.skip !== undefined) return spec.skip;
    if (obstacle !== undefined) return obstacle;
    if (signal?.aborted) return 'the run was interrupted';
    if (patience.isOver) return 'the run was ended after failures (--bail)';
    const missing = after.find((id) => reports.get(id)?.status !== 'passed');
    if (missing === undefined) return undefined;
    return `it depends on ${JSON.stringify(missing)}, which ${reports.get(missing)?.status === 'failed' ? 'failed' : 'was skipped'}`;
  }

  async function runBuiltIns(): Promise<void> {
    const { checks, conformance } = document;
    const isOver = () => signal?.aborted === true || patience.isOver;
    if (Object.keys(checks).length > 0 && !isOver()) {
      const { runChecks } = await import('../checks/checks.js');
      await runChecks({
        checks,
        suite,
        // Servers that a check opens for itself are its own to end, in whatever way.
        open: (how) => parts.open({ signal, ...how }),
        server: () => keeper.get(),
        tools: await keeper.tools(),
        examples,
        timeoutMs: document.timeout,
        temp: parts.temp,
        signal,
        isWanted: (id) => selection.takes(id, ['check']) && !isOver(),
        onStarted: (id) => onEvent?.({ type: 'case-started', id }),
        onFinished: add,
      });
    }
    if (conformance && !isOver() && selection.takes('conformance', ['conformance'])) {
      onEvent?.({ type: 'case-started', id: 'conformance' });
      for (const scenario of await parts.conformance(conformance, { note, signal })) add(scenario);
    }
  }

  function note(message: string): void {
    notes.push(message);
    onEvent?.({ type: 'note', message });
  }

  async function finishSteps(): Promise<void> {
    if (document.teardown.length === 0) return;
    try {
      const findings = await runSteps('teardown', document.teardown, sceneFor(await keeper.get()));
      if (findings.length > 0) add(failedAside('teardown', 'teardown', findings));
    } catch (error) {
      const { message, ...rest } = reasonOf(error);
      add(failedAside('teardown', 'teardown', [{ kind: 'server', message, ...rest }]));
    }
  }

  function sceneFor(server: TestedServer) {
    const { tools, validatorOf } = caseParts;
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

  function tell(done: CaseReport): void {
    reports.set(done.id, announced(done));
  }

  function add(done: CaseReport): void {
    aside.push(announced(done));
  }

  function announced(done: CaseReport): CaseReport {
    const shown = redactedReport(done, parts.redact);
    if (shown.status === 'failed') patience.noteFailure();
    onEvent?.({ type: 'case-finished', report: shown });
    return shown;
  }

  async function saveSnapshots(complete: boolean): Promise<SuiteReport['snapshots']> {
    try {
      return await snapshots.save({ complete });
    } catch (error) {
      const { message, ...rest } = reasonOf(error);
      add(failedAside('teardown', 'snapshots are kept', [{ kind: 'snapshot', message, ...rest }]));
      return { written: 0, updated: 0, unused: [] };
    }
  }

  async function report(): Promise<SuiteReport> {
    const behaviour = serverReport(suite, keeper);
    if (behaviour) add(behaviour);
    const inOrder = chosen.flatMap(({ id }) => reports.get(id) ?? []);
    const wasWhole = selection.isComplete && !signal?.aborted && inOrder.every(({ status }) => status !== 'skipped');
    const saved = await saveSnapshots(wasWhole);
    const cases = [...aside.filter(isBefore), ...inOrder, ...aside.filter((each) => !isBefore(each))];
    const totals = totalsOf(cases);
    const introduction = keeper.first?.introduction;
    const finished: SuiteReport = {
      name: suite.name,
      file: suite.file,
      outcome: totals.failed > 0 ? 'failed' : 'passed',
      durationMs: performance.now() - began,
      totals,
      server: {
        kind: parts.kind,
        shown: parts.shown,
        ...(introduction?.name !== undefined && { name: introduction.name }),
        ...(introduction?.version !== undefined && { version: introduction.version }),
        ...(introduction?.protocolVersion !== undefined && { protocolVersion: introduction.protocolVersion }),
        starts: keeper.starts,
        ...(introduction && { startMs: introduction.ms }),
        crashes: keeper.crashes,
        noise: keeper.noise,
      },
      cases,
      measures: figures.finish(),
      snapshots: saved,
      notes,
    };
    onEvent?.({ type: 'suite-finished', report: finished });
    return finished;
  }
}

function failedAside(kind: 'setup' | 'teardown' | 'server', name: string, findings: readonly Finding[]): CaseReport {
  return { ...notRun, id: name, name, kind, tags: [], status: 'failed', findings, runs: 1, failedRuns: 1, attempts: 1 };
}

function isBefore({ kind }: CaseReport): boolean {
  return kind === 'server' || kind === 'setup';
}

/** What a tool was called with and passed, for checks that need something to call it with. */
function noteExample({ status, kind, target, request, id, latencyMs }: CaseReport, examples: Example[]): void {
  if (status !== 'passed' || kind !== 'tool' || target === undefined) return;
  const given = objectIn(request?.params, 'arguments');
  if (given) examples.push({ tool: target, arguments: given, case: id, ms: latencyMs });
}

function objectIn(value: JsonValue | undefined, key: string): JsonObject | undefined {
  const found = isObject(value) ? value[key] : undefined;
  return isObject(found) ? found : undefined;
}

function isObject(value: JsonValue | undefined): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
