import * as z from 'zod';
import { CallerError } from '../errors.js';
import { mostParallel, mostRepeats } from '../harness/limits.js';
import type { Log } from '../log.js';
import { nearest } from '../nearest.js';
import { isJsonObject } from '../toolbox.js';
import type { RunSuiteInput } from './run-suite.js';

const callback = z.custom<(...given: never[]) => unknown>(
  (given) => typeof given === 'function',
  'expected a function',
);
/** Classes of other realms are others: of these only what is used has to be there. */
const signal = z.custom<AbortSignal>(
  (given) => hasFunctions(given, ['addEventListener', 'removeEventListener']),
  'expected an AbortSignal',
);
const log = z.custom<Log>(
  (given) => hasFunctions(given, ['error', 'warn', 'info', 'debug', 'child']),
  'expected a log with error, warn, info, debug and child',
);
const environment = z.custom<NodeJS.ProcessEnv>(isJsonObject, 'expected an object of variables');
const engine = z.custom<RunSuiteInput['engine']>(isJsonObject, 'expected an object of settings');

const optionsSchema = z.strictObject({
  filter: z.string('expected a text').optional(),
  tags: z.array(z.string(), 'expected a list of texts').optional(),
  bail: wholeNumber(0).optional(),
  parallel: wholeNumber(1, mostParallel).optional(),
  repeat: wholeNumber(1, mostRepeats).optional(),
  updateSnapshots: z.boolean('expected true or false').optional(),
  refuseNewSnapshots: z.boolean('expected true or false').optional(),
  signal: signal.optional(),
  onEvent: callback.optional(),
  folder: z.string('expected the path of a folder').optional(),
  engine: engine.optional(),
  environment: environment.optional(),
  log: log.optional(),
} satisfies Record<keyof RunSuiteInput, z.ZodType>);

/** Refuses what nobody can have meant: such a run would do nothing, or something else, and pass. */
export function checkOptions(options: RunSuiteInput): void {
  const { success, error } = optionsSchema.safeParse(options);
  if (success) return;
  const [first] = error.issues;
  if (first === undefined) return;
  const argument = first.code === 'unrecognized_keys' ? (first.keys[0] ?? '') : String(first.path[0] ?? 'options');
  const near = first.code === 'unrecognized_keys' ? nearest(argument, Object.keys(optionsSchema.shape)) : undefined;
  const known = near === undefined ? '' : `; did you mean ${near}?`;
  const message = first.code === 'unrecognized_keys' ? `there is no such option${known}` : messageOf(first);
  throw new CallerError('INVALID_ARGUMENTS', `runSuite: ${argument}: ${message}`, { argument });
}

function messageOf({ path, message }: z.core.$ZodIssue): string {
  return path.length === 0 ? 'expected an object' : message;
}

function hasFunctions(given: unknown, names: readonly string[]): boolean {
  return isJsonObject(given) && names.every((name) => typeof Reflect.get(given, name) === 'function');
}

function wholeNumber(least: number, most = Number.MAX_SAFE_INTEGER) {
  const upTo = most === Number.MAX_SAFE_INTEGER ? '' : ` to ${most.toLocaleString('en')}`;
  const isOne = (given: unknown) => Number.isSafeInteger(given) && Number(given) >= least && Number(given) <= most;
  return z.custom<number>(isOne, `expected a whole number from ${least}${upTo}`);
}
