import { CallerError } from '../../errors.js';
import type { ExecuteOptions } from '../code-execution.js';

const mostArguments = 1000;
const known: ReadonlySet<string> = new Set<keyof ExecuteOptions>([
  'script',
  'path',
  'saved',
  'context',
  'args',
  'limits',
  'policy',
  'save',
  'caller',
  'signal',
  'onEvent',
]);

/** What no other check looks at. */
export function checkOptions(options: ExecuteOptions): void {
  if (!isObject(options)) throw invalid('options', 'must be an object');
  const unknown = Object.keys(options).find((name) => !known.has(name));
  if (unknown !== undefined) throw invalid(unknown, `is no option: there are ${[...known].join(', ')}`);
  const { args, context, caller, signal, onEvent } = options;
  if (args !== undefined && !isTexts(args)) throw invalid('args', `must be a list of texts, at most ${mostArguments}`);
  if (caller !== undefined && typeof caller !== 'string') throw invalid('caller', 'must be a text');
  if (onEvent !== undefined && typeof onEvent !== 'function') throw invalid('onEvent', 'must be a function');
  if (signal !== undefined && !(signal instanceof AbortSignal)) throw invalid('signal', 'must be an AbortSignal');
  if (context !== undefined && !isObject(context)) {
    throw new CallerError('INVALID_CONTEXT', 'The context must be an object', { argument: 'context' });
  }
}

function isTexts(value: unknown): boolean {
  return Array.isArray(value) && value.length <= mostArguments && value.every((one) => typeof one === 'string');
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function invalid(name: string, problem: string): CallerError {
  return new CallerError('INVALID_ARGUMENTS', `${name.slice(0, 60)} ${problem}`, { argument: name.slice(0, 60) });
}
