import { isDeepStrictEqual } from 'node:util';
import type { JsonObject, JsonSchema, JsonValue } from '../../toolbox.js';

/**
 * A JSON value on its way through the check. A bigint stands for an integer that has lost digits, a symbol for a number
 * that JSON cannot say: no schema of a number takes them.
 */
export type Candidate =
  | null
  | boolean
  | number
  | string
  | bigint
  | symbol
  | readonly Candidate[]
  | { readonly [key: string]: Candidate };
export type CandidateObject = { readonly [key: string]: Candidate };

export function isObject(value: JsonValue | undefined): value is JsonObject;
export function isObject(value: Candidate | undefined): value is CandidateObject;
export function isObject(value: Candidate | undefined): boolean {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

export function isArray(value: JsonValue | undefined): value is readonly JsonValue[];
export function isArray(value: Candidate | undefined): value is readonly Candidate[];
export function isArray(value: Candidate | undefined): boolean {
  return Array.isArray(value);
}

/** What `$ref` points at within the same schema; any other reference is left to the validator. */
export function refTarget(root: JsonSchema, schema: JsonObject): JsonValue | undefined {
  const reference = schema.$ref;
  if (typeof reference !== 'string' || !/^#(\/|$)/.test(reference)) return undefined;
  let place: JsonValue | undefined = root;
  for (const step of reference.split('/').slice(1)) {
    const key = decodeStep(step);
    if (isArray(place)) place = place[Number(key)];
    else place = isObject(place) ? own(place, key) : undefined;
  }
  return place;
}

export function own<T>(object: { readonly [key: string]: T }, key: string): T | undefined {
  return Object.hasOwn(object, key) ? object[key] : undefined;
}

export function typesOf(schema: JsonObject): readonly string[] {
  const { type } = schema;
  if (typeof type === 'string') return [type];
  return isArray(type) ? type.filter((name) => typeof name === 'string') : [];
}

export function hasOneOf(types: readonly string[], value: Candidate): boolean {
  if (typeof value === 'number') return types.includes('number') || (types.includes('integer') && value % 1 === 0);
  return types.includes(kindOf(value));
}

/** The closed set of values that a schema names, if it names one. */
export function choicesOf(schema: JsonObject): readonly JsonValue[] | undefined {
  if (schema.const !== undefined) return [schema.const];
  return isArray(schema.enum) ? schema.enum : undefined;
}

export function isAmong(choices: readonly JsonValue[], value: Candidate): boolean {
  return choices.some((choice) => choice === value || isDeepStrictEqual(choice, value));
}

export function unionOf(schema: JsonObject): readonly JsonValue[] | undefined {
  const members = schema.anyOf ?? schema.oneOf;
  return isArray(members) ? members : undefined;
}

/** The schema of one item of an array, by its position. */
export function itemSchema(schema: JsonObject, index: number): JsonValue | undefined {
  const first = isArray(schema.prefixItems) ? schema.prefixItems : [];
  return index < first.length ? first[index] : schema.items;
}

/** The schemas that hold for the value of one key. */
export function propertySchemas(schema: JsonObject, key: string, matches: PatternTest): readonly JsonValue[] {
  const named = isObject(schema.properties) ? own(schema.properties, key) : undefined;
  const byPattern = isObject(schema.patternProperties) ? Object.entries(schema.patternProperties) : [];
  const found = byPattern.filter(([pattern]) => matches(pattern, key)).map(([, content]) => content);
  if (named !== undefined) found.unshift(named);
  if (found.length > 0) return found;
  return schema.additionalProperties === undefined ? [] : [schema.additionalProperties];
}

/** How much there is to look at; text may hold JSON. */
export function sizeOf(value: JsonValue): number {
  if (typeof value === 'string') return 1 + value.length;
  if (typeof value !== 'object' || value === null) return 1;
  return Object.values(value).reduce((size: number, inner: JsonValue) => size + sizeOf(inner), 1);
}

export type PatternTest = (pattern: string, text: string) => boolean;

function kindOf(value: Candidate): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'array';
  return typeof value;
}

function decodeStep(step: string): string {
  let text = step;
  try {
    text = decodeURIComponent(step);
  } catch {
    // a lone per cent sign stands for itself
  }
  return text.replaceAll('~1', '/').replaceAll('~0', '~');
}
