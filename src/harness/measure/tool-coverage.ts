import { isJsonObject, type Tool } from '../../toolbox.js';
import type { CaseReport, SuiteReport } from '../report.js';

/** Which of the tools that a server lists no case or step called; nothing where none was called at all. */
export function toolCoverageOf(
  listed: readonly Tool[],
  cases: readonly CaseReport[],
  { tools }: SuiteReport['measures'],
): SuiteReport['toolCoverage'] {
  const called = new Set([...tools.map(({ tool }) => tool), ...cases.flatMap(calledBy)]);
  const names = [...new Set(listed.map(({ name }) => name))];
  const notCalled = names.filter((name) => !called.has(name));
  return notCalled.length === names.length ? undefined : { listed: names.length, notCalled: notCalled.sort() };
}

/** A load, and a request by its method, are not among the calls that are measured. */
function calledBy({ kind, target, request, runs }: CaseReport): readonly string[] {
  if (runs === 0) return [];
  if (kind === 'tool') return target === undefined ? [] : [target];
  const params = request?.method === 'tools/call' && isJsonObject(request.params) ? request.params : {};
  return typeof params.name === 'string' ? [params.name] : [];
}
