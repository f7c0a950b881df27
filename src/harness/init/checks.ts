import { tmpdir } from 'node:os';
import type { OpenServer, TestedServer } from '../../testedserver.js';
import type { Tool } from '../../toolbox.js';
import type { Example } from '../checks/check.js';
import { runChecks } from '../checks/checks.js';
import { saysReadOnly } from '../checks/tools.js';
import type { LeftOut } from '../record/left-out.js';
import { plainLine } from '../record/plain-line.js';
import type { CaseReport } from '../report.js';
import { strayFindings } from '../run/server-report.js';
import type { SuiteInput } from '../suite/schema.js';
import type { Suite } from '../suite.js';
import { reasonNotToCall } from './safety.js';
import type { TrialOptions } from './trial.js';

export interface ChecksInput extends TrialOptions {
  readonly suite: Suite;
  readonly tools: readonly Tool[];
  readonly examples: readonly Example[];
  readonly server: () => Promise<TestedServer>;
  readonly open: OpenServer;
}

export interface DraftedChecks {
  readonly checks: Exclude<NonNullable<SuiteInput['checks']>, string | readonly unknown[]>;
  readonly leftOut: readonly LeftOut[];
}

/** Those of the harmless checks that hold now, and what is wrong where one does not. */
export async function draftChecks(given: ChecksInput): Promise<DraftedChecks> {
  const { tools } = given;
  // Wrong arguments that are taken are a call like any other, so that only what reads is given any.
  const reading = tools.filter((tool) => saysReadOnly(tool) && reasonNotToCall(tool) === undefined);
  const names = reading.map(({ name }) => name);
  const reports: CaseReport[] = [];
  await runChecks({
    ...given,
    checks: { schemas: true, unknown: true, ...(names.length > 0 && { arguments: { tools: names } }) },
    temp: tmpdir(),
    onStarted: () => {},
    onFinished: (report) => reports.push(report),
  });
  const passed = (check: string) => of(check).length > 0 && of(check).every(({ status }) => status === 'passed');
  const checked = of('arguments').flatMap(({ status, target }) => (status === 'passed' && target ? [target] : []));
  return {
    checks: {
      ...(passed('schemas') && { schemas: true }),
      ...(checked.length > 0 && { arguments: { tools: checked } }),
      ...(passed('unknown') && { unknown: true }),
    },
    leftOut: reports.filter(({ status }) => status === 'failed').map(leftOutOf),
  };

  function of(check: string): readonly CaseReport[] {
    return reports.filter(({ id }) => id === `check: ${check}` || id.startsWith(`check: ${check} of `));
  }
}

/** Whether the servers kept their standard output for messages; where not, the check is turned off, so that the suite passes. */
export function draftStdout(servers: readonly TestedServer[]): DraftedChecks {
  const noise = new Set(servers.flatMap((server) => server.noise.map((line) => plainLine(line, 100))));
  const messages = [
    ...[...noise].map(
      (line) => `The server wrote ${JSON.stringify(line)} to standard output, which is for messages alone.`,
    ),
    ...strayFindings(servers.flatMap(({ strayAnswers }) => strayAnswers)).map(({ message }) => message),
  ];
  if (messages.length === 0) return { checks: {}, leftOut: [] };
  return { checks: { stdout: false }, leftOut: [failedCheck('stdout', messages)] };
}

function leftOutOf({ id, findings }: CaseReport): LeftOut {
  const messages = findings.map(({ message }) => message);
  return failedCheck(id.replace(/^check: /, ''), messages);
}

function failedCheck(name: string, [first = 'nobody knows why', ...more]: readonly string[]): LeftOut {
  const reason = `it does not hold: ${plainLine(first, 200)}`;
  return { what: 'check', name, reason, ...(more.length > 0 && { more }) };
}
