import type { JsonObject, JsonSchema, JsonValue } from '../../toolbox.js';
import { boundProblems } from './bounds.js';
import { isTag, namesProblem, unknownKeys } from './names.js';
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
  propertySchemas,
  refTarget,
  sizeOf,
  typesOf,
  unionOf,
} from './schema.js';
import { unionProblems } from './unions.js';
import { choicesText, counted, expectedBy, type Step, shown, suggestion } from './words.js';

/** One thing that does not fit, where, and why. */
export interface Problem {
  /** From the value that was looked at down to the place. */
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
  /** What was found in a container by a schema, so that unions of trees do not look at the same part again and again. */
  readonly found: Map<JsonObject, Map<Candidate, readonly Problem[]>>;
  /** How many more parts may be looked at. */
  budget: number;
  depth: number;
}

/** Enough to explain; where so much is wrong, more would not help. */
export const mostProblems = 20;

const leastBudget = 50_000;
const looksAtEachPart = 100;
const deepest = 400;
const lostDigits = 'an integer beyond ±9007199254740991 loses digits as a JSON number; send it as a string of digits';

export function createSearch(root: JsonSchema, value: JsonValue, title?: string): Search {
  return { root, title, found: new Map(), budget: leastBudget + looksAtEachPart * sizeOf(value), depth: 0 };
}

/** What in the value the schema does not take, as far as it can be said in words. */
export function findProblems(search: Search, schema: JsonValue, value: Candidate): readonly Problem[] {
  search.budget -= 1;
  if (schema === false) return [{ steps: [], reason: 'nothing is taken here', kind: 'other' }];
  if (!isObject(schema) || search.budget < 0) return [];
  if (search.depth > deepest) return [{ steps: [], reason: 'nested too deeply', kind: 'other' }];
  if (typeof value !== 'object' || value === null) return look(search, schema, value);
  const known = search.found.get(schema) ?? new Map<Candidate, readonly Problem[]>();
  search.found.set(schema, known);
  let problems = known.get(value);
  if (!problems) {
    search.depth += 1;
    problems = look(search, schema, value);
    search.depth -= 1;
    known.set(value, problems);
  }
  return problems;
}

export function mismatch(expected: string, value: Candidate, kind: 'type' | 'tag', hint = ''): Problem {
  return { steps: [], reason: `expected ${expected}, got ${shown(value)}${hint}`, kind, expected, hint };
}

function look(search: Search, schema: JsonObject, value: Candidate): readonly Problem[] {
  const target = refTarget(search.root, schema);
  const found: Problem[] = target === undefined ? [] : [...findProblems(search, target, value)];
  const wrongKind = typeProblem(search.root, schema, value) ?? choiceProblem(schema, value);
  if (wrongKind) return [...found, wrongKind];
  found.push(...boundProblems(schema, value).map((reason): Problem => ({ steps: [], reason, kind: 'other' })));
  if (isArray(value)) found.push(...itemProblems(search, schema, value));
  else if (isObject(value)) found.push(...objectProblems(search, schema, value));
  if (isArray(schema.allOf)) found.push(...schema.allOf.flatMap((part) => findProblems(search, part, value)));
  const members = unionOf(schema);
  if (members) found.push(...unionProblems(search, members, value));
  return found;
}

function typeProblem(root: JsonSchema, schema: JsonObject, value: Candidate): Problem | undefined {
  const types = typesOf(schema);
  if (types.length === 0 || hasOneOf(types, value)) return undefined;
  const takesNumber = types.includes('integer') || types.includes('number');
  if (takesNumber && typeof value === 'bigint') return { steps: [], reason: lostDigits, kind: 'other' };
  if (takesNumber && typeof value === 'symbol') return { steps: [], reason: 'expected a finite number', kind: 'other' };
  return mismatch(expectedBy(root, schema), value, 'type');
}

function choiceProblem(schema: JsonObject, value: Candidate): Problem | undefined {
  const choices = choicesOf(schema);
  if (!choices || isAmong(choices, value)) return undefined;
  const names = isArray(schema['x-enum-names']) ? schema['x-enum-names'] : [];
  return mismatch(choicesText(choices), value, 'tag', suggestion(value, [...choices, ...names]));
}

function itemProblems(search: Search, schema: JsonObject, items: readonly Candidate[]): readonly Problem[] {
  const found: Problem[] = [];
  const most = isArray(schema.prefixItems) && schema.items === false ? schema.prefixItems.length : items.length;
  // too many items are one problem, not one each
  if (items.length > most && schema.maxItems === undefined) {
    found.push(mismatch(`at most ${counted(most, 'item')}`, items, 'type'));
  }
  for (const [index, item] of items.slice(0, most).entries()) {
    const inner = itemSchema(schema, index);
    if (inner === undefined || found.length >= mostProblems) break;
    found.push(...below(index, findProblems(search, inner, item)));
  }
  return found;
}

function objectProblems(search: Search, schema: JsonObject, value: CandidateObject): readonly Problem[] {
  const unknown = unknownKeys(schema, value);
  const found: Problem[] = [];
  for (const key of tagsFirst(schema, Object.keys(value))) {
    const content = value[key];
    if (content === undefined || unknown.has(key)) continue;
    for (const inner of propertySchemas(schema, key, matchesPattern)) {
      found.push(...below(key, findProblems(search, inner, content)));
    }
    found.push(...below(key, keyProblems(search, schema, key)));
    // a wrong tag: another kind of object is meant, and its other fields say nothing
    if (isTag(schema, key) && found.some(({ kind, steps }) => kind === 'tag' && steps.length === 1)) return found;
    if (found.length >= mostProblems) break;
  }
  const names = namesProblem(search, schema, value, unknown);
  return names ? [names, ...found] : found;
}

function keyProblems(search: Search, schema: JsonObject, key: string): readonly Problem[] {
  if (schema.propertyNames === undefined) return [];
  const [first] = findProblems(search, schema.propertyNames, key);
  return first ? [{ steps: [], reason: `as a key: ${first.reason}`, kind: 'other' }] : [];
}

function tagsFirst(schema: JsonObject, keys: readonly string[]): readonly string[] {
  const tags = new Set(keys.filter((key) => isTag(schema, key)));
  return tags.size === 0 ? keys : [...tags, ...keys.filter((key) => !tags.has(key))];
}

function below(step: Step, problems: readonly Problem[]): readonly Problem[] {
  return problems.map((problem) => ({ ...problem, steps: [step, ...problem.steps] }));
}
