import { isJsonObject, type JsonObject, type Tool } from '../../toolbox.js';
import type { Example } from './check.js';
import { propertiesOf, requiredOf } from './schema-parts.js';
import { needsTask, saysReadOnly } from './tools.js';

/** A call that can be made without harm. */
export interface Choice {
  readonly tool: Tool;
  readonly arguments: JsonObject;
}

/** One that takes a text which can be replaced by any other. */
export interface TextChoice extends Choice {
  readonly argument: string;
}

interface Given {
  readonly tools: readonly Tool[];
  readonly examples: readonly Example[];
}

/** Of tools that say that they only read: with the arguments of passed cases, or with none where none are needed. */
export function readingChoices({ tools, examples }: Given): readonly Choice[] {
  return tools
    .filter((tool) => saysReadOnly(tool) && !needsTask(tool))
    .flatMap((tool) => knownArguments(tool, examples).map((known) => ({ tool, arguments: known })));
}

/** Of these choices, those with a text in the arguments; texts that have to be of some form come last. */
export function textChoices(choices: readonly Choice[]): readonly TextChoice[] {
  const found = choices.flatMap((choice) =>
    Object.entries(choice.arguments)
      .filter(([, value]) => typeof value === 'string')
      .map(([argument]) => ({ ...choice, argument })),
  );
  return [...found.filter(takesAnyText), ...found.filter((choice) => !takesAnyText(choice))];
}

/** What a tool can be called with, so far as it is known; only of a tool that reads is "nothing" tried unasked. */
export function knownArguments(tool: Tool, examples: readonly Example[]): readonly JsonObject[] {
  const known = examples.filter((example) => example.tool === tool.name).map((example) => example.arguments);
  if (known.length > 0 || !saysReadOnly(tool) || requiredOf(tool).length > 0) return known;
  return [{}];
}

const restricting = ['enum', 'const', 'format', 'pattern', 'contentEncoding'] as const;

function takesAnyText({ tool, argument }: TextChoice): boolean {
  const schema = propertiesOf(tool)[argument];
  return isJsonObject(schema) && schema.type === 'string' && restricting.every((word) => schema[word] === undefined);
}

export function argumentsWith({ arguments: others, argument }: TextChoice, text: string): JsonObject {
  return { ...others, [argument]: text };
}
