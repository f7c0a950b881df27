import type { JsonObject, JsonValue } from '../../toolbox.js';
import { matchesPattern } from './patterns.js';
import { type Candidate, isArray, isObject, typesOf } from './schema.js';
import { counted, expectedBy, plainly, quoted, shown } from './words.js';

/** The bounds of a schema that the value is outside of, each as a sentence. */
export function boundProblems(schema: JsonObject, value: Candidate): readonly string[] {
  if (typeof value === 'number') return numberProblems(schema, value);
  if (typeof value === 'string') return textProblems(schema, value);
  if (isArray(value)) return sizeProblems(value, value.length, 'item', schema.minItems, schema.maxItems);
  if (!isObject(value)) return [];
  return sizeProblems(value, Object.keys(value).length, 'key', schema.minProperties, schema.maxProperties);
}

/** By the quotient, as JSON Schema has it. Beyond 2^53 the last digits are not known here, and Python judges them. */
export function isMultiple(bound: number, value: number): boolean {
  return Number.isInteger(value / bound) || Math.abs(value) > Number.MAX_SAFE_INTEGER;
}

function numberProblems(schema: JsonObject, value: number): readonly string[] {
  const bounds: readonly (readonly [JsonValue | undefined, string, (bound: number) => boolean])[] = [
    [schema.minimum, 'at least', (bound) => value >= bound],
    [schema.exclusiveMinimum, 'more than', (bound) => value > bound],
    [schema.maximum, 'at most', (bound) => value <= bound],
    [schema.exclusiveMaximum, 'less than', (bound) => value < bound],
    [schema.multipleOf, 'a multiple of', (bound) => isMultiple(bound, value)],
  ];
  return bounds.flatMap(([bound, words, holds]) =>
    typeof bound !== 'number' || holds(bound) ? [] : [`expected ${words} ${bound}, got ${plainly(value)}`],
  );
}

function textProblems(schema: JsonObject, value: string): readonly string[] {
  const problems = [...sizeProblems(value, lengthOf(value), 'character', schema.minLength, schema.maxLength)];
  const { pattern } = schema;
  if (typeof pattern === 'string' && !matchesPattern(pattern, value)) {
    const expected = typesOf(schema).length > 1 ? expectedBy(schema, schema) : `text that matches ${quoted(pattern)}`;
    problems.push(`expected ${expected}, got ${shown(value)}`);
  }
  return problems;
}

function sizeProblems(
  value: Candidate,
  size: number,
  thing: string,
  least: JsonValue | undefined,
  most: JsonValue | undefined,
): readonly string[] {
  if (typeof least === 'number' && least === most && size !== least) {
    return [`expected ${ofThings(thing, least)}, got ${shown(value)}`];
  }
  if (typeof least === 'number' && size < least)
    return [`expected at least ${counted(least, thing)}, got ${shown(value)}`];
  if (typeof most === 'number' && size > most) return [`expected at most ${counted(most, thing)}, got ${shown(value)}`];
  return [];
}

function ofThings(thing: string, count: number): string {
  if (thing === 'item') return `an array of ${counted(count, thing)}`;
  return `exactly ${counted(count, thing)}`;
}

/** In characters as Python and JSON Schema count them, not in UTF-16 units. */
function lengthOf(text: string): number {
  let length = text.length;
  for (const _ of text.matchAll(/[\uD800-\uDBFF][\uDC00-\uDFFF]/g)) length -= 1;
  return length;
}
