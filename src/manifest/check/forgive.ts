import type { JsonObject, JsonSchema, JsonValue } from '../../toolbox.js';
import { decodedText, numberOf, readChoice } from './lenient.js';
import { matchesPattern } from './patterns.js';
import { createSearch, findProblems, type Search } from './problems.js';
import {
  type Candidate,
  type CandidateObject,
  choicesOf,
  hasOneOf,
  isArray,
  isObject,
  itemSchema,
  own,
  propertySchemas,
  refTarget,
  typesOf,
  unionOf,
} from './schema.js';
import { closeness } from './unions.js';

export interface Forgiven {
  /** What is validated: text that stands for a number is that number, rounded if need be. */
  readonly value: Candidate;
  /** What is passed on: the same, with numbers that JSON would round still as the text that came. */
  passedOn(): JsonValue;
}

/**
 * The value with all that the run-time conversion reads (docs/values.md) read by the schema; the given one is left as it is.
 * Undefined where a union in the schema has no member that takes it.
 */
export function forgive(root: JsonSchema, value: JsonValue): Forgiven | undefined {
  const reader = new Reader(root, value, false);
  try {
    const read = reader.read(root, value, false, 0);
    return { value: read, passedOn: () => reader.withTexts(read) };
  } catch (error) {
    if (error === noMember) return undefined;
    throw error;
  }
}

/** The same for a value that does not fit: of each union, as the member reads it that comes closest. */
export function readClosest(root: JsonSchema, value: JsonValue): Candidate {
  return new Reader(root, value, true).read(root, value, false, 0);
}

/** Thrown very often, so it is made once. */
const noMember = new Error('no member of a union takes the value');

const deepest = 400;

class Reader {
  readonly #root: JsonSchema;
  readonly #texts = new Map<Candidate, Map<string | number, string>>();
  readonly #search: Search;
  readonly #takesClosest: boolean;
  #budget: number;

  constructor(root: JsonSchema, value: JsonValue, takesClosest: boolean) {
    this.#root = root;
    this.#takesClosest = takesClosest;
    this.#search = createSearch(root, value);
    this.#budget = this.#search.budget;
  }

  /** `strict` reads nothing into a value; it only marks numbers that have lost digits. */
  read(schema: JsonValue, value: Candidate, strict: boolean, depth: number): Candidate {
    this.#budget -= 1;
    if (!isObject(schema) || this.#budget < 0 || depth > deepest) return value;
    const target = refTarget(this.#root, schema);
    let read = target === undefined ? value : this.read(target, value, strict, depth + 1);
    if (isArray(schema.allOf)) {
      for (const part of schema.allOf) read = this.read(part, read, strict, depth + 1);
    }
    const members = unionOf(schema);
    if (members) read = this.#readUnion(members, read, strict, depth + 1);
    if (!strict) read = readChoice(schema, read);
    read = readType(schema, read, strict);
    if (isArray(read)) return this.#readItems(schema, read, strict, depth + 1);
    return isObject(read) ? this.#readProperties(schema, read, strict, depth + 1) : read;
  }

  withTexts(value: Candidate): JsonValue {
    if (typeof value === 'bigint' || typeof value === 'symbol') return String(value);
    const texts = this.#texts.get(value);
    if (isArray(value)) return value.map((item, index) => texts?.get(index) ?? this.withTexts(item));
    if (!isObject(value)) return value;
    return Object.fromEntries(
      Object.entries(value).map(([key, content]) => [key, texts?.get(key) ?? this.withTexts(content)]),
    );
  }

  /** As the conversion does: each member by its own form first, then each in order by all it can read. */
  #readUnion(members: readonly JsonValue[], value: Candidate, strict: boolean, depth: number): Candidate {
    let best: { read: Candidate; score: number } = { read: value, score: 0 };
    for (const strictly of strict ? [true] : [true, false]) {
      for (const member of members) {
        if (!this.#mayFit(member, value, strictly, depth)) continue;
        const attempt = this.#attempt(member, value, strictly, depth);
        if (attempt.score === Number.POSITIVE_INFINITY) return attempt.read;
        if (attempt.score > best.score) best = attempt;
      }
    }
    if (this.#takesClosest) return best.read;
    // what another member has read into the value must not be held against this one
    throw noMember;
  }

  #attempt(member: JsonValue, value: Candidate, strict: boolean, depth: number): { read: Candidate; score: number } {
    try {
      const read = this.read(member, value, strict, depth);
      return { read, score: closeness(findProblems(this.#search, member, read)) };
    } catch (error) {
      if (error === noMember) return { read: value, score: 0 };
      throw error;
    }
  }

  /** A quick look at kind and tags, so that a tree of unions is not read along every wrong path. */
  #mayFit(schema: JsonValue, value: Candidate, strict: boolean, depth: number): boolean {
    if (!isObject(schema) || depth > deepest) return schema !== false;
    const target = refTarget(this.#root, schema);
    if (target !== undefined && !this.#mayFit(target, value, strict, depth + 1)) return false;
    if (isObject(value) && !this.#tagsFit(schema, value, strict)) return false;
    if (choicesOf(schema)) return fitsChoice(schema, value, strict);
    const types = typesOf(schema);
    return types.length === 0 || hasOneOf(types, value) || (!strict && typeof value === 'string');
  }

  #tagsFit(schema: JsonObject, value: CandidateObject, strict: boolean): boolean {
    const { properties } = schema;
    if (!isObject(properties)) return true;
    return Object.entries(value).every(([key, content]) => {
      const property = own(properties, key);
      return !isObject(property) || !choicesOf(property) || fitsChoice(property, content, strict);
    });
  }

  #readItems(schema: JsonObject, items: readonly Candidate[], strict: boolean, depth: number): Candidate {
    const texts = new Map<string | number, string>();
    const read = items.map((item, index) => {
      const inner = itemSchema(schema, index);
      return inner === undefined ? item : this.#readInner([inner], item, strict, depth, index, texts);
    });
    return this.#settled(
      items,
      read,
      texts,
      read.every((item, index) => item === items[index]),
    );
  }

  #readProperties(schema: JsonObject, value: CandidateObject, strict: boolean, depth: number): Candidate {
    const texts = new Map<string | number, string>();
    const entries = Object.entries(value);
    const read = entries.map(([key, content]): [string, Candidate] => [
      key,
      this.#readInner(propertySchemas(schema, key, matchesPattern), content, strict, depth, key, texts),
    ]);
    const isSame = read.every(([, content], index) => content === entries[index]?.[1]);
    return this.#settled(value, isSame ? value : Object.fromEntries(read), texts, isSame);
  }

  #readInner(
    schemas: readonly JsonValue[],
    value: Candidate,
    strict: boolean,
    depth: number,
    place: string | number,
    texts: Map<string | number, string>,
  ): Candidate {
    const read = schemas.reduce<Candidate>((content, schema) => this.read(schema, content, strict, depth), value);
    if (typeof read === 'number' && typeof value === 'string' && isRounded(read)) texts.set(place, value);
    return read;
  }

  /** A container in which nothing was read stays the same one; a new one keeps the texts of the old. */
  #settled<T extends Candidate>(old: T, made: T, texts: Map<string | number, string>, isSame: boolean): T {
    if (isSame) return old;
    const all = new Map([...(this.#texts.get(old) ?? []), ...texts]);
    if (all.size > 0) this.#texts.set(made, all);
    return made;
  }
}

function isRounded(number: number): boolean {
  return !Number.isFinite(number) || (Number.isInteger(number) && !Number.isSafeInteger(number));
}

function fitsChoice(schema: JsonObject, value: Candidate, strict: boolean): boolean {
  const read = strict ? value : readChoice(schema, value);
  return (
    choicesOf(schema)?.some((choice) => choice === read || (typeof choice === 'object' && choice !== null)) ?? true
  );
}

function readType(schema: JsonObject, value: Candidate, strict: boolean): Candidate {
  const types = typesOf(schema);
  if (types.length === 0) return value;
  if (typeof value === 'number') return markedNumber(schema, types, value);
  if (strict || typeof value !== 'string' || types.includes('string')) return value;
  for (const type of types) {
    const read = type === 'array' || type === 'object' ? decodedText(value, type) : numberOf(value, type);
    if (read !== undefined) return read;
  }
  return value;
}

function markedNumber(schema: JsonObject, types: readonly string[], value: number): Candidate {
  const isExact = (types.includes('integer') && !types.includes('number')) || schema.format === 'decimal';
  if (isExact && Number.isFinite(value) && Math.abs(value) > Number.MAX_SAFE_INTEGER) return BigInt(Math.trunc(value));
  const takesNumber = types.includes('integer') || types.includes('number');
  return takesNumber && !Number.isFinite(value) ? Symbol.for('a number that JSON cannot say') : value;
}
