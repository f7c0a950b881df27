import { existsSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { readJson } from '../../configfile/json.js';
import { about, type ConfigText, type Path } from '../../configfile/place.js';
import { readConfigText } from '../../configfile/text.js';
import { readToml } from '../../configfile/toml.js';
import { CallerError } from '../../errors.js';
import { nearest } from '../../nearest.js';
import { clientIds, findClient, type Machine } from './clients.js';
import { withHome } from './command.js';
import { configNames } from './find.js';

/** A config that was read, before anything in it was looked at. */
export interface SourceText {
  readonly config: ConfigText;
  readonly form: 'json' | 'toml';
  readonly origin: string;
  readonly file?: string;
  /** The folder that it is about. */
  readonly folder: string;
  /** Names that stand in it for the second time. */
  readonly repeated: readonly { readonly path: Path; readonly error: CallerError }[];
}

export interface Place {
  readonly cwd: string;
  readonly machine: Machine;
}

/** The file that a word means: a client's own, if it is the name of one. */
export function fileOf(word: string, { cwd, machine }: Place): string {
  const client = clientIds.find((id) => id === word.toLowerCase());
  return client ? findClient(client).userFile(machine) : resolve(cwd, withHome(word, machine.home));
}

export async function readSource(file: string, word: string, place: Place): Promise<SourceText> {
  const text = await readConfigText(file, { adviceOn: (code) => adviceOn(code, file, word) });
  const form = file.toLowerCase().endsWith('.toml') ? 'toml' : 'json';
  const repeated: { readonly path: Path; readonly error: CallerError }[] = [];
  const config =
    form === 'toml'
      ? readToml(text, file)
      : readJson(text, file, { onRepeated: (path, error) => repeated.push({ path, error }) });
  return { config, form, origin: file, file, folder: folderOf(file, place), repeated };
}

export function inlineSource(value: unknown, { cwd }: Place): SourceText {
  const origin = 'the config given';
  const config: ConfigText = {
    value,
    wrong: (path, reason) =>
      new CallerError('INVALID_CONFIG', `${origin}: ${about(path, reason)}`, { argument: 'config' }),
  };
  return { config, form: 'json', origin, folder: cwd, repeated: [] };
}

const foldersOfClients = ['.vscode', '.cursor', '.codex', '.claude', '.windsurf'];

/** A user's file is about the folder that one works in; a project's about the project. */
function folderOf(file: string, { cwd, machine }: Place): string {
  if (clientIds.some((id) => findClient(id).userFile(machine) === file)) return cwd;
  const folder = dirname(file);
  return foldersOfClients.includes(basename(folder)) ? dirname(folder) : folder;
}

function adviceOn(code: string, file: string, word: string): string | undefined {
  if (code === 'EISDIR') {
    const within = configNames.find((name) => existsSync(join(file, name)));
    return within === undefined ? 'name a file in it' : `did you mean ${join(file, within)}?`;
  }
  if (code !== 'ENOENT' || /[\\/.]/.test(word)) return undefined;
  const near = nearest(word, clientIds);
  if (near !== undefined && near !== word.toLowerCase()) return `did you mean the client ${near}?`;
  return `clients whose file is known are ${clientIds.join(', ')}`;
}
