import { isJsonObject, type JsonObject, type JsonValue } from '../../toolbox.js';
import type { Finding } from '../report.js';
import { isList, ownValue } from './json.js';
import { pathText, type Step } from './path-text.js';
import { bounded, shown } from './shown.js';

export type Action = 'tool' | 'prompt' | 'resource' | 'list' | 'request';
/** What is listed. */
export type Listed = 'tools' | 'resources' | 'templates' | 'prompts';

const toldAtMost = 5;

/** Whether a result has the form that MCP gives it. Types of content that are not known here are taken as they are. */
export function checkForm(action: Action, result: JsonObject, listed?: Listed): readonly Finding[] {
  if (action === 'request' || isOtherThanFinished(result)) return [];
  const findings: Finding[] = [];
  for (const problem of problemsOf(action, result, listed)) {
    findings.push(findingOf(problem, result));
    if (findings.length >= toldAtMost) break;
  }
  return findings;
}

function findingOf({ steps, wants }: Problem, result: JsonObject): Finding {
  const actual = valueAt(result, steps);
  const is = actual === undefined ? 'is missing' : `is ${shown(actual)}`;
  const path = pathText(steps);
  return {
    kind: 'form',
    path,
    message: `${path} ${is}; MCP wants ${wants} there.`,
    ...(actual !== undefined && { actual: bounded(actual) }),
  };
}

/** A task, or a question to the person, in the place of a result. */
function isOtherThanFinished({ task, resultType }: JsonObject): boolean {
  return (isJsonObject(task) && typeof task.taskId === 'string') || resultType === 'input_required';
}

interface Problem {
  readonly steps: readonly Step[];
  readonly wants: string;
}

type Finished = Exclude<Action, 'request'>;

function* problemsOf(action: Finished, result: JsonObject, listed: Listed | undefined): Generator<Problem> {
  if (action === 'list') return yield* listProblems(result, listed);
  if (action === 'tool' && result.isError !== undefined && typeof result.isError !== 'boolean') {
    yield { steps: ['isError'], wants: 'true or false' };
  }
  const key = ({ tool: 'content', prompt: 'messages', resource: 'contents' } as const)[action];
  const parts = result[key];
  if (!isList(parts)) {
    yield { steps: [key], wants: 'a list' };
    return;
  }
  const check = { tool: blockProblems, prompt: messageProblems, resource: contentProblems }[action];
  for (const [index, part] of parts.entries()) yield* check(part, [key, index]);
}

const textsOfItems = {
  tools: ['name'],
  resources: ['uri', 'name'],
  resourceTemplates: ['uriTemplate', 'name'],
  prompts: ['name'],
} as const;
type ListKey = keyof typeof textsOfItems;
const listKeys: readonly ListKey[] = ['tools', 'resources', 'resourceTemplates', 'prompts'];

function* listProblems(result: JsonObject, listed: Listed | undefined): Generator<Problem> {
  const wanted = listed === 'templates' ? 'resourceTemplates' : listed;
  const key = wanted ?? listKeys.find((each) => isList(result[each]));
  if (key === undefined) return yield { steps: [], wants: `one of the lists ${listKeys.join(', ')}` };
  const items = result[key];
  if (!isList(items)) return yield { steps: [key], wants: 'a list' };
  for (const [index, item] of items.entries()) {
    const steps = [key, index];
    if (!isJsonObject(item)) yield { steps, wants: 'an object' };
    else yield* missingTexts(item, textsOfItems[key], steps);
  }
}

function* messageProblems(message: JsonValue, steps: readonly Step[]): Generator<Problem> {
  if (!isJsonObject(message)) return yield { steps, wants: 'an object' };
  if (message.role !== 'user' && message.role !== 'assistant') {
    yield { steps: [...steps, 'role'], wants: 'user or assistant' };
  }
  yield* blockProblems(message.content ?? null, [...steps, 'content']);
}

function* contentProblems(content: JsonValue, steps: readonly Step[]): Generator<Problem> {
  if (!isJsonObject(content)) return yield { steps, wants: 'an object' };
  yield* missingTexts(content, ['uri'], steps);
  if (typeof content.text !== 'string' && typeof content.blob !== 'string') {
    yield { steps, wants: 'an object with text or blob' };
  }
}

const textsOfBlocks: ReadonlyMap<string, readonly string[]> = new Map([
  ['text', ['text']],
  ['image', ['data', 'mimeType']],
  ['audio', ['data', 'mimeType']],
  ['resource_link', ['uri', 'name']],
]);

function* blockProblems(block: JsonValue, steps: readonly Step[]): Generator<Problem> {
  if (!isJsonObject(block)) return yield { steps, wants: 'a content block' };
  if (typeof block.type !== 'string') return yield { steps: [...steps, 'type'], wants: 'the type of the block' };
  yield* missingTexts(block, textsOfBlocks.get(block.type) ?? [], steps);
  if (block.type === 'resource') yield* contentProblems(block.resource ?? null, [...steps, 'resource']);
}

function* missingTexts(holder: JsonObject, keys: readonly string[], steps: readonly Step[]): Generator<Problem> {
  for (const key of keys) if (typeof holder[key] !== 'string') yield { steps: [...steps, key], wants: 'a text' };
}

function valueAt(root: JsonValue, steps: readonly Step[]): JsonValue | undefined {
  return steps.reduce<JsonValue | undefined>((value, step) => {
    if (typeof step === 'number') return isList(value) ? value[step] : undefined;
    return isJsonObject(value) ? ownValue(value, step) : undefined;
  }, root);
}
