import * as z from 'zod';
import type { JsonObject } from '../toolbox.js';

/** What discovery finds: the source of truth for everything after it. */
export const manifestVersion = 1;

const sha256 = z.string().regex(/^[0-9a-f]{64}$/);
const text = z.string().min(1);
const jsonObject = z
  .custom<JsonObject>((value) => typeof value === 'object' && value !== null && !Array.isArray(value), {
    error: 'expected an object',
  })
  .meta({ type: 'object' });

/** A file that discovery read beside the script, because types of the script are declared in it. */
const followedFile = z.strictObject({ path: text, sha256 });

const dependencies = z.strictObject({
  /** `inline`: PEP 723 metadata in the script. `requirements`: requirements.txt beside it. */
  source: z.enum(['inline', 'requirements']),
  packages: z.array(text).readonly(),
});

export const manifestScript = z.strictObject({
  path: text.describe('In a file, relative to the manifest with forward slashes; in memory, absolute.'),
  sha256,
  files: z.array(followedFile).readonly().default([]),
  description: z.string().optional(),
  requiresPython: text.optional(),
  dependencies: dependencies.optional(),
  importEffects: z
    .array(text)
    .readonly()
    .default([])
    .describe('What happens when the script is imported; where there is any, it is never imported ahead of a call.'),
});

/**
 * One parameter of a command line, and the words that a value of it becomes.
 *
 * `value` is passed as text; an array becomes as many words as it has items.
 */
const commandParameter = z.strictObject({
  name: text,
  /**
   * `positional`: the value alone. `option`: the flag before it. `flag`: the flag where the value is true, `off` where it is false.
   * `count`: the flag as often as the value says. `append`: the flag before each item. `args`: an array of words, as they are.
   * `stdin`: text for standard input.
   */
  kind: z.enum(['positional', 'option', 'flag', 'count', 'append', 'args', 'stdin']),
  flag: text.optional(),
  off: text.optional(),
  /** The flag may be given without a value: true means the flag alone, false means not at all. */
  bare: z.boolean().optional(),
  /** Each item is one group of words (argparse: append with nargs; click: multiple with nargs). */
  grouped: z.boolean().optional(),
  /** How many subcommand names stand before it; only for those in `before`, and where it is not 0. */
  wordsBefore: z.int().positive().optional(),
});

const commandLine = z.strictObject({
  /** The names of the subcommands, outermost first. */
  words: z.array(z.string()).readonly().default([]),
  /** What outer parsers take, in the order in which it is written: before all `words`, or where `wordsBefore` says. */
  before: z.array(commandParameter).readonly().default([]),
  parameters: z.array(commandParameter).readonly(),
});

const run = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('function'), script: text, function: text }),
  z.strictObject({ kind: z.literal('command'), script: text, command: commandLine }),
]);

export const manifestTool = z.strictObject({
  name: z.string().regex(/^[A-Za-z0-9_-]{1,64}$/, 'expected 1 to 64 of the characters A-Z, a-z, 0-9, _ and -'),
  title: text.optional(),
  description: z.string().optional(),
  inputSchema: jsonObject,
  outputSchema: jsonObject.optional(),
  resultKey: text.optional().describe('The output schema describes an object with the returned value under this key.'),
  annotations: jsonObject.optional(),
  run,
  enabled: z
    .boolean()
    .describe('Whether it is offered: this is for you to change, and is kept when the script changes.'),
  why: text.describe('Why it is a tool, or is not one.'),
  degraded: z.array(text).readonly().optional().describe('What could not be known, and what to write so that it is.'),
  warnings: z.array(text).readonly().optional(),
  line: z.int().positive().optional(),
});

export const manifestSchema = z.strictObject({
  $schema: z.string().optional().describe('The schema of this file, for editors.'),
  manifestVersion: z.literal(manifestVersion),
  scripts: z.array(manifestScript).readonly(),
  tools: z.array(manifestTool).readonly(),
});

export type Manifest = Readonly<z.output<typeof manifestSchema>>;
export type ManifestScript = Readonly<z.output<typeof manifestScript>>;
export type ManifestTool = Readonly<z.output<typeof manifestTool>>;
export type CommandLine = Readonly<z.output<typeof commandLine>>;
export type CommandParameter = Readonly<z.output<typeof commandParameter>>;
export type Dependencies = Readonly<z.output<typeof dependencies>>;
