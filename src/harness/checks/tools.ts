import { nearest } from '../../nearest.js';
import type { TestedServer } from '../../testedserver.js';
import type { JsonValue, Tool } from '../../toolbox.js';
import { isList, isObject } from '../expect/json.js';
import { cut } from '../expect/shown.js';
import type { Finding } from '../report.js';
import { sendForAll } from '../run/request.js';
import type { CheckRun } from './check.js';
import { listed, named, unanswered, wrong } from './findings.js';

/** All that the server lists, whatever it is; or why there is no list. */
export async function listTools(
  server: TestedServer,
  options: { readonly timeoutMs: number; readonly signal?: AbortSignal },
): Promise<{ readonly tools: readonly JsonValue[] } | { readonly finding: Finding }> {
  const { exchange, finding } = await sendForAll(server, 'tools', options);
  if (finding) return { finding };
  const { outcome } = exchange;
  if (outcome.kind === 'none') return { finding: unanswered('tools/list', outcome) };
  if (outcome.kind === 'error') {
    const { code, message } = outcome.error;
    return { finding: wrong(`tools/list was answered with the error ${code}: ${cut(message)}`) };
  }
  const { tools } = outcome.result;
  return isList(tools) ? { tools } : { finding: wrong('The answer to tools/list has no list of tools.') };
}

/** The server that was asked something goes on answering, as it did when it listed its tools. */
export async function stillAnswers(
  server: TestedServer,
  after: string,
  options: Pick<CheckRun, 'tools' | 'timeoutMs' | 'signal'>,
): Promise<readonly Finding[]> {
  const { outcome } = await server.request('tools/list', {}, options);
  if (outcome.kind === 'none') return [unanswered(`tools/list ${after}`, outcome)];
  if (outcome.kind === 'result' || options.tools.length === 0) return [];
  const { code, message } = outcome.error;
  return [wrong(`tools/list ${after} was answered with the error ${code}: ${cut(message)}`)];
}

export function missingTool(name: string, tools: readonly Tool[]): Finding {
  const names = tools.map((tool) => tool.name);
  const close = nearest(name, names);
  const advice = close === undefined ? `It has: ${listed(names) || 'none'}.` : `Did you mean ${named(close)}?`;
  return wrong(`The server has no tool ${named(name)}. ${advice}`);
}

export function saysReadOnly(tool: Tool): boolean {
  return hint(tool, 'readOnlyHint');
}

export function saysIdempotent(tool: Tool): boolean {
  return saysReadOnly(tool) || hint(tool, 'idempotentHint');
}

/** By its own word; a tool that says nothing is not taken for one. */
export function saysDestructive(tool: Tool): boolean {
  return hint(tool, 'destructiveHint') && !saysReadOnly(tool);
}

/** A plain call of it is refused, whatever the arguments. */
export function needsTask(tool: Tool): boolean {
  const execution: unknown = 'execution' in tool ? tool.execution : undefined;
  if (typeof execution !== 'object' || execution === null || !('taskSupport' in execution)) return false;
  return execution.taskSupport === 'required';
}

function hint({ annotations }: Tool, name: string): boolean {
  return isObject(annotations) && annotations[name] === true;
}
