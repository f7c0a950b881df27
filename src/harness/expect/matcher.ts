import { isJsonObject, type JsonValue } from '../../toolbox.js';
import type { Matcher } from '../suite/schema-expect.js';
import { differenceOf, isEqual } from './equal.js';
import { isList } from './json.js';
import { pathText, type Step } from './path-text.js';
import { patternOf } from './patterns.js';
import { cut, shown } from './shown.js';
import { asText } from './text.js';

/** What of the wanted does not hold of a value, as the end of a sentence that began with the path. */
export interface Mismatch {
  readonly says: string;
  readonly expected: JsonValue;
}

/** A matcher as it is after values of the run took their places. */
export type Wanted = Omit<Matcher, 'value' | 'contains' | 'pattern'> & {
  readonly value?: JsonValue;
  readonly contains?: JsonValue;
  readonly pattern?: JsonValue;
};

type Condition = (wanted: Wanted, actual: JsonValue, steps: readonly Step[]) => Mismatch | undefined;

const conditions: readonly Condition[] = [checkValue, checkType, checkPattern, checkContains, checkRange, checkLength];

export function mismatchesOf(wanted: Wanted, actual: JsonValue, steps: readonly Step[]): readonly Mismatch[] {
  return conditions.flatMap((condition) => condition(wanted, actual, steps) ?? []);
}

function checkValue({ value }: Wanted, actual: JsonValue, steps: readonly Step[]): Mismatch | undefined {
  if (value === undefined) return undefined;
  const difference = differenceOf(value, actual);
  if (difference === undefined) return undefined;
  const where = difference.length === 0 ? '' : ` They differ first at ${pathText([...steps, ...difference])}.`;
  return { says: `is ${shown(actual)}; expected ${shown(value)}.${where}`, expected: value };
}

const typeWords = {
  string: 'a text',
  number: 'a number',
  integer: 'a whole number',
  boolean: 'true or false',
  array: 'a list',
  object: 'an object',
  null: 'null',
} as const;

function checkType({ type }: Wanted, actual: JsonValue): Mismatch | undefined {
  if (type === undefined || hasType(type, actual)) return undefined;
  return { says: `is ${shown(actual)}; expected ${typeWords[type]}.`, expected: { type } };
}

function hasType(type: keyof typeof typeWords, actual: JsonValue): boolean {
  if (type === 'integer') return Number.isInteger(actual);
  if (type === 'array') return isList(actual);
  if (type === 'object') return isJsonObject(actual);
  return type === 'null' ? actual === null : typeof actual === type;
}

function checkPattern(wanted: Wanted, actual: JsonValue): Mismatch | undefined {
  if (wanted.pattern === undefined) return undefined;
  const pattern = asText(wanted.pattern);
  const expression = patternOf(pattern);
  if ('problem' in expression) return { says: `cannot be looked at: ${expression.problem}`, expected: { pattern } };
  if (typeof actual === 'string' && expression.value.test(actual)) return undefined;
  return { says: `is ${shown(actual)}; expected a text that matches /${cut(pattern)}/.`, expected: { pattern } };
}

function checkContains({ contains }: Wanted, actual: JsonValue): Mismatch | undefined {
  if (contains === undefined) return undefined;
  const expected = { contains };
  if (isList(actual)) {
    if (actual.some((each) => isEqual(contains, each))) return undefined;
    return { says: `is ${shown(actual)}; expected a list with the element ${shown(contains)}.`, expected };
  }
  if (typeof actual === 'string' && typeof contains === 'string' && actual.includes(contains)) return undefined;
  const wanted = typeof contains === 'string' ? 'a text or list that contains' : 'a list with the element';
  return { says: `is ${shown(actual)}; expected ${wanted} ${shown(contains)}.`, expected };
}

function checkRange({ min, max }: Wanted, actual: JsonValue): Mismatch | undefined {
  if (min === undefined && max === undefined) return undefined;
  if (typeof actual === 'number' && isWithin(actual, min, max)) return undefined;
  return { says: `is ${shown(actual)}; expected a number of ${rangeWords(min, max)}.`, expected: rangeOf(min, max) };
}

function checkLength({ length }: Wanted, actual: JsonValue): Mismatch | undefined {
  if (length === undefined) return undefined;
  const expected = { length };
  const { min, max } = typeof length === 'number' ? { min: length, max: length } : length;
  const words = typeof length === 'number' ? `${length}` : rangeWords(min, max);
  const found = lengthOf(actual);
  if (found === undefined) {
    return { says: `is ${shown(actual)}, which has no length; expected one of ${words}.`, expected };
  }
  if (isWithin(found, min, max)) return undefined;
  return { says: `has the length ${found}; expected ${words}. It is ${shown(actual)}.`, expected };
}

/** Of a text, how many characters it has, as people and JSON Schema count them. */
function lengthOf(value: JsonValue): number | undefined {
  if (isList(value)) return value.length;
  if (isJsonObject(value)) return Object.keys(value).length;
  if (typeof value !== 'string') return undefined;
  let characters = 0;
  for (const _ of value) characters += 1;
  return characters;
}

function isWithin(found: number, min: number | undefined, max: number | undefined): boolean {
  return (min === undefined || found >= min) && (max === undefined || found <= max);
}

function rangeWords(min: number | undefined, max: number | undefined): string {
  if (min === undefined) return `at most ${max}`;
  return max === undefined ? `at least ${min}` : `${min} to ${max}`;
}

function rangeOf(min: number | undefined, max: number | undefined): JsonValue {
  return { ...(min !== undefined && { min }), ...(max !== undefined && { max }) };
}
