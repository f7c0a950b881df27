import { CallerError } from '../../errors.js';
import type { JsonObject, JsonSchema, JsonValue } from '../../toolbox.js';
import { explainArguments, explainResult, problemOf } from './explain.js';
import { forgive, readClosest } from './forgive.js';
import { createSearch, findProblems, type Problem, type Search } from './problems.js';
import { type Candidate, isObject } from './schema.js';
import { type Validator, validatorOf } from './validator.js';

export interface CheckOptions {
  /** What the message calls the tool: "pay takes 'amount', 'currency'". Without it, the schema's title. */
  readonly title?: string;
}

/**
 * The arguments as the schema has them, with what the conversion in Python reads (docs/values.md) read here too: text of
 * digits is a number, JSON text an object. An integer beyond ±(2^53-1) stays the text that it came as, and so do "NaN"
 * and "Infinity". Formats are left to Python.
 */
export function checkArguments(schema: JsonSchema, args: JsonObject, options: CheckOptions = {}): JsonObject {
  const validator = inputValidator(schema, options.title);
  const checked = withinStack(() => readArguments(schema, validator, args, options.title));
  if ('args' in checked) return checked.args;
  const { message, argument } = explainArguments(checked.problems);
  throw new CallerError('INVALID_ARGUMENTS', message, { argument });
}

/** Does the work ahead that the first check with a schema would do; one that cannot be used is told of by then. */
export function prepareCheck(schema: JsonSchema): void {
  try {
    validatorOf(schema);
  } catch {
    // Told by the check itself.
  }
}

/** Why a result does not fit the output schema, in words; undefined where it fits. `resultKey` is left out of the paths. */
export function resultProblem(schema: JsonSchema, value: JsonValue, resultKey?: string): string | undefined {
  let validator: Validator;
  try {
    validator = validatorOf(schema);
  } catch (error) {
    return `the output schema cannot be used: ${messageOf(error)}`;
  }
  const { problems } = withinStack(() => ({
    problems: isAccepted(schema, validator, value, value)
      ? []
      : problemsIn(createSearch(schema, value), validator, value),
  }));
  return problems.length === 0 ? undefined : explainResult(problems, resultKey);
}

type Checked = { readonly args: JsonObject } | { readonly problems: readonly Problem[] };

function readArguments(schema: JsonSchema, validator: Validator, args: JsonObject, title?: string): Checked {
  if (!needsMarks(args) && isAccepted(schema, validator, args, args)) return { args };
  const forgiven = forgive(schema, args);
  if (!forgiven || !isAccepted(schema, validator, forgiven.value, args)) {
    return { problems: problemsIn(createSearch(schema, args, title), validator, readClosest(schema, args)) };
  }
  const passedOn = forgiven.passedOn();
  return { args: isObject(passedOn) ? passedOn : args };
}

function isAccepted(schema: JsonSchema, validator: Validator, value: Candidate, given: JsonValue): boolean {
  if (!validator.isTree) return validator.accepts(value);
  return findProblems(createSearch(schema, given), schema, value).length === 0;
}

function problemsIn(search: Search, validator: Validator, value: Candidate): readonly Problem[] {
  const found = findProblems(search, search.root, value);
  if (found.length > 0 || validator.isTree) return found;
  validator.accepts(value);
  return [problemOf(validator.refusal())];
}

function inputValidator(schema: JsonSchema, title?: string): Validator {
  try {
    return validatorOf(schema);
  } catch (error) {
    const name = title ?? schema.title;
    throw new CallerError(
      'INVALID_MANIFEST',
      `The input schema${typeof name === 'string' ? ` of ${name}` : ''} cannot be used: ${messageOf(error)}`,
    );
  }
}

/** Whether a number is among the values that has perhaps lost digits: the schema tells whether that matters. */
function needsMarks(value: JsonValue): boolean {
  if (typeof value === 'number') return Math.abs(value) > Number.MAX_SAFE_INTEGER;
  return typeof value === 'object' && value !== null && Object.values(value).some(needsMarks);
}

/** A value nested so deep that looking at it overflows the stack is one more thing that does not fit. */
function withinStack<T>(look: () => T): T | { readonly problems: readonly Problem[] } {
  try {
    return look();
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    return { problems: [{ steps: [], reason: 'nested too deeply', kind: 'other' }] };
  }
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
