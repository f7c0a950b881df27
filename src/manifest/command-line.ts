import { CallerError } from '../errors.js';
import type { JsonObject, JsonValue } from '../toolbox.js';
import type { CommandLine, CommandParameter } from './manifest.js';
import { numberText } from './number-text.js';

export interface Command {
  /** The words after the name of the script, each as the script will see it: no shell reads them. */
  readonly argv: string[];
  readonly stdin?: string;
}

/** Turns arguments that fit the tool's schema into the words of its command line. */
export function commandOf(command: CommandLine, args: JsonObject): Command {
  refuseUnknown(command, args);
  const argv: string[] = [];
  command.words.forEach((word, index) => {
    const outer = outerParameters(command, index);
    const options = wordsOfLevel(outer, args);
    refuseToSwallow(word, options, outer);
    argv.push(...options, word);
  });
  argv.push(...wordsOfLevel(outerParameters(command, command.words.length), args));
  argv.push(...wordsOfLevel(command.parameters, args));
  const stdin = standardInput(command, args);
  return stdin === undefined ? { argv } : { argv, stdin };
}

function refuseUnknown(command: CommandLine, args: JsonObject): void {
  const known = new Set([...command.before, ...command.parameters].map((parameter) => parameter.name));
  const unknown = Object.keys(args).find((name) => !known.has(name));
  if (unknown !== undefined) refuse(unknown, 'the command line has no such parameter');
}

/** A flag that may stand alone, with the name of a subcommand right after it, would take that for its value. */
function refuseToSwallow(word: string, before: readonly string[], parameters: readonly CommandParameter[]): void {
  const last = parameters.find(({ bare, flag }) => bare && flag === before.at(-1));
  if (last === undefined) return;
  refuse(last.name, `${last.flag} would take the subcommand ${word} for its value; give it a value instead of true`);
}

function outerParameters(command: CommandLine, wordsBefore: number): readonly CommandParameter[] {
  return command.before.filter((parameter) => (parameter.wordsBefore ?? 0) === wordsBefore);
}

/** The words of one parser: its options, then its positional arguments, then words as they are. */
function wordsOfLevel(parameters: readonly CommandParameter[], args: JsonObject): string[] {
  const prefixes = new Set(['-', ...parameters.flatMap((parameter) => parameter.flag?.[0] ?? [])]);
  const options: string[] = [];
  const positionals: string[] = [];
  const rest: string[] = [];
  let takesMore = false;
  for (const parameter of parameters) {
    const value = Object.hasOwn(args, parameter.name) ? args[parameter.name] : undefined;
    if (value === undefined || value === null || parameter.kind === 'stdin') continue;
    if (parameter.kind === 'positional') {
      positionals.push(...itemsOf(value).map((item) => valueWord(parameter, item)));
    } else if (parameter.kind === 'args') {
      rest.push(...itemsOf(value).map((item) => plainWord(parameter, item)));
    } else {
      const written = optionWords(parameter, value, prefixes);
      options.push(...written.words);
      if (written.words.length > 0) takesMore = written.takesMore;
    }
  }
  const needsEnd = takesMore || positionals.some((word) => prefixes.has(word[0] ?? ''));
  return [...options, ...(needsEnd && positionals.length > 0 ? ['--'] : []), ...positionals, ...rest];
}

interface OptionWords {
  readonly words: string[];
  /** The option would take a word that stands after it for one of its own. */
  readonly takesMore: boolean;
}

function optionWords(parameter: CommandParameter, value: JsonValue, prefixes: ReadonlySet<string>): OptionWords {
  const flag = parameter.flag ?? '';
  if (parameter.kind === 'flag') return closed(flagWords(parameter, value));
  if (parameter.kind === 'count') return closed(Array.from({ length: timesOf(parameter, value) }, () => flag));
  if (parameter.kind === 'append') {
    const each = itemsOf(value).map((item) =>
      parameter.grouped
        ? valueWords(parameter, itemsOf(item), prefixes)
        : closed(bound(flag, valueWord(parameter, item))),
    );
    return { words: each.flatMap(({ words }) => words), takesMore: each.at(-1)?.takesMore ?? false };
  }
  if (parameter.bare && typeof value === 'boolean') return { words: value ? [flag] : [], takesMore: value };
  if (isArray(value)) return valueWords(parameter, value, prefixes);
  return closed(bound(flag, valueWord(parameter, value)));
}

function closed(words: string[]): OptionWords {
  return { words, takesMore: false };
}

function flagWords(parameter: CommandParameter, value: JsonValue): string[] {
  if (typeof value !== 'boolean') refuse(parameter.name, `expected true or false, got ${JSON.stringify(value)}`);
  const word = value ? parameter.flag : parameter.off;
  return word === undefined ? [] : [word];
}

function timesOf(parameter: CommandParameter, value: JsonValue): number {
  const times = Number(value);
  const isCount = (typeof value === 'number' || typeof value === 'string') && Number.isSafeInteger(times);
  if (!isCount || times < 0 || times > mostTimes) {
    refuse(
      parameter.name,
      `expected how often ${parameter.flag} is given (0 to ${mostTimes}), got ${JSON.stringify(value)}`,
    );
  }
  return times;
}

const mostTimes = 1000;

/** One value is bound to the flag; several stand after it, where none may look like an option. */
function valueWords(
  parameter: CommandParameter,
  values: readonly JsonValue[],
  prefixes: ReadonlySet<string>,
): OptionWords {
  const flag = parameter.flag ?? '';
  const words = values.map((value) => valueWord(parameter, value));
  if (words.length === 1) return closed(bound(flag, words[0] ?? ''));
  const misread = words.find((word) => word.length > 1 && prefixes.has(word[0] ?? '') && !negativeNumber.test(word));
  if (misread !== undefined) {
    refuse(
      parameter.name,
      `${JSON.stringify(misread)} would be read as an option; of several values none may begin with ${misread[0]}`,
    );
  }
  return { words: [flag, ...words], takesMore: true };
}

const negativeNumber = /^-(\d+|\d*\.\d+)$/;

/** A long flag is bound by an equals sign, so that a value that begins with a dash stays a value. */
function bound(flag: string, word: string): string[] {
  if (flag.length > 2) return [`${flag}=${word}`];
  return word.startsWith('-') || word.startsWith(flag[0] ?? '-') ? [`${flag}${word}`] : [flag, word];
}

function valueWord(parameter: CommandParameter, value: JsonValue): string {
  const word = plainWord(parameter, value);
  if (word === '--')
    refuse(parameter.name, 'the word -- cannot be a value, because it ends the options of a command line');
  return word;
}

function plainWord(parameter: CommandParameter, value: JsonValue): string {
  const word = textOf(parameter, value);
  if (word.includes('\0')) refuse(parameter.name, 'a word of a command line cannot hold the character NUL');
  return word;
}

function textOf(parameter: CommandParameter, value: JsonValue): string {
  if (typeof value === 'string') return value;
  if (typeof value === 'number') return numberText(value);
  if (typeof value === 'boolean') return String(value);
  return refuse(parameter.name, `expected a single value for a word of the command line, got ${JSON.stringify(value)}`);
}

function standardInput(command: CommandLine, args: JsonObject): string | undefined {
  const parameter = command.parameters.find(({ kind }) => kind === 'stdin');
  const value = parameter === undefined ? undefined : args[parameter.name];
  if (parameter === undefined || value === undefined || value === null) return undefined;
  return typeof value === 'string' ? value : refuse(parameter.name, `expected text, got ${JSON.stringify(value)}`);
}

function itemsOf(value: JsonValue): readonly JsonValue[] {
  return isArray(value) ? value : [value];
}

function isArray(value: JsonValue): value is readonly JsonValue[] {
  return Array.isArray(value);
}

function refuse(argument: string, reason: string): never {
  throw new CallerError('INVALID_ARGUMENTS', `Argument ${argument}: ${reason}`, { argument });
}
