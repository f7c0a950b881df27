import type { Exchange, RequestOptions, TestedServer } from '../../testedserver.js';
import { isJsonObject, type JsonObject, type JsonValue } from '../../toolbox.js';
import { blocksOf } from '../expect/answer.js';
import { isList } from '../expect/json.js';
import { argumentsWith, type TextChoice } from './choice.js';
import { isRefused } from './findings.js';

const mostProbed = 5;
const probe = '[mcp-execution probe]';

/** The first choice whose text comes back, if one does. */
export async function findEcho(
  server: TestedServer,
  choices: readonly TextChoice[],
  options: RequestOptions,
): Promise<TextChoice | undefined> {
  for (const choice of choices.slice(0, mostProbed)) {
    const exchange = await sendText(server, choice, probe, options);
    if (!isRefused(exchange) && holdsText(exchange, probe)) return choice;
  }
  return undefined;
}

export function sendText(
  server: TestedServer,
  choice: TextChoice,
  text: string,
  options: RequestOptions,
): Promise<Exchange> {
  const params = { name: choice.tool.name, arguments: argumentsWith(choice, text) };
  return server.request('tools/call', params, options);
}

/** Whether the text is in the answer as it is, in its text or in its data, or there in the escapes of JSON. */
export function holdsText({ outcome }: Exchange, text: string): boolean {
  if (outcome.kind !== 'result') return false;
  const forms = [text, escaped(text), asciiEscaped(text)];
  return textsOf(outcome.result).some((each) => forms.some((form) => each.includes(form)));
}

function textsOf(result: JsonObject): readonly string[] {
  const inBlocks = (blocksOf(result) ?? []).flatMap((block) => stringsIn(block));
  return [...inBlocks, ...stringsIn(result.structuredContent ?? null)];
}

const deepest = 50;

function stringsIn(value: JsonValue, depth = 0): readonly string[] {
  if (typeof value === 'string') return [value];
  if (depth > deepest) return [];
  if (isList(value)) return value.flatMap((each) => stringsIn(each, depth + 1));
  return isJsonObject(value) ? Object.values(value).flatMap((each) => stringsIn(each, depth + 1)) : [];
}

function escaped(text: string): string {
  return JSON.stringify(text).slice(1, -1);
}

/** As many libraries write JSON: all that is not ASCII in digits. */
function asciiEscaped(text: string): string {
  return escaped(text).replace(/[\u007f-\uffff]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);
}
