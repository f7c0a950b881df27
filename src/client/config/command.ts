import { stat } from 'node:fs/promises';
import { isAbsolute, join, resolve } from 'node:path';
import { parseEnv } from 'node:util';
import { variableIn } from '../../configfile/expand.js';
import { splitCommand } from '../../configfile/split-command.js';
import { readConfigText } from '../../configfile/text.js';
import { CallerError } from '../../errors.js';
import type { CommandTarget } from '../target.js';
import type { Fields } from './fields.js';
import type { KnownValues } from './references.js';

/** The program of an entry, with every path whole. It is started in the folder that the config is about, if none is said. */
export async function commandTarget(fields: Fields, known: KnownValues): Promise<CommandTarget> {
  const cwd = await folderOf(fields, known);
  const [program = '', ...args] = await wordsOf(fields, cwd, known.home);
  const env = await variablesOf(fields, known);
  return {
    kind: 'command',
    command: wholeIfPath(withHome(program, known.home), cwd),
    args,
    cwd,
    ...(Object.keys(env).length > 0 && { env }),
  };
}

async function folderOf(fields: Fields, { folder, home }: KnownValues): Promise<string> {
  const given = fields.text('cwd');
  if (given === undefined || given === '') return folder;
  const path = resolve(folder, withHome(given, home));
  const isFolder = (await stat(path).catch(() => undefined))?.isDirectory() === true;
  if (!isFolder) throw fields.wrong(['cwd'], 'there is no such folder');
  return path;
}

async function wordsOf(fields: Fields, cwd: string, home: string): Promise<readonly string[]> {
  const [command, args] = [fields.raw('command'), fields.texts('args')];
  if (Array.isArray(command)) return named([...(fields.texts('command') ?? []), ...(args ?? [])], fields);
  const text = fields.text('command') ?? '';
  if (typeof command !== 'string' || args !== undefined || !/\s/.test(command))
    return named([text, ...(args ?? [])], fields);
  const isFile = await stat(resolve(cwd, withHome(text, home))).then(
    (found) => found.isFile(),
    () => false,
  );
  return named(isFile ? [text] : splitFirst(command, fields), fields);
}

/** What comes in place of a reference stays one word, whatever is in it. */
function splitFirst(command: string, fields: Fields): readonly string[] {
  try {
    const words = splitCommand(process.platform === 'win32' ? command.replaceAll('\\', '\\\\') : command);
    return words.map((word) => fields.expand(word, 'command'));
  } catch (error) {
    if (!(error instanceof CallerError) || error.code !== 'INVALID_ARGUMENTS') throw error;
    throw fields.wrong(['command'], 'a quote in it is not closed');
  }
}

function named(words: readonly string[], fields: Fields): readonly string[] {
  if ((words[0] ?? '').trim() === '') throw fields.wrong(['command'], 'it is empty; write the program to start');
  return words;
}

/** The nearer they stand to the entry, the more they count. */
async function variablesOf(fields: Fields, known: KnownValues): Promise<Readonly<Record<string, string>>> {
  const env = { ...(await fromFile(fields, known)), ...passedOn(fields, known), ...fields.record('env') };
  const odd = Object.keys(env).find((name) => name === '' || /[=\0]/.test(name));
  if (odd !== undefined) throw fields.wrong(['env', odd], 'this is no name of a variable');
  return env;
}

async function fromFile(fields: Fields, { folder, home }: KnownValues): Promise<Readonly<Record<string, string>>> {
  const file = fields.text('envFile');
  if (file === undefined || file === '') return {};
  try {
    const text = await readConfigText(resolve(folder, withHome(file, home)));
    return Object.fromEntries(Object.entries(parseEnv(text)).map(([name, value]) => [name, value ?? '']));
  } catch (error) {
    if (error instanceof CallerError) throw fields.wrong(['envFile'], error.message);
    throw error;
  }
}

/** Codex names variables to pass on; one that is not set is not passed. */
function passedOn(fields: Fields, { environment }: KnownValues): Readonly<Record<string, string>> {
  const given = fields.raw('env_vars');
  if (!Array.isArray(given)) return {};
  const names = given.filter((name) => typeof name === 'string');
  return Object.fromEntries(
    names.flatMap((name) => {
      const value = variableIn(environment, name);
      return value === undefined ? [] : [[name, value]];
    }),
  );
}

export function withHome(path: string, home: string): string {
  return path === '~' || /^~[\\/]/.test(path) ? join(home, path.slice(1)) : path;
}

/** A name alone is searched for on the PATH. */
function wholeIfPath(command: string, folder: string): string {
  const isPath = command.includes('/') || (process.platform === 'win32' && command.includes('\\'));
  return isPath && !isAbsolute(command) ? resolve(folder, command) : command;
}
