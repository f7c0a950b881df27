import type { JsonValue } from '../../toolbox.js';
import type { CaseReport, Finding } from '../report.js';
import type { Suite } from '../suite.js';
import { notRun } from './case-run.js';
import type { ServerKeeper } from './server-keeper.js';

/** What the server did beside answering: nothing where that was as it should be and nothing was asked. */
export function serverReport({ document }: Suite, keeper: ServerKeeper): CaseReport | undefined {
  const { first } = keeper;
  if (!first) return undefined;
  const missing = (document.capabilities ?? []).filter((path) => !declares(first.introduction.capabilities, path));
  const findings: Finding[] = [
    ...missing.map((path) => ({
      kind: 'capabilities',
      message: `The server does not declare the capability ${path}.`,
      expected: path,
      actual: first.introduction.capabilities,
    })),
    ...keeper.crashes.map(({ during, message, stderr }) => ({
      kind: 'crash',
      message: `${message}${during === '' ? '' : ` (during ${during})`}. It was started again.`,
      ...(stderr.length > 0 && { detail: stderr.join('\n') }),
    })),
    ...noiseFindings(document.checks.stdout === false ? [] : keeper.noise),
  ];
  if (findings.length === 0 && document.capabilities === undefined) return undefined;
  const status = findings.length > 0 ? 'failed' : 'passed';
  const id = 'the server behaves';
  return {
    ...notRun,
    id,
    name: id,
    kind: 'server',
    tags: [],
    status,
    findings,
    runs: 1,
    failedRuns: findings.length > 0 ? 1 : 0,
    attempts: 1,
  };
}

function noiseFindings(noise: readonly string[]): readonly Finding[] {
  if (noise.length === 0) return [];
  const message = `The server wrote ${noise.length === 1 ? 'a line' : `${noise.length} lines`} to standard output that ${noise.length === 1 ? 'is no message' : 'are no messages'}; clients may give it up for that. What is for people goes to standard error.`;
  return [{ kind: 'stdout', message, detail: noise.join('\n') }];
}

function declares(capabilities: JsonValue, path: string): boolean {
  let found: JsonValue | undefined = capabilities;
  for (const step of path.split('.')) {
    if (typeof found !== 'object' || found === null || !Object.hasOwn(found, step)) return false;
    found = Reflect.get(found, step) as JsonValue;
  }
  return found !== false;
}
