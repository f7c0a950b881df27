import { type Command, InvalidArgumentError } from 'commander';
import type { Settings } from '../config.js';
import { CallerError } from '../errors.js';
import { givenSettings, readSettings } from './settings.js';
import { wrongFlag } from './test-mistakes.js';

export interface ServerFlags {
  readonly url?: string;
  readonly header?: readonly string[];
  /** `NAME`, or `NAME=value`. */
  readonly env?: readonly string[];
}

export interface TestFlags extends ServerFlags {
  readonly junit?: string;
  readonly html?: string;
  readonly json?: string;
  readonly filter?: string;
  readonly tag?: readonly string[];
  /** A count. A word that is none stands behind a lone --bail, and is a suite. */
  readonly bail?: string | true;
  readonly repeat?: number;
  readonly parallel?: number;
  readonly updateSnapshots?: boolean;
  readonly watch?: boolean;
  readonly ci?: boolean;
  readonly github?: boolean;
  readonly verbose?: boolean;
  readonly record?: string;
  readonly force?: boolean;
}

export interface InitFlags extends ServerFlags {
  readonly call?: readonly string[];
  readonly out?: string;
  readonly force?: boolean;
}

export interface TestSettings {
  readonly engine: Settings;
  /** A log on stderr was asked for, by a flag or a variable. */
  readonly isLogAsked: boolean;
}

export function readTestSettings(command: Command, environment: NodeJS.ProcessEnv): TestSettings {
  return {
    engine: readSettings(command, environment),
    isLogAsked: givenSettings(command, environment).logLevel !== undefined,
  };
}

/** Of a flag that takes a whole number. */
export function countFrom(least: number, most: number): (text: string) => number {
  return (text) => {
    const count = asCount(text);
    if (count !== undefined && count >= least && count <= most) return count;
    throw new InvalidArgumentError(`Expected a whole number from ${least} to ${most.toLocaleString('en')}.`);
  };
}

/** How many failed cases end the run, and the words that are suites: one may stand behind a lone --bail. */
export function readBail(
  words: readonly string[],
  bail: TestFlags['bail'],
): { readonly bail?: number; readonly words: readonly string[] } {
  if (bail === undefined) return { words };
  if (bail === true) return { bail: 1, words };
  const count = asCount(bail);
  if (count !== undefined) return { bail: count, words };
  if (/^-?[\d.,]+$/.test(bail)) throw wrongFlag('--bail', `expected a whole number from 0, got ${bail}`);
  return { bail: 1, words: [bail, ...words] };
}

/** What a person said of a server that is not in a suite yet. */
export interface ServerWords extends ServerFlags {
  readonly words: readonly string[];
  /** They are a command, and no Python scripts. */
  readonly isCommand: boolean;
  /** What was typed before the server. */
  readonly typed?: string;
}

export function addServerFlags(command: Command, when = ''): Command {
  const beside = when === '' ? '; a command beside it is started, and listens there' : ', in the place of a command';
  return command
    .option('--url <url>', `${when}the server at this address${beside}`)
    .option('--header <name: value>', `${when}sent with every request to --url; may be repeated`, addWord)
    .option(
      '--env <name>',
      `${when}a variable of the server: NAME as it is set here, or NAME=value; may be repeated`,
      addWord,
    );
}

export function serverWordsOf(
  words: readonly string[],
  { url, header, env }: ServerFlags,
  command: Command,
  typed: string,
): ServerWords {
  return { words, isCommand: hasDashes(command), url, header, env, typed };
}

/** A flag of another form of the verb is refused: to be silent about it would mislead. */
export function refuseOtherFlags(command: Command, taken: readonly (keyof TestFlags)[], form: string): void {
  const known: readonly string[] = taken;
  for (const option of command.options) {
    const name = option.attributeName();
    if (command.getOptionValue(name) === undefined || known.includes(name)) continue;
    throw new CallerError(
      'INVALID_ARGUMENTS',
      `${option.long} is no flag of ${form}; mcp-exec test --help lists the flags`,
      { argument: option.long },
    );
  }
}

/** Whether a -- stands before the words: then the first of them is a command, whatever it looks like. */
function hasDashes(command: Command): boolean {
  let root = command;
  while (root.parent !== null) root = root.parent;
  return 'rawArgs' in root && Array.isArray(root.rawArgs) && root.rawArgs.includes('--');
}

function addWord(word: string, earlier: readonly string[] = []): readonly string[] {
  return [...earlier, word];
}

function asCount(text: string): number | undefined {
  return /^\d[\d_]{0,12}$/.test(text) ? Number(text.replaceAll('_', '')) : undefined;
}
