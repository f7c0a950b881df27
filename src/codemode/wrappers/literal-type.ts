import type { JsonValue } from '../../toolbox.js';
import { anyType, type Scalar, unionOf, type ValueType } from './value-type.js';

const maxValues = 100;
const maxLetters = 4000;
const longestText = 200;

/** The type of what is one of these values. */
export function literalType(values: readonly JsonValue[]): ValueType {
  const exact = values.length <= maxValues && lettersIn(values) <= maxLetters;
  const said = exact ? values.filter(canBeSaid) : [];
  const others = exact ? values.filter((value) => !canBeSaid(value)) : values.slice(0, maxLetters);
  const literal: ValueType[] = said.length > 0 ? [{ kind: 'literal', values: [...new Set(said)] }] : [];
  return unionOf([...literal, ...others.map(kindOf)]);
}

/** Text that stands in quotes as it is. */
export function isPlainText(value: JsonValue): boolean {
  return typeof value !== 'string' || /^(?:(?!["'\\])[\p{L}\p{N}\p{P}\p{S} ])*$/u.test(value);
}

/** Every language has a word for exactly this value. */
function canBeSaid(value: JsonValue): value is Scalar {
  if (typeof value === 'number') return Number.isSafeInteger(value) && !Object.is(value, -0);
  if (typeof value === 'string') return value.length <= longestText && !/[\0\p{Cs}]/u.test(value);
  return value === null || typeof value === 'boolean';
}

function kindOf(value: JsonValue): ValueType {
  if (value === null) return { kind: 'null' };
  if (typeof value === 'string') return { kind: 'string' };
  if (typeof value === 'boolean') return { kind: 'boolean' };
  if (typeof value === 'number') return { kind: Number.isInteger(value) ? 'integer' : 'number' };
  return Array.isArray(value) ? { kind: 'list', items: anyType } : { kind: 'map', values: anyType };
}

function lettersIn(values: readonly JsonValue[]): number {
  return values.reduce<number>((sum, value) => sum + (typeof value === 'string' ? value.length : 1), 0);
}
