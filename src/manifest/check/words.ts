import { nearest } from '../../nearest.js';
import type { JsonObject, JsonSchema, JsonValue } from '../../toolbox.js';
import { type Candidate, choicesOf, isArray, isObject, refTarget, typesOf, unionOf } from './schema.js';

export type Step = string | number;

const shownCharacters = 60;
const shownKeys = 5;
const shownChoices = 12;
const deepestUnion = 5;

/** What a schema takes, in words. */
export function expectedBy(root: JsonSchema, schema: JsonValue, depth = 0): string {
  if (!isObject(schema) || depth > deepestUnion) return 'a value';
  const target = refTarget(root, schema);
  if (target !== undefined) return expectedBy(root, target, depth + 1);
  const choices = choicesOf(schema);
  if (choices) return choicesText(choices);
  const members = unionOf(schema);
  if (members) return either(members.map((member) => expectedBy(root, member, depth + 1)));
  const types = typesOf(schema);
  return formatText(schema) ?? (types.length === 0 ? 'a value' : either(namedTypes(schema, types)));
}

export function either(texts: readonly string[]): string {
  return [...new Set(texts)].join(' or ');
}

export function choicesText(choices: readonly JsonValue[]): string {
  const texts = choices.slice(0, shownChoices).map(literal);
  if (choices.length > shownChoices) texts.push(`… (${choices.length} in all)`);
  return texts.length === 1 ? (texts[0] ?? '') : `one of ${texts.join(', ')}`;
}

/** A value in words, short enough for an error message. */
export function shown(value: Candidate): string {
  if (typeof value === 'string') return `the string ${quoted(value)}`;
  if (typeof value === 'number' || typeof value === 'bigint') return `the number ${value}`;
  if (isArray(value)) return `an array of ${counted(value.length, 'item')}`;
  if (isObject(value)) return shownObject(Object.keys(value));
  return typeof value === 'symbol' ? 'a number beyond all bounds' : String(value);
}

/** A value as it is written, where its type is plain from the rest of the sentence. */
export function plainly(value: Candidate): string {
  return typeof value === 'number' ? String(value) : shown(value);
}

export function counted(count: number, thing: string): string {
  return `${count} ${thing}${count === 1 ? '' : 's'}`;
}

export function suggestion(given: Candidate, known: readonly JsonValue[]): string {
  if (typeof given !== 'string') return '';
  const texts = known.filter((name) => typeof name === 'string');
  const near = nearest(given.slice(0, shownCharacters), texts.slice(0, 500));
  return near === undefined ? '' : ` (did you mean ${quoted(near)}?)`;
}

export function listed(names: readonly string[], atMost = shownChoices * 2): string {
  const more = names.length > atMost ? `, … (${names.length} in all)` : '';
  return names.slice(0, atMost).map(quoted).join(', ') + more;
}

/** In single quotes, as Python writes text. */
export function quoted(text: string): string {
  const json = JSON.stringify(shortened(text)).slice(1, -1);
  return text.includes("'") && !text.includes('"')
    ? `"${json}"`
    : `'${json.replaceAll('\\"', '"').replaceAll("'", "\\'")}'`;
}

export function pathText(root: string, steps: readonly Step[]): string {
  return root + steps.map(stepText).join('');
}

function stepText(step: Step): string {
  if (typeof step === 'number') return `[${step}]`;
  return /^[\p{ID_Start}_][\p{ID_Continue}]*$/u.test(step) ? `.${step}` : `[${JSON.stringify(shortened(step))}]`;
}

function shortened(text: string): string {
  if (text.length <= shownCharacters) return text;
  const cut = text.slice(0, shownCharacters - 1);
  return `${/[\uD800-\uDBFF]$/.test(cut) ? cut.slice(0, -1) : cut}…`;
}

function shownObject(keys: readonly string[]): string {
  if (keys.length === 0) return 'an empty object';
  const more = keys.length > shownKeys ? ` and ${keys.length - shownKeys} more` : '';
  return `an object with the key${keys.length === 1 ? '' : 's'} ${keys.slice(0, shownKeys).map(quoted).join(', ')}${more}`;
}

function literal(value: JsonValue): string {
  return typeof value === 'string' ? quoted(value) : shortened(JSON.stringify(value));
}

const formats: Readonly<Record<string, string>> = {
  date: "a date such as '2024-05-17'",
  time: "a time such as '14:30:00'",
  'date-time': "a date and time such as '2024-05-17T14:30:00Z'",
  duration: "a duration such as 'P1DT2H30M' or a number of seconds",
  decimal: 'a decimal number',
  complex: "a complex number such as '1+2j'",
  uuid: 'a UUID',
  path: 'a path',
  regex: 'a regular expression',
};

function formatText(schema: JsonObject): string | undefined {
  if (schema.contentEncoding === 'base64') return 'bytes as base64 text';
  const { format } = schema;
  return typeof format === 'string' && Object.hasOwn(formats, format) ? formats[format] : undefined;
}

function namedTypes(schema: JsonObject, types: readonly string[]): readonly string[] {
  // a result beyond the reach of JSON's numbers is text of a fixed form, which need not be explained
  const isNumber = types.length === 2 && types[1] === 'string' && typeof schema.pattern === 'string';
  return (isNumber ? types.slice(0, 1) : types).map((type) => typeText(schema, type));
}

function typeText(schema: JsonObject, type: string): string {
  switch (type) {
    case 'integer':
      return 'an integer';
    case 'boolean':
      return 'true or false';
    case 'null':
      return 'null';
    case 'array':
      return schema.minItems === schema.maxItems && typeof schema.minItems === 'number'
        ? `an array of ${counted(schema.minItems, 'item')}`
        : 'an array';
    case 'object':
      return typeof schema.title === 'string' ? `an object (${schema.title})` : 'an object';
    default:
      return `a ${type}`;
  }
}
