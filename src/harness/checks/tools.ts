import { nearest } from '../../nearest.js';
import type { TestedServer } from '../../testedserver.js';
import { isJsonObject, type JsonObject, type JsonValue, type Tool } from '../../toolbox.js';
import { isList } from '../expect/json.js';
import { cut } from '../expect/shown.js';
import type { Finding } from '../report.js';
import { sendForAll } from '../run/request.js';
import type { CheckRun } from './check.js';
import { listed, named, unanswered, wrong } from './findings.js';
import { propertiesOf, requiredOf } from './schema-parts.js';

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
  return wrong(missing('tool', name, names));
}

export function missing(what: 'tool' | 'prompt' | 'resource', name: string, names: readonly string[]): string {
  return `The server has no ${what} ${named(name)}. ${adviceFor(name, names)}`;
}

/** An argument that a tool does not take, so far as its schema says which it takes. */
export function missingArgument(tool: Tool, argument: string): Finding | undefined {
  const names = Object.keys(propertiesOf(tool));
  if (names.length === 0 || names.includes(argument) || takesOthers(tool)) return undefined;
  return wrong(`${named(tool.name)} has no argument ${named(argument)}. ${adviceFor(argument, names)}`);
}

/** What is not given of the arguments without which a tool cannot be called. */
export function missingRequired(tool: Tool, given: JsonObject): Finding | undefined {
  const missing = requiredOf(tool).filter((name) => !Object.hasOwn(given, name));
  if (missing.length === 0) return undefined;
  return wrong(
    `${named(tool.name)} cannot be called without ${listed(missing)}; name what to give it under arguments.`,
  );
}

function takesOthers({ inputSchema }: Tool): boolean {
  if (!isJsonObject(inputSchema)) return true;
  const { additionalProperties = false, ...others } = inputSchema;
  return (
    additionalProperties !== false ||
    ['patternProperties', '$ref', 'anyOf', 'oneOf', 'allOf'].some((word) => others[word] !== undefined)
  );
}

function adviceFor(name: string, names: readonly string[]): string {
  const close = nearest(name, names);
  return close === undefined ? `It has: ${listed(names) || 'none'}.` : `Did you mean ${named(close)}?`;
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
  return isJsonObject(annotations) && annotations[name] === true;
}
