import type * as z from 'zod';
import { nearest } from '../../nearest.js';
import { kindOf } from './kinds.js';

type Issue = z.core.$ZodIssue;

/** What is wrong with a value, in words; the value itself is not told. */
export function sentenceOf(issue: Issue, found: unknown): string {
  if (!ofTheLibrary.test(issue.message)) return issue.message;
  if (issue.code === 'invalid_type') return wrongType(issue.expected, found);
  if (issue.code === 'invalid_value') return wrongChoice(issue.values, found);
  if (issue.code === 'too_small') return tooSmall(issue);
  if (issue.code === 'too_big') return tooBig(issue);
  if (issue.code === 'invalid_key') return issue.issues[0]?.message ?? 'is no name that is allowed here';
  return 'does not have the form that is expected here';
}

/** What is wrong with a value that is of none of the kinds that it may be of. */
export function noBranch(
  { message, errors }: Extract<Issue, { readonly code: 'invalid_union' }>,
  found: unknown,
): string {
  const expected = ofTheLibrary.test(message) ? `expected ${alternatives(errors.flat())}` : message;
  if (found === undefined) return `is missing: ${expected}`;
  const near = typeof found === 'string' ? nearest(found, wordsOf(errors.flat())) : undefined;
  return `${expected}; ${near === undefined ? `found ${kindOf(found)}` : `did you mean ${near}?`}`;
}

function wordsOf(issues: readonly Issue[]): readonly string[] {
  return issues.flatMap((issue) => (issue.code === 'invalid_value' ? issue.values.map(String) : []));
}

function alternatives(issues: readonly Issue[]): string {
  const kindsOfAll = issues.flatMap((issue) => {
    if (issue.code === 'invalid_value') return issue.values.map(String);
    return issue.code === 'invalid_type' ? [kinds[issue.expected] ?? issue.expected] : [];
  });
  return [...new Set(kindsOfAll)].join(', or ');
}

const ofTheLibrary = /^(?:Invalid|Too (?:small|big)|Unrecognized)\b/;

const kinds: Readonly<Record<string, string>> = {
  string: 'a text',
  number: 'a number',
  int: 'a whole number',
  boolean: 'true or false',
  array: 'a list',
  object: 'an object',
  record: 'an object',
  null: 'null',
};

function wrongType(expected: string, found: unknown): string {
  const kind = kinds[expected] ?? expected;
  if (found === undefined) return `is missing: expected ${kind}`;
  if (expected === 'int' && typeof found === 'number') return `expected ${kind}`;
  const isUnquoted = expected === 'string' && (typeof found === 'number' || typeof found === 'boolean');
  return `expected ${kind}, found ${kindOf(found)}${isUnquoted ? '; put it in quotes' : ''}`;
}

function wrongChoice(values: readonly unknown[], found: unknown): string {
  const names = values.map(String);
  const choice = names.length > 1 ? `one of ${names.join(', ')}` : names.join('');
  if (found === undefined) return `is missing: expected ${choice}`;
  const near = typeof found === 'string' ? nearest(found, names) : undefined;
  return `expected ${choice}${near === undefined ? '' : `; did you mean ${near}?`}`;
}

function tooSmall({ origin, minimum, inclusive }: Extract<Issue, { readonly code: 'too_small' }>): string {
  if (origin === 'string') return 'is empty: expected a text';
  if (origin === 'array')
    return minimum === 1 ? 'is empty: expected one element at least' : `expected ${minimum} elements at least`;
  return `expected ${inclusive ? `${minimum} or more` : `more than ${minimum}`}`;
}

function tooBig({ origin, maximum, inclusive }: Extract<Issue, { readonly code: 'too_big' }>): string {
  if (origin === 'string') return `is too long: expected ${maximum} characters at most`;
  if (origin === 'array') return `expected ${maximum} elements at most`;
  return `expected ${inclusive ? `${maximum} or less` : `less than ${maximum}`}`;
}
