import type { StrayAnswer } from '../../testedserver.js';
import type { JsonValue } from '../../toolbox.js';
import type { CaseReport, Finding } from '../report.js';
import type { Suite } from '../suite.js';
import { notRun } from './case-run.js';
import type { ServerKeeper } from './server-keeper.js';

/** What the server did beside answering: nothing where that was as it should be and nothing was asked. */
export function serverReport({ document }: Suite, keeper: ServerKeeper): CaseReport | undefined {
  const { first } = keeper;
  if (!first) return document.capabilities === undefined ? undefined : unseen();
  const missing = (document.capabilities ?? []).filter((path) => !declares(first.introduction.capabilities, path));
  const findings: Finding[] = [
    ...missing.map((path) => ({
      kind: 'capabilities',
      message: `The server does not declare the capability ${path}.`,
      expected: path,
      actual: first.introduction.capabilities,
    })),
    ...keeper.crashes.map((crash) => crashFinding(crash, keeper.wasReplaced(crash))),
    ...(document.checks.stdout === false
      ? []
      : [...noiseFindings(keeper.noise), ...strayFindings(keeper.strayAnswers)]),
  ];
  if (findings.length === 0 && document.capabilities === undefined) return undefined;
  const status = findings.length > 0 ? 'failed' : 'passed';
  return { ...notRun, ...described, status, findings, runs: 1, failedRuns: findings.length > 0 ? 1 : 0, attempts: 1 };
}

const name = 'the server behaves';
const described = { id: name, name, kind: 'server', tags: [] } as const;

function unseen(): CaseReport {
  return {
    ...notRun,
    ...described,
    status: 'skipped',
    reason: 'no server was started that could declare capabilities',
  };
}

type Crash = ServerKeeper['crashes'][number];

function crashFinding({ during, message, stderr }: Crash, wasReplaced: boolean): Finding {
  const when = during === '' ? '' : ` (during ${during})`;
  return {
    kind: 'crash',
    message: `${message}${when}.${wasReplaced ? ' It was started again.' : ''}`,
    ...(stderr.length > 0 && { detail: stderr.join('\n') }),
  };
}

function noiseFindings(noise: readonly string[]): readonly Finding[] {
  if (noise.length === 0) return [];
  const message = `The server wrote ${noise.length === 1 ? 'a line' : `${noise.length} lines`} to standard output that ${noise.length === 1 ? 'is no message' : 'are no messages'}; clients may give it up for that. What is for people goes to standard error.`;
  return [{ kind: 'stdout', message, detail: noise.join('\n') }];
}

export function strayFindings(answers: readonly StrayAnswer[]): readonly Finding[] {
  const repeated = answers.filter(({ isRepeated }) => isRepeated);
  const unasked = answers.filter(({ isRepeated }) => !isRepeated);
  const times = repeated.length === 1 ? '' : ` (${repeated.length} times)`;
  const given = unasked.length === 1 ? 'an answer' : `${unasked.length} answers`;
  return [
    ...strayFinding(`The server answered a request twice${times}; a request has one answer.`, repeated),
    ...strayFinding(
      `The server gave ${given} with an id that no request had; an answer has the id of its request.`,
      unasked,
    ),
  ];
}

function strayFinding(message: string, answers: readonly StrayAnswer[]): readonly Finding[] {
  if (answers.length === 0) return [];
  return [{ kind: 'answers', message, detail: answers.map(({ line }) => line).join('\n') }];
}

function declares(capabilities: JsonValue, path: string): boolean {
  let found: JsonValue | undefined = capabilities;
  for (const step of path.split('.')) {
    if (typeof found !== 'object' || found === null || !Object.hasOwn(found, step)) return false;
    found = Reflect.get(found, step) as JsonValue;
  }
  return found !== false;
}
