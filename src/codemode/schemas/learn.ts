import type { JsonValue } from '../../toolbox.js';
import { checkDrift } from './drift.js';
import { inferSchema, widenSchema } from './infer.js';
import { firstMisfit } from './misfit.js';
import { type Answer, jsonIn, resultValueOf } from './result-value.js';
import type { InferredSchema } from './schema-file.js';

export interface Learnt {
  readonly inferred: InferredSchema;
  /** Where the answers did not fit what was known. */
  readonly drift?: string;
}

/** What a tool's answers look like, by these and by what was known from earlier ones. */
export function learn(
  { tool, definition }: Pick<InferredSchema, 'tool' | 'definition'>,
  answers: readonly Answer[],
  known?: InferredSchema,
): Learnt {
  const isJsonText = areTextsJson(answers, known);
  const values = answers.map((answer) => sampleIn(answer, isJsonText));
  // answers that were decoded so far are plain text from now on
  const earlier = known?.isJsonText === true && !isJsonText ? undefined : known;
  const schema = earlier ? widenSchema(earlier.schema, values) : inferSchema(values);
  const isNew = known === undefined || known.isJsonText !== isJsonText || !isSame(known.schema, schema);
  const drift = known && firstDrift(known, answers);
  return {
    inferred: { tool, definition, samples: sampleCount(answers.length, known, isNew), isJsonText, schema },
    ...(drift !== undefined && { drift }),
  };
}

/** Answers that only confirm what is known are not counted, so that learning the same again changes nothing. */
function sampleCount(count: number, known: InferredSchema | undefined, isNew: boolean): number {
  if (known === undefined) return count;
  return isNew ? known.samples + count : Math.max(known.samples, count);
}

function areTextsJson(answers: readonly Answer[], known: InferredSchema | undefined): boolean {
  const texts = answers.map(resultValueOf).flatMap(({ from, value }) => (from === 'text' ? [value] : []));
  const wasPlain = known !== undefined && !known.isJsonText && firstMisfit(known.schema, '') === undefined;
  if (wasPlain || texts.some((text) => jsonIn(text) === undefined)) return false;
  return texts.length > 0 || known?.isJsonText === true;
}

function sampleIn(answer: Answer, isJsonText: boolean): JsonValue {
  const { from, value } = resultValueOf(answer);
  return from === 'text' && isJsonText ? (jsonIn(value) ?? value) : value;
}

function firstDrift({ schema, samples, isJsonText }: InferredSchema, answers: readonly Answer[]): string | undefined {
  for (const answer of answers) {
    const drift = checkDrift({ schema, origin: 'inferred', samples, isJsonText }, answer);
    if (drift !== undefined) return drift;
  }
  return undefined;
}

function isSame(one: JsonValue, other: JsonValue): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}
