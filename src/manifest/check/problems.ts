import type { JsonObject, JsonSchema, JsonValue } from '../../toolbox.js';
import { boundProblems } from './bounds.js';
import { matchesPattern } from './patterns.js';
import {
  type Candidate,
  type CandidateObject,
  choicesOf,
  hasOneOf,
  isAmong,
  isArray,
  isObject,
  itemSchema,
  own,
  propertySchemas,
  refTarget,
  sizeOf,
  typesOf,
  unionOf,
} from './schema.js';
import { choicesText, either, expectedBy, listed, quoted, type Step, shown, suggestion } from './words.js';

/** One thing that does not fit, where, and why. */
export interface Problem {
  readonly steps: readonly Step[];
  readonly reason: string;
  /** `type`: another kind of value is meant. `tag`: another member of a union is meant. */
  readonly kind: 'type' | 'tag' | 'other';
  readonly expected?: string;
  /** What was probably meant, ready to end the sentence. */
  readonly hint?: string;
  /** The names that are missing or unknown. */
  readonly names?: readonly string[];
}

export interface Search {
  readonly root: JsonSchema;
  /** What the object at the root is called. */
  readonly title?: string;
  /** How many more values may be looked at, since a union can ask for very many. */
  budget: number;
}

const leastBudget = 200_000;
const looksAtEachPart = 100;
const deepest = 400;

export function createSearch(root: JsonSchema, value: JsonValue, title?: string): Search {
  return { root, title, budget: leastBudget + looksAtEachPart * sizeOf(value) };
}

/** Everything in the value that the schema does not take, as far as it can be said in words. */
export function findProblems(
  search: Search,
  schema: JsonValue,
  value: Candidate,
  steps: readonly Step[] = [],
): Problem[] {
  search.budget -= 1;
  if (search.budget < 0 || steps.length > deepest) return [];
  if (schema === false) return [{ steps, reason: 'nothing is taken here', kind: 'other' }];
  if (!isObject(schema)) return [];
  const target = refTarget(search.root, schema);
  const found = target === undefined ? [] : findProblems(search, target, value, steps);
  const mismatch = typeProblem(search.root, schema, value, steps) ?? choiceProblem(schema, value, steps);
  if (mismatch) return [...found, mismatch];
  found.push(...boundProblems(schema, value).map((reason) => ({ steps, reason, kind: 'other' as const })));
  if (isArray(value)) found.push(...itemProblems(search, schema, value, steps));
  else if (isObject(value)) found.push(...objectProblems(search, schema, value, steps));
  if (isArray(schema.allOf)) found.push(...schema.allOf.flatMap((part) => findProblems(search, part, value, steps)));
  const members = unionOf(schema);
  if (members) found.push(...unionProblems(search, members, value, steps));
  return found;
}

/** How far the value got: a wrong tag says "another member is meant", a deep step "almost". */
export function closeness(problems: readonly Problem[], depth: number): number {
  if (problems.length === 0) return Number.POSITIVE_INFINITY;
  if (problems.some(({ kind, steps }) => kind === 'type' && steps.length === depth)) return 0;
  if (problems.some((problem) => isTagOf(problem, depth))) return 0.5;
  if (problems.some(({ kind, steps }) => kind === 'tag' && steps.length === depth)) return 0;
  const furthest = Math.min(...problems.map(({ steps }) => steps.length)) - depth;
  return 1 + furthest + 1 / (1 + problems.length);
}

/** A field with a closed set of values, by which the members of a union are told apart. */
function isTagOf({ kind, steps }: Problem, depth: number): boolean {
  return kind === 'tag' && steps.length === depth + 1 && typeof steps[depth] === 'string';
}

function typeProblem(
  root: JsonSchema,
  schema: JsonObject,
  value: Candidate,
  steps: readonly Step[],
): Problem | undefined {
  const types = typesOf(schema);
  if (types.length === 0 || hasOneOf(types, value)) return undefined;
  const takesNumber = types.includes('integer') || types.includes('number');
  if (takesNumber && typeof value === 'bigint') return { steps, reason: lostDigits, kind: 'other' };
  if (takesNumber && typeof value === 'symbol') return { steps, reason: 'expected a finite number', kind: 'other' };
  return mismatch(steps, expectedBy(root, schema), value, 'type');
}

const lostDigits = 'an integer beyond ±9007199254740991 loses digits as a JSON number; send it as a string of digits';

function choiceProblem(schema: JsonObject, value: Candidate, steps: readonly Step[]): Problem | undefined {
  const choices = choicesOf(schema);
  if (!choices || isAmong(choices, value)) return undefined;
  const names = isArray(schema['x-enum-names']) ? schema['x-enum-names'] : [];
  return mismatch(steps, choicesText(choices), value, 'tag', suggestion(value, [...choices, ...names]));
}

function mismatch(
  steps: readonly Step[],
  expected: string,
  value: Candidate,
  kind: 'type' | 'tag',
  hint = '',
): Problem {
  return { steps, reason: `expected ${expected}, got ${shown(value)}${hint}`, kind, expected, hint };
}

function itemProblems(
  search: Search,
  schema: JsonObject,
  items: readonly Candidate[],
  steps: readonly Step[],
): Problem[] {
  const surplus = isArray(schema.prefixItems) && schema.items === false ? schema.prefixItems.length : undefined;
  return items.slice(0, surplus).flatMap((item, index) => {
    const inner = itemSchema(schema, index);
    return inner === undefined ? [] : findProblems(search, inner, item, [...steps, index]);
  });
}

function objectProblems(search: Search, schema: JsonObject, value: CandidateObject, steps: readonly Step[]): Problem[] {
  const keys = Object.keys(value);
  const unknown = new Set(unknownKeys(schema, keys));
  const inside: Problem[] = [];
  for (const key of tagsFirst(schema, keys)) {
    if (unknown.has(key)) continue;
    const content = value[key];
    if (content === undefined) continue;
    for (const inner of propertySchemas(schema, key, matchesPattern)) {
      inside.push(...findProblems(search, inner, content, [...steps, key]));
    }
    inside.push(...keyProblems(search, schema, key, steps));
    // a wrong tag: another kind of object is meant, and its other fields say nothing
    const last = inside.at(-1);
    if (last?.kind === 'tag' && last.steps.length === steps.length + 1 && isTag(schema, key)) return inside;
  }
  return [...namesProblem(search, schema, value, [...unknown], steps), ...inside];
}

function keyProblems(search: Search, schema: JsonObject, key: string, steps: readonly Step[]): Problem[] {
  if (schema.propertyNames === undefined) return [];
  const [first] = findProblems(search, schema.propertyNames, key, [...steps, key]);
  return first ? [{ steps: [...steps, key], reason: `as a key: ${first.reason}`, kind: 'other' }] : [];
}

/** Every missing and unknown name in one sentence each, so that one retry can mend all. */
function namesProblem(
  search: Search,
  schema: JsonObject,
  value: CandidateObject,
  unknown: readonly string[],
  steps: readonly Step[],
): Problem[] {
  const required = isArray(schema.required) ? schema.required.filter((name) => typeof name === 'string') : [];
  const missing = required.filter((name) => !Object.hasOwn(value, name));
  if (missing.length === 0 && unknown.length === 0) return [];
  const known = isObject(schema.properties) ? Object.keys(schema.properties) : [];
  const sentences: string[] = [];
  if (missing.length > 0) sentences.push(`missing ${listed(missing)}`);
  if (unknown.length > 0) {
    const shownNames = unknown.slice(0, 8).map((name) => quoted(name) + suggestion(name, known));
    const more = unknown.length > 8 ? `, … (${unknown.length} in all)` : '';
    sentences.push(`unknown ${shownNames.join(', ')}${more}`);
  }
  const takes = `${titleOf(search, schema, steps)} takes ${known.length > 0 ? listed(known) : 'nothing'}`;
  return [{ steps, reason: [...sentences, takes].join('; '), kind: 'other', names: [...missing, ...unknown] }];
}

function titleOf(search: Search, schema: JsonObject, steps: readonly Step[]): string {
  if (steps.length === 0 && search.title) return search.title;
  if (typeof schema.title === 'string') return schema.title;
  return steps.length === 0 ? 'the tool' : 'the object';
}

function unknownKeys(schema: JsonObject, keys: readonly string[]): readonly string[] {
  if (schema.additionalProperties !== false) return [];
  return keys.filter((key) => propertySchemas(schema, key, matchesPattern)[0] === false);
}

function tagsFirst(schema: JsonObject, keys: readonly string[]): readonly string[] {
  const tags = keys.filter((key) => isTag(schema, key));
  return tags.length === 0 ? keys : [...tags, ...keys.filter((key) => !tags.includes(key))];
}

function isTag(schema: JsonObject, key: string): boolean {
  const property = isObject(schema.properties) ? own(schema.properties, key) : undefined;
  return isObject(property) && choicesOf(property) !== undefined;
}

function unionProblems(
  search: Search,
  members: readonly JsonValue[],
  value: Candidate,
  steps: readonly Step[],
): Problem[] {
  const attempts: Problem[][] = [];
  for (const member of members) {
    const problems = findProblems(search, member, value, steps);
    if (problems.length === 0) return [];
    attempts.push(problems);
  }
  const ranked = attempts.map((problems) => ({ problems, score: closeness(problems, steps.length) }));
  const best = ranked.reduce(
    (one, other) => (other.score > one.score ? other : one),
    ranked[0] ?? { problems: [], score: 0 },
  );
  if (best.score >= 1) return best.problems;
  if (best.score === 0.5) return joinedTags(best.problems, attempts, value);
  const expected = either(members.map((member) => expectedBy(search.root, member)));
  return [mismatch(steps, expected, value, 'type', hintOf(attempts.flat(), steps.length))];
}

/** Of several members of a union, each with its own tag: all the tags that would do. */
function joinedTags(problems: readonly Problem[], attempts: readonly Problem[][], value: Candidate): Problem[] {
  const tag = problems.find(({ kind }) => kind === 'tag');
  const place = tag?.steps.at(-1);
  if (!tag || typeof place !== 'string' || !isObject(value)) return [...problems];
  const depth = tag.steps.length;
  const same = attempts
    .flat()
    .filter(({ kind, steps }) => kind === 'tag' && steps.length === depth && steps.at(-1) === place);
  const expected = either(same.flatMap((problem) => problem.expected ?? []));
  return [mismatch(tag.steps, expected, value[place] ?? null, 'tag', hintOf(same, depth))];
}

function hintOf(problems: readonly Problem[], depth: number): string {
  return problems.find(({ hint, steps }) => hint && steps.length === depth)?.hint ?? '';
}
