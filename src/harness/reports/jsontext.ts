import type { JsonValue } from '../../toolbox.js';
import { cutText } from './foreign.js';

/** Deeper than anybody reads; what is nested by the thousand cannot be written at all. */
const maxDepth = 200;
const inOneLine = 100;

/** JSON in one line where it is short, else in many. */
export function jsonOf(value: JsonValue | undefined): string {
  const text = stringify(value ?? null);
  return text.length <= inOneLine ? text : stringify(value ?? null, 2);
}

/** The same text for values that are equal, whatever the order of their keys. */
export function sortedJson(value: JsonValue): string {
  return stringify(sorted(value, 0));
}

/** JSON.stringify for values that may be nested without end. */
export function stringify(value: unknown, indent?: number): string {
  try {
    return JSON.stringify(value, null, indent) ?? 'null';
  } catch (error) {
    if (!(error instanceof RangeError) || isTooLong(error)) throw error;
    return JSON.stringify(cutDeep(value, maxDepth), null, indent);
  }
}

/** More than a text can hold; what is nested too deeply is another thing. */
export function isTooLong(error: unknown): boolean {
  return error instanceof RangeError && error.message === 'Invalid string length';
}

/** The same value with its long texts cut, for where its JSON will be cut anyway. */
export function withShortTexts(value: JsonValue, maxLength: number, levels = maxDepth): JsonValue {
  if (typeof value === 'string') return cutText(value, maxLength);
  if (typeof value !== 'object' || value === null || levels === 0) return value;
  if (isList(value)) return value.map((each) => withShortTexts(each, maxLength, levels - 1));
  const entries = Object.entries(value).map(([key, each]) => [key, withShortTexts(each, maxLength, levels - 1)]);
  return Object.fromEntries(entries);
}

function cutDeep(value: unknown, levels: number): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (levels === 0) return '… (nested more deeply)';
  if (Array.isArray(value)) return value.map((each) => cutDeep(each, levels - 1));
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, cutDeep(each, levels - 1)]));
}

function sorted(value: JsonValue, depth: number): JsonValue {
  if (typeof value !== 'object' || value === null || depth > maxDepth) return value;
  if (isList(value)) return value.map((each) => sorted(each, depth + 1));
  const keys = Object.keys(value).sort();
  return Object.fromEntries(keys.map((key) => [key, sorted(value[key] ?? null, depth + 1)]));
}

function isList(value: JsonValue): value is readonly JsonValue[] {
  return Array.isArray(value);
}
