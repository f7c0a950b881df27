import type { JsonObject, JsonValue } from '../../toolbox.js';
import { type Candidate, choicesOf, isAmong, isArray, isObject, own } from './schema.js';

const digits = /^[+-]?[0-9]+$/;
const numeral = /^[+-]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]+)?$/;
const special = new Map([
  ['NaN', Number.NaN],
  ['Infinity', Number.POSITIVE_INFINITY],
  ['-Infinity', Number.NEGATIVE_INFINITY],
]);
const mostDigitsPythonReads = 4300;

/** Text as the number or truth value that the type asks for, or undefined where it is none. */
export function numberOf(text: string, type: string): number | boolean | undefined {
  if (type === 'integer') return integerOf(text);
  if (type === 'number') return floatOf(text);
  return type === 'boolean' && (text === 'true' || text === 'false') ? text === 'true' : undefined;
}

/** Text that holds an array or object, read as JSON, since models send that. */
export function decodedText(text: string, type: 'array' | 'object'): JsonValue | undefined {
  if (!text.trimStart().startsWith(type === 'array' ? '[' : '{')) return undefined;
  try {
    const content: JsonValue = JSON.parse(text);
    return isSayable(content) ? content : undefined;
  } catch {
    return undefined;
  }
}

/** A member of a closed set by its value as text or by its name. */
export function readChoice(schema: JsonObject, value: Candidate): Candidate {
  const choices = choicesOf(schema);
  if (!choices || typeof value !== 'string' || isAmong(choices, value)) return value;
  for (const type of ['integer', 'number', 'boolean']) {
    const read = numberOf(value, type);
    if (read !== undefined && isAmong(choices, read)) return read;
  }
  const names = schema['x-enum-names'];
  const place = isArray(names) ? names.indexOf(value) : -1;
  if (place >= 0) return choices[place] ?? value;
  const aliases = schema['x-enum-aliases'];
  return (isObject(aliases) ? own(aliases, value) : undefined) ?? value;
}

/** 1e400 would become an infinity that nobody wrote. */
function isSayable(value: JsonValue): boolean {
  if (typeof value === 'number') return Number.isFinite(value);
  return typeof value !== 'object' || value === null || Object.values(value).every(isSayable);
}

function integerOf(text: string): number | undefined {
  if (!digits.test(text) || text.replace(/^[+-]/, '').length > mostDigitsPythonReads) return undefined;
  return Math.max(-Number.MAX_VALUE, Math.min(Number(text), Number.MAX_VALUE));
}

function floatOf(text: string): number | undefined {
  if (special.has(text)) return special.get(text);
  const number = numeral.test(text) ? Number(text) : Number.NaN;
  return Number.isFinite(number) ? number : undefined;
}
