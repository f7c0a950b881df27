import type { TestedServer } from '../../testedserver.js';
import type { JsonObject, JsonValue, Tool } from '../../toolbox.js';
import { needsTask } from '../checks/tools.js';
import { isList, isObject } from '../expect/json.js';
import type { Action } from '../record/action.js';
import type { LeftOut } from '../record/left-out.js';
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

export async function planCases(server: TestedServer, options: TrialOptions): Promise<Plan> {
  const { capabilities } = server.introduction;
  const actions: Action[] = [];
  const disabled: { action: Action; reason: string }[] = [];
  const leftOut: LeftOut[] = [];
  const found = new Map<ListName, readonly JsonObject[]>();
  for (const { list, capability, items } of lists) {
    if (!isObject(capabilities[capability])) continue;
    const trial = await tryAction(server, { list }, options);
    if (trial.isGood) {
      found.set(list, objectsIn(trial.result[items]));
      actions.push({ list });
      // Templates are asked for by no capability of their own, so that a server need not know of them.
    } else if (list !== 'templates') leftOut.push(trial.leftOut);
  }
  const tools = (found.get('tools') ?? []).filter(isTool);
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
    const reason = reasonNotToCall(tool);
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

function isTool(item: JsonObject): item is JsonObject & Tool {
  return typeof item.name === 'string' && item.name !== '' && isObject(item.inputSchema);
}

function objectsIn(value: JsonValue | undefined): readonly JsonObject[] {
  return isList(value) ? value.filter(isObject) : [];
}

function textsOf(key: string, items: readonly JsonObject[] = []): readonly string[] {
  const texts = items.map((item) => item[key]);
  return texts.filter((text): text is string => typeof text === 'string' && text !== '');
}

function someOf(args: JsonObject): { readonly arguments?: JsonObject } {
  return Object.keys(args).length > 0 ? { arguments: args } : {};
}
