import { CallerError } from '../../errors.js';
import { isJsonObject, type JsonObject } from '../../toolbox.js';

const longestText = 1000;

export function textOf(params: JsonObject, name: string): string {
  const value = params[name];
  if (typeof value !== 'string') throw invalid(name, 'must be a text');
  if (value === '' && name !== 'words') throw invalid(name, 'is empty');
  if (value.length > longestText) throw invalid(name, `has more than ${longestText} characters`);
  return value;
}

/** `{}` where it is not given. */
export function objectOf(params: JsonObject, name: string): JsonObject {
  const value = params[name] ?? {};
  if (!isJsonObject(value)) throw invalid(name, 'must be an object');
  return value;
}

export function wholeNumberOf(params: JsonObject, name: string, most: number): number | undefined {
  const value = params[name];
  if (value === undefined || value === null) return undefined;
  if (typeof value !== 'number' || !Number.isInteger(value) || value < 1) {
    throw invalid(name, 'must be a whole number above 0');
  }
  return Math.min(value, most);
}

export function choiceOf<T extends string>(params: JsonObject, name: string, choices: readonly T[]): T | undefined {
  const value = params[name];
  if (value === undefined || value === null) return undefined;
  const chosen = choices.find((choice) => choice === value);
  if (chosen === undefined) throw invalid(name, `must be one of ${choices.join(', ')}`);
  return chosen;
}

function invalid(name: string, problem: string): CallerError {
  return new CallerError('INVALID_ARGUMENTS', `${name} ${problem}`, { argument: name });
}
