import * as z from 'zod';
import { CallerError } from '../errors.js';
import { nearest } from '../nearest.js';
import type { RunSuiteInput } from './run-suite.js';

const mostParallel = 256;
const mostRepeats = 100_000;

const callback = z.custom<(...given: never[]) => unknown>(
  (given) => typeof given === 'function',
  'expected a function',
);
/** Classes of other realms are others: of these only what is used has to be there. */
const anything = z.unknown();

const optionsSchema = z.strictObject({
  filter: z.string('expected a text').optional(),
  tags: z.array(z.string(), 'expected a list of texts').optional(),
  bail: wholeNumber(0).optional(),
  parallel: wholeNumber(1, mostParallel).optional(),
  repeat: wholeNumber(1, mostRepeats).optional(),
  updateSnapshots: z.boolean('expected true or false').optional(),
  refuseNewSnapshots: z.boolean('expected true or false').optional(),
  signal: anything.optional(),
  onEvent: callback.optional(),
  folder: z.string('expected the path of a folder').optional(),
  engine: anything.optional(),
  environment: anything.optional(),
  log: anything.optional(),
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
  const message = first.code === 'unrecognized_keys' ? `there is no such option${known}` : first.message;
  throw new CallerError('INVALID_ARGUMENTS', `runSuite: ${argument}: ${message}`, { argument });
}

function wholeNumber(least: number, most = Number.MAX_SAFE_INTEGER) {
  const upTo = most === Number.MAX_SAFE_INTEGER ? '' : ` to ${most.toLocaleString('en')}`;
  const isOne = (given: unknown) => Number.isSafeInteger(given) && Number(given) >= least && Number(given) <= most;
  return z.custom<number>(isOne, `expected a whole number from ${least}${upTo}`);
}
