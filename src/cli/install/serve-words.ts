import { basename, dirname, extname, resolve } from 'node:path';
import type { Command, Option } from 'commander';
import { environmentName, flagName, kindOfSetting, type SettingName, settingNames } from '../../config.js';
import { CallerError } from '../../errors.js';
import { nearest } from '../../nearest.js';
import { asName } from '../../server/export/bundle-names.js';

/** The words after the first that begins with a dash, which only `--` lets through. */
export function splitWords(words: readonly string[]): { scripts: readonly string[]; passedOn: readonly string[] } {
  const dash = words.findIndex((word) => word.startsWith('-'));
  const end = dash < 0 ? words.length : dash;
  return { scripts: words.slice(0, end), passedOn: words.slice(end) };
}

/**
 * The command line of `serve` that a client is to run. The client starts it from another folder and with another environment, so
 * every path in it is whole, and what the environment says here is said in flags.
 */
export function serveWords(
  command: Command,
  environment: NodeJS.ProcessEnv,
  scripts: readonly string[],
  passedOn: readonly string[],
): readonly string[] {
  checkFlags(passedOn, command);
  const given: Readonly<Record<string, unknown>> = command.optsWithGlobals();
  const settings = settingNames.map((name) => {
    const value = given[name] ?? settingOf(name, environment);
    return [flagName(name), wholePath(name, value)] as const;
  });
  const selection = ['only', 'exclude'].map((name) => [`--${name}`, given[name]] as const);
  const flags = [...settings, ...selection].flatMap(flagWords);
  return ['serve', ...flags, ...passedOn, ...scripts.map((script) => resolve(script))];
}

/** The active virtual environment is the Python that was meant, and the client does not know of it. */
function settingOf(name: SettingName, environment: NodeJS.ProcessEnv): string | undefined {
  const text = environment[environmentName(name)] || (name === 'python' && environment.VIRTUAL_ENV) || undefined;
  return text === 'false' && kindOfSetting(name).kind === 'switch' ? undefined : text;
}

/** What a server of these scripts is called where nobody says. */
export function serverName(scripts: readonly string[]): string {
  const path = resolve(scripts[0] ?? '.');
  const stem = extname(path) === '.json' ? basename(dirname(path)) : basename(path, '.py');
  return asName(stem) || 'tools';
}

function flagWords([flag, value]: readonly [flag: string, value: unknown]): readonly string[] {
  if (typeof value === 'string') return [value === 'true' ? flag : `${flag}=${value}`];
  if (Array.isArray(value)) return [`${flag}=${value.join(',')}`];
  return value === true ? [flag] : [];
}

const lists: readonly SettingName[] = ['allowRead', 'allowWrite'];
const files: readonly SettingName[] = ['cacheDir', 'logFile'];

function wholePath(name: SettingName, value: unknown): unknown {
  if (typeof value !== 'string' || value === 'true') return value;
  if (lists.includes(name)) return value.replace(/[^,]+/g, (path) => resolve(path));
  const isPath = files.includes(name) || (name === 'python' && /[\\/]/.test(value));
  return isPath ? resolve(value) : value;
}

function checkFlags(words: readonly string[], { parent }: Command): void {
  const serve = parent?.commands.find((verb) => verb.name() === 'serve');
  const known = [...(serve?.options ?? []), ...(parent?.options ?? [])].flatMap(flagsOf);
  for (const word of words.filter((each) => each.startsWith('-'))) {
    const [flag = word] = word.split('=');
    if (known.includes(flag)) continue;
    const near = nearest(flag, known);
    const hint = near === undefined ? 'mcp-exec serve --help lists them' : `did you mean ${near}?`;
    throw new CallerError('INVALID_ARGUMENTS', `serve has no flag ${flag}; ${hint}`, { argument: flag });
  }
}

function flagsOf({ long, short }: Option): readonly string[] {
  return [long, short].filter((flag) => typeof flag === 'string');
}
