import { CallerError } from '../../errors.js';
import { nearest } from '../../nearest.js';
import type { TestedServer } from '../../testedserver.js';
import { isJsonObject, type JsonObject, type JsonValue, type Tool } from '../../toolbox.js';
import { needsTask } from '../checks/tools.js';
import { isList } from '../expect/json.js';
import type { Action } from '../record/action.js';
import type { LeftOut } from '../record/left-out.js';
import { plainLine } from '../record/plain-line.js';
import { exampleArguments } from './examples.js';
import { reasonNotToCall } from './safety.js';
import { type TrialOptions, tryAction } from './trial.js';

/** What could be cases of a server, by what it says of itself. */
export interface Plan {
  /** To be tried, in this order. */
  readonly actions: readonly Action[];
  /** Not to be tried; a person may want to. */
  readonly disabled: readonly { readonly action: Action; readonly reason: string }[];
  readonly leftOut: readonly LeftOut[];
  readonly tools: readonly Tool[];
}

type ListName = NonNullable<Action['list']>;

const lists: readonly { readonly list: ListName; readonly capability: string; readonly items: string }[] = [
  { list: 'tools', capability: 'tools', items: 'tools' },
  { list: 'resources', capability: 'resources', items: 'resources' },
  { list: 'templates', capability: 'resources', items: 'resourceTemplates' },
  { list: 'prompts', capability: 'prompts', items: 'prompts' },
];

const most = { tools: 200, resources: 3, prompts: 20 } as const;

export interface PlanOptions extends TrialOptions {
  /** Tools that a person wants to be called, although they do not say that they only read. */
  readonly mayCall?: readonly string[];
}

export async function planCases(server: TestedServer, options: PlanOptions): Promise<Plan> {
  const { capabilities } = server.introduction;
  const { mayCall = [] } = options;
  const actions: Action[] = [];
  const disabled: { action: Action; reason: string }[] = [];
  const leftOut: LeftOut[] = [];
  const found = new Map<ListName, readonly JsonObject[]>();
  for (const { list, capability, items } of lists) {
    if (!isJsonObject(capabilities[capability])) continue;
    const trial = await tryAction(server, { list }, options);
    if (trial.isGood) {
      found.set(list, objectsIn(trial.result[items]));
      actions.push({ list });
      // Templates are asked for by no capability of their own, so that a server need not know of them.
    } else if (list !== 'templates') leftOut.push(trial.leftOut);
  }
  const tools = (found.get('tools') ?? []).filter(isTool);
  refuseUnknown(mayCall, tools);
  for (const tool of bounded('tool', tools, most.tools)) planTool(tool);
  const resources = textsOf('uri', found.get('resources'));
  for (const resource of bounded('resource', resources, most.resources)) actions.push({ resource });
  for (const prompt of bounded('prompt', found.get('prompts') ?? [], most.prompts)) planPrompt(prompt);
  return { actions, disabled, leftOut, tools };

  function planTool(tool: Tool): void {
    if (needsTask(tool)) {
      leftOut.push({ what: 'tool', name: tool.name, reason: 'it runs only as a task' });
      return;
    }
    const made = exampleArguments(tool);
    const reason = reasonNotToCall(tool, mayCall.includes(tool.name));
    const action = { tool: tool.name, ...('arguments' in made && someOf(made.arguments)) };
    const problem = reason ?? ('problem' in made ? `no example arguments could be made: ${made.problem}` : undefined);
    if (problem === undefined) actions.push(action);
    else disabled.push({ action, reason: problem });
  }

  function planPrompt({ name, arguments: described }: JsonObject): void {
    if (typeof name !== 'string' || name === '') return;
    const required = objectsIn(described).filter((each) => each.required === true);
    const args = Object.fromEntries(textsOf('name', required).map((each) => [each, 'example']));
    actions.push({ prompt: name, ...someOf(args) });
  }

  function bounded<T>(what: string, items: readonly T[], count: number): readonly T[] {
    const more = items.length - count;
    if (more > 0) leftOut.push({ what, name: `${more} more`, reason: `only the first ${count} are looked at` });
    return items.slice(0, count);
  }
}

function refuseUnknown(names: readonly string[], tools: readonly Tool[]): void {
  const known = tools.map(({ name }) => name);
  const [unknown] = names.filter((name) => !known.includes(name));
  if (unknown === undefined) return;
  const near = nearest(unknown, known);
  const hint = near === undefined ? '' : `; did you mean ${near}?`;
  const message = plainLine(`--call: the server has no tool ${unknown}${hint}`);
  throw new CallerError('INVALID_ARGUMENTS', message, { argument: '--call' });
}

function isTool(item: JsonObject): item is JsonObject & Tool {
  return typeof item.name === 'string' && item.name !== '' && isJsonObject(item.inputSchema);
}

function objectsIn(value: JsonValue | undefined): readonly JsonObject[] {
  return isList(value) ? value.filter(isJsonObject) : [];
}

function textsOf(key: string, items: readonly JsonObject[] = []): readonly string[] {
  const texts = items.map((item) => item[key]);
  return texts.filter((text): text is string => typeof text === 'string' && text !== '');
}

function someOf(args: JsonObject): { readonly arguments?: JsonObject } {
  return Object.keys(args).length > 0 ? { arguments: args } : {};
}
