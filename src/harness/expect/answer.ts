import type { Outcome } from '../../testedserver.js';
import { isJsonObject, type JsonObject, type JsonValue } from '../../toolbox.js';
import { isList, ownValue } from './json.js';
import { shown } from './shown.js';

/** What expectations look at: the result, or an object with the error. */
export function answerOf(outcome: Exclude<Outcome, { readonly kind: 'none' }>): JsonObject {
  if (outcome.kind === 'result') return outcome.result;
  const { code, message, data } = outcome.error;
  return { error: data === undefined ? { code, message } : { code, message, data } };
}

/** All text of an answer: of content blocks, messages or contents; of anything else its JSON; of an error its message. */
export function textOfOutcome(outcome: Exclude<Outcome, { readonly kind: 'none' }>): string {
  return outcome.kind === 'result' ? textOf(outcome.result) : outcome.error.message;
}

export function textOf(result: JsonObject): string {
  return textsOf(result)?.join('\n') ?? JSON.stringify(result);
}

/** What a tool or resource gives to programs. What is neither a tool's result nor a resource is its own data. */
export function dataOf(result: JsonObject): { readonly data?: JsonValue; readonly problem?: string } {
  const structured = ownValue(result, 'structuredContent');
  if (structured !== undefined && structured !== null) return { data: structured };
  if (isList(result.content)) return decoded(textsOf(result) ?? [], 'structuredContent and no text');
  if (isList(result.contents)) return decoded(textsOf(result) ?? [], 'text');
  return { data: result };
}

/** The content blocks of an answer, those of prompts and resources too; nothing where it has no place for any. */
export function blocksOf(result: JsonObject): readonly JsonValue[] | undefined {
  if (isList(result.content)) return result.content;
  if (isList(result.contents)) return result.contents;
  if (!isList(result.messages)) return undefined;
  return result.messages.flatMap((message) => {
    const content = isJsonObject(message) ? message.content : undefined;
    if (isList(content)) return content;
    return content === undefined ? [] : [content];
  });
}

function textsOf(result: JsonObject): readonly string[] | undefined {
  return blocksOf(result)?.flatMap((block) => {
    if (!isJsonObject(block)) return [];
    const holder = isJsonObject(block.resource) ? block.resource : block;
    const text = ownValue(holder, 'text');
    return typeof text === 'string' ? [text] : [];
  });
}

function decoded(texts: readonly string[], nothing: string): { data?: JsonValue; problem?: string } {
  const [text] = texts;
  if (text === undefined) return { problem: `it has no ${nothing}` };
  if (texts.length > 1) return { problem: `it has ${texts.length} texts, and none of them alone is the data` };
  try {
    return { data: JSON.parse(text) };
  } catch {
    return { problem: `its text is no JSON: ${shown(text)}` };
  }
}
