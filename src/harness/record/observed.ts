import type { Outcome } from '../../testedserver.js';
import { isJsonObject, type JsonObject, type JsonValue } from '../../toolbox.js';
import { blocksOf, dataOf, textOf } from '../expect/answer.js';
import { isEqual } from '../expect/equal.js';
import { fieldsOf } from './fields.js';
import type { IsPassing } from './passing.js';
import type { CaseInput } from './writer.js';

export type ExpectationInput = NonNullable<CaseInput['expect']>;
export type Answer = Exclude<Outcome, { readonly kind: 'none' }>;

const longestText = 200;
const shortestPart = 10;
const mostBlocks = 20;

/** What can be expected of an answer that came, once or several times: only what was the same each time. Not yet literal. */
export function expectationOf(answers: readonly [Answer, ...Answer[]], isPassing: IsPassing): ExpectationInput {
  const [first] = answers;
  if (first.kind === 'error') return { error: { code: first.error.code } };
  const results = answers.flatMap((answer) => (answer.kind === 'result' ? [answer.result] : []));
  const content = contentTypes(results);
  const data = dataFields(results, isPassing);
  const text = data === undefined ? stableText(results, isPassing) : undefined;
  return {
    ...(first.result.isError === true && { error: true }),
    ...(text !== undefined && { text }),
    ...(data !== undefined && { data }),
    ...(content !== undefined && { content }),
  };
}

function contentTypes(results: readonly JsonObject[]): string[] | undefined {
  const [first, ...others] = results.map(typesOf);
  return first !== undefined && others.every((other) => other !== undefined && isEqual(first, other))
    ? first
    : undefined;
}

/** The contents of resources have no types. */
function typesOf(result: JsonObject): string[] | undefined {
  const blocks = Array.isArray(result.contents) ? undefined : blocksOf(result);
  if (blocks === undefined || blocks.length > mostBlocks) return undefined;
  const types = blocks.flatMap((block) => (isJsonObject(block) && typeof block.type === 'string' ? [block.type] : []));
  return types.length === blocks.length && types.every((type) => type !== '') ? types : undefined;
}

function dataFields(results: readonly JsonObject[], isPassing: IsPassing): ExpectationInput['data'] {
  if (!results.every((result) => Array.isArray(result.content) || Array.isArray(result.contents))) return undefined;
  const found = results.map((result) => dataOf(result).data);
  const data = found.filter((each): each is Exclude<JsonValue, null> => typeof each === 'object' && each !== null);
  return data.length === results.length ? fieldsOf(data, isPassing) : undefined;
}

function stableText(results: readonly JsonObject[], isPassing: IsPassing): ExpectationInput['text'] {
  if (results.some((result) => (blocksOf(result) ?? []).length === 0)) return undefined;
  const [text = '', ...others] = results.map(textOf);
  const [line = ''] = text.split('\n', 1);
  if (text.length <= longestText) {
    return text !== '' && others.every((other) => other === text) && !isPassing(text) ? text : undefined;
  }
  const isProven = others.length > 0 && others.every((other) => other.startsWith(line));
  const isPart = line.length >= shortestPart && line.length <= longestText;
  return isProven && isPart && !isPassing(line) ? { contains: line } : undefined;
}
