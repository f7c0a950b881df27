import * as z from 'zod';
import { ruleNames } from '../checks/lint/rule-names.js';
import { duration } from './units.js';

const text = z.string().min(1);
const onOrOff = z.boolean();
const args = z.record(z.string(), z.json());
const tools = z.array(text).readonly().optional().describe('These tools alone.');
const except = z.array(text).readonly().optional().describe('All tools but these.');

function check<T extends z.ZodRawShape>(shape: T) {
  return z.union([onOrOff, z.strictObject(shape)], 'expected true, false, or an object');
}

/** Of each built-in check, what may be said about it. */
const checkShapes = {
  schemas: check({
    tools,
    except,
    ignore: z.array(z.enum(ruleNames)).readonly().optional().describe('Rules that are not applied.'),
    strict: z.boolean().optional().describe('true: what is only advice fails, too.'),
  }).describe('Every tool has a name, a description and schemas that are valid and that clients can use.'),
  idempotence: check({ tools, except, arguments: args.optional() }).describe(
    'Tools that say that they are idempotent or read-only answer twice the same.',
  ),
  arguments: check({ tools, except }).describe('Arguments that do not fit the schema of a tool are refused.'),
  unknown: check({}).describe('A tool that does not exist is refused, and the server goes on.'),
  cancellation: check({
    tool: text,
    arguments: args.default({}),
    after: duration().default(200).describe('When it is cancelled.'),
    wait: duration().default(1000).describe('How long a late answer is waited for.'),
  }).describe('A call that is cancelled is given up: no answer comes, and the server goes on.'),
  large: check({
    tool: text,
    argument: text,
    arguments: args.default({}),
    bytes: z.int().positive().default(1_000_000),
  }).describe('A large argument is taken or refused, and the server goes on.'),
  unicode: check({ tool: text, argument: text, arguments: args.default({}) }).describe(
    'Text of all writings comes through, and comes back unharmed where it comes back.',
  ),
  parallel: check({
    tool: text,
    arguments: args.default({}),
    argument: text.optional().describe('A text that may differ from call to call, by which answers are told apart.'),
    calls: z.int().min(2).max(1000).default(16),
  }).describe('Calls at once are each answered as one alone is.'),
  restart: check({}).describe('A server that is ended comes up again with the same tools, and leaves nothing running.'),
} as const;

export const checkNames = Object.keys(checkShapes) as readonly CheckName[];
export type CheckName = keyof typeof checkShapes;

const alwaysOn = {
  stdout: onOrOff.describe(
    'false: lines on standard output that are no messages, and answers that nobody waits for, are borne. Looked at unless said.',
  ),
} as const;

const record = z.strictObject({ ...checkShapes, ...alwaysOn }).partial();

const listedNames = [...checkNames, ...(Object.keys(alwaysOn) as readonly (keyof typeof alwaysOn)[])] as const;
const oneWord = z.enum(['all', ...listedNames]);

export const checksSchema = z
  .union(
    [oneWord, z.array(z.enum(listedNames)).readonly(), record],
    `expected all, or names of checks: ${listedNames.join(', ')}`,
  )
  .transform((given): z.output<typeof record> => {
    if (typeof given === 'object' && !isList(given)) return given;
    const names = typeof given === 'string' ? [given] : given;
    return Object.fromEntries(
      names.flatMap((name) => (name === 'all' ? checkNames : name)).map((name) => [name, true]),
    );
  });

const conformanceOptions = z.strictObject({
  revision: z
    .enum(['2025-11-25', '2026-07-28'])
    .default('2025-11-25')
    .describe('The revision of MCP that is asked for.'),
  scenarios: z.array(text).readonly().optional().describe('These scenarios alone.'),
  expected_failures: z
    .union([text, z.array(text).readonly()])
    .optional()
    .describe('Scenarios that are known to fail, or a file of them; one that passes is told.'),
  timeout: duration().default(120_000).describe('Time that the suite may take.'),
});

export const conformanceSchema = z
  .union([onOrOff, conformanceOptions], 'expected true, false, or an object')
  .transform((given): ConformanceSpec | undefined => {
    if (typeof given !== 'boolean') return given;
    return given ? conformanceOptions.parse({}) : undefined;
  });

export type ConformanceSpec = z.output<typeof conformanceOptions>;
export type Checks = z.output<typeof checksSchema>;

function isList(given: object): given is readonly (typeof listedNames)[number][] {
  return Array.isArray(given);
}
