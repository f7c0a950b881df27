import { createHash } from 'node:crypto';
import { CallerError } from '../../errors.js';
import type { JsonValue } from '../../toolbox.js';

const deepest = 500;

/**
 * The same text for values that mean the same, whatever the order of their keys or the form of their numbers, and
 * another one for all others: JSON itself has one text for null and infinity, and one for 0 and -0.
 */
export function canonicalJson(value: JsonValue | undefined, depth = 0): string {
  if (typeof value === 'number') return Object.is(value, -0) ? '-0' : String(value);
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? 'undefined';
  if (depth >= deepest) throw tooDeep();
  if (isList(value)) return `[${value.map((item) => canonicalJson(item, depth + 1)).join()}]`;
  const keys = Object.keys(value)
    .filter((key) => value[key] !== undefined)
    .sort();
  return `{${keys.map((key) => `${JSON.stringify(key)}:${canonicalJson(value[key], depth + 1)}`).join()}}`;
}

/** A short text in the place of values of any size. */
export function digestOf(...values: readonly (JsonValue | undefined)[]): string {
  // No canonical text has a line end in it.
  const text = values.map((value) => canonicalJson(value)).join('\n');
  return createHash('sha256').update(text).digest('base64url');
}

function isList(value: JsonValue): value is readonly JsonValue[] {
  return Array.isArray(value);
}

function tooDeep(): CallerError {
  return new CallerError('INVALID_ARGUMENTS', `The arguments are nested more than ${deepest} levels deep`);
}
