import { join, resolve } from 'node:path';
import { type Client, clientIds, findClient, type Machine } from '../../client/config/clients.js';
import { CallerError } from '../../errors.js';
import { type ConfigFile, readConfig } from './config-file.js';
import { diffOf } from './diff.js';
import type { Entry } from './entry.js';
import { changeJson, entryAsJson } from './json-config.js';
import { changeToml } from './toml-config.js';

export interface Place {
  readonly client: string;
  /** Another file than the client's own. */
  readonly config?: string;
  /** The file of the project in the working folder. */
  readonly project?: boolean;
}

/** A change of a client's file that is not written yet. */
export interface Installation {
  readonly client: Client;
  readonly file: string;
  readonly config: ConfigFile;
  readonly text: string;
  /** Empty where there is nothing to do. */
  readonly diff: readonly string[];
}

/** Without an entry, the one of that name is taken out. */
export async function planInstallation(
  place: Place,
  machine: Machine,
  name: string,
  entry: Entry | undefined,
): Promise<Installation> {
  const client = findClient(place.client);
  const file = fileOf(client, place, machine);
  const config = await readConfig(file);
  const { form } = client;
  const change = { file, text: config.text, key: form.key, name };
  const text =
    form.kind === 'toml' ? changeToml(change, entry) : changeJson(change, entry && entryAsJson(entry, form.typed));
  return { client, file, config, text, diff: diffOf(config.text, text) };
}

function fileOf(client: Client, { config, project }: Place, machine: Machine): string {
  if (config !== undefined && project) throw wrong('--project', 'a file is named with --config already');
  if (config !== undefined) return resolve(config);
  if (!project) return client.userFile(machine);
  if (client.projectFile !== undefined) return join(process.cwd(), ...client.projectFile);
  const able = clientIds.filter((id) => findClient(id).projectFile !== undefined);
  throw wrong('--project', `${client.title} has no file per project; ${able.join(', ')} have one`);
}

function wrong(argument: string, reason: string): CallerError {
  return new CallerError('INVALID_ARGUMENTS', `${argument}: ${reason}`, { argument });
}
