import type { Example } from '../../../src/harness/checks/check.js';
import { runChecks } from '../../../src/harness/checks/checks.js';
import type { CaseReport } from '../../../src/harness/report.js';
import { suiteSchema } from '../../../src/harness/suite/schema.js';
import { checksSchema } from '../../../src/harness/suite/schema-checks.js';
import type { Suite } from '../../../src/harness/suite.js';
import type { OpenServer } from '../../../src/testedserver.js';
import type { JsonObject, Tool } from '../../../src/toolbox.js';
import { fakeShared } from '../fakes.js';

export interface Given {
  readonly open: OpenServer;
  readonly tools: readonly Tool[];
  readonly examples?: readonly Example[];
  readonly timeoutMs?: number;
  readonly signal?: AbortSignal;
  readonly isWanted?: (id: string) => boolean;
}

/** Runs checks as a suite says them, and gives their reports. */
export async function reportsOf(checks: unknown, { open, tools, examples = [], ...more }: Given) {
  const reports: CaseReport[] = [];
  const started: string[] = [];
  const server = fakeShared(open);
  await runChecks({
    checks: checksSchema.parse(checks),
    suite,
    open,
    server,
    tools,
    examples,
    timeoutMs: 2000,
    temp: '/nowhere',
    onStarted: (id) => started.push(id),
    onFinished: (report) => reports.push(report),
    ...more,
  });
  if (started.join() !== reports.map(({ id }) => id).join()) throw new Error('started is not finished');
  return reports;
}

/** Of a single check, in few words. */
export async function verdictOf(checks: unknown, given: Given) {
  const reports = await reportsOf(checks, given);
  return reports.map(({ id, status, reason, findings }) => ({
    id,
    status,
    ...(reason !== undefined && { reason }),
    ...(findings.length > 0 && { says: findings.map(({ message }) => message) }),
  }));
}

export function example(tool: string, args: JsonObject, ms?: number): Example {
  return { tool, arguments: args, case: `${tool} works`, ...(ms !== undefined && { ms }) };
}

const document = suiteSchema.parse({ version: 1, server: { command: 'none' } });
const suite: Suite = {
  file: 'suite.yaml',
  folder: '/nowhere',
  name: 'suite',
  document,
  cases: [],
  texts: new Map(),
  place: { line: 1, column: 1 },
  placeOfCheck: (name) => ({ line: 4, column: name.length }),
};
