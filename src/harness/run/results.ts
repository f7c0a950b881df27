import type { RunOptions, SuiteParts } from '../harness.js';
import type { CaseReport, Finding } from '../report.js';
import { notRun } from './case-run.js';
import { redactedCase } from './redacted.js';
import { reasonOf } from './server-keeper.js';

/** Failed cases that a run may still have, over all suites. */
export interface Patience {
  noteFailure(): void;
  readonly isOver: boolean;
}

/** What became of the cases of a suite, told as soon as it is known, and without secrets. */
export interface Results {
  /** Of a case of the suite. */
  tell(done: CaseReport): void;
  /** Of what is no case of the suite: its steps, its server, a check. */
  add(done: CaseReport): void;
  addFailure(kind: AsideKind, name: string, findings: readonly Finding[]): void;
  /** The same, of what was thrown. */
  addThrown(kind: AsideKind, name: string, error: unknown, what?: string): void;
  statusOf(id: string): CaseReport['status'] | undefined;
  /** Whether the server could not be had. */
  readonly hasNoServer: boolean;
  /** In the order of the file, what came before it first, checks last. */
  inOrder(ids: readonly string[]): readonly CaseReport[];
}

type AsideKind = 'setup' | 'teardown' | 'server';

export function createResults(
  { redact }: Pick<SuiteParts, 'redact'>,
  { onEvent }: Pick<RunOptions, 'onEvent'>,
  patience: Patience,
): Results {
  const reports = new Map<string, CaseReport>();
  const aside: CaseReport[] = [];
  return {
    tell(done) {
      reports.set(done.id, announced(done));
    },
    add,
    addFailure,
    addThrown(kind, name, error, what = kind) {
      const { message, ...rest } = reasonOf(error);
      addFailure(kind, name, [{ kind: what, message, ...rest }]);
    },
    statusOf: (id) => reports.get(id)?.status,
    get hasNoServer() {
      return aside.some(({ kind, status }) => kind === 'server' && status === 'failed');
    },
    inOrder(ids) {
      const own = ids.flatMap((id) => reports.get(id) ?? []);
      return [...aside.filter(isBefore), ...own, ...aside.filter((each) => !isBefore(each))];
    },
  };

  function add(done: CaseReport): void {
    aside.push(announced(done));
  }

  function addFailure(kind: AsideKind, name: string, findings: readonly Finding[]): void {
    add({ ...notRun, id: name, name, kind, tags: [], status: 'failed', findings, runs: 1, failedRuns: 1, attempts: 1 });
  }

  function announced(done: CaseReport): CaseReport {
    const shown = redactedCase(done, redact);
    if (shown.status === 'failed') patience.noteFailure();
    onEvent?.({ type: 'case-finished', report: shown });
    return shown;
  }
}

function isBefore({ kind }: CaseReport): boolean {
  return kind === 'server' || kind === 'setup';
}
