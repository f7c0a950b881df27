import type { JsonObject } from '../../toolbox.js';
import { matchesPattern } from './patterns.js';
import type { Problem, Search } from './problems.js';
import { type CandidateObject, choicesOf, isArray, isObject, own, propertySchemas } from './schema.js';
import { listed, quoted, suggestion } from './words.js';

const shownUnknown = 8;

/** Every missing and unknown name in one sentence each, so that one retry can mend all. */
export function namesProblem(
  search: Search,
  schema: JsonObject,
  value: CandidateObject,
  unknown: ReadonlySet<string>,
): Problem | undefined {
  const required = isArray(schema.required) ? schema.required.filter((name) => typeof name === 'string') : [];
  const missing = required.filter((name) => !Object.hasOwn(value, name));
  if (missing.length === 0 && unknown.size === 0) return undefined;
  const known = isObject(schema.properties) ? Object.keys(schema.properties) : [];
  const sentences = missing.length > 0 ? [`missing ${listed(missing)}`] : [];
  if (unknown.size > 0) sentences.push(`unknown ${unknownText([...unknown], known)}`);
  sentences.push(`${titleOf(search, schema)} takes ${known.length > 0 ? listed(known) : 'nothing'}`);
  return { steps: [], reason: sentences.join('; '), kind: 'other', names: [...missing, ...unknown] };
}

export function unknownKeys(schema: JsonObject, value: CandidateObject): ReadonlySet<string> {
  if (schema.additionalProperties !== false) return new Set();
  return new Set(Object.keys(value).filter((key) => propertySchemas(schema, key, matchesPattern)[0] === false));
}

/** A field with a closed set of values, by which the members of a union are told apart. */
export function isTag(schema: JsonObject, key: string): boolean {
  const property = isObject(schema.properties) ? own(schema.properties, key) : undefined;
  return isObject(property) && choicesOf(property) !== undefined;
}

function unknownText(unknown: readonly string[], known: readonly string[]): string {
  const names = unknown.slice(0, shownUnknown).map((name) => quoted(name) + suggestion(name, known));
  if (unknown.length > shownUnknown) names.push(`… (${unknown.length} in all)`);
  return names.join(', ');
}

function titleOf(search: Search, schema: JsonObject): string {
  const isRoot = schema === search.root;
  if (isRoot && search.title) return search.title;
  if (typeof schema.title === 'string') return schema.title;
  return isRoot ? 'the tool' : 'the object';
}
