import { type ConfigText, type Path, shownName } from '../../configfile/place.js';
import { CallerError } from '../../errors.js';
import { nearest } from '../../nearest.js';
import type { ServerTarget } from '../target.js';
import { commandTarget } from './command.js';
import type { ServerEntry } from './entry.js';
import { createFields, type Fields, isObject } from './fields.js';
import type { FoundServer } from './forms.js';
import { loginOf } from './login.js';
import { createReferences, type KnownValues } from './references.js';
import { addressNames, urlTarget } from './remote.js';
import { createSecrets } from './secrets.js';
import { timeoutsOf } from './timeouts.js';

const longestName = 200;

/** One server of a config. What is wrong with it is its own problem, and harms no other. */
export async function readEntry(
  { name, path, value }: FoundServer,
  config: ConfigText,
  origin: string,
  known: KnownValues,
): Promise<ServerEntry> {
  const secrets = createSecrets();
  const wrong = (below: Path, reason: string) => config.wrong([...path, ...below], reason);
  const named = { name: shownName(name), origin };
  try {
    if (!isObject(value)) throw wrong([], 'expected an object: { … }');
    const fields = createFields(value, createReferences(known, secrets, wrong), wrong);
    if (isDisabled(fields)) return { ...named, disabled: true, secrets: [] };
    checkName(name, wrong);
    const target = await targetOf(fields, known);
    secrets.addFrom(target);
    const login = target.kind === 'url' ? loginOf(fields) : undefined;
    if (login?.clientSecret !== undefined) secrets.add(login.clientSecret);
    return {
      ...named,
      disabled: false,
      target,
      secrets: secrets.all(),
      ...timeoutsOf(fields),
      ...(login && { login }),
    };
  } catch (error) {
    if (!(error instanceof CallerError)) throw error;
    return { ...named, disabled: false, problem: error, secrets: secrets.all() };
  }
}

function isDisabled(fields: Fields): boolean {
  return fields.flag('disabled') === true || fields.flag('enabled') === false;
}

function checkName(name: string, wrong: (path: Path, reason: string) => CallerError): void {
  if (name.trim() === '') throw wrong([], 'a server needs a name');
  if (name.length > longestName) throw wrong([], `the name has more than ${longestName} characters`);
  if (shownName(name) !== name) throw wrong([], 'the name has a character that cannot be shown, such as a line end');
}

const kindsOfTypes: Readonly<Record<string, ServerTarget['kind']>> = {
  stdio: 'command',
  local: 'command',
  http: 'url',
  'streamable-http': 'url',
  streamableHttp: 'url',
  streamable_http: 'url',
  sse: 'url',
  remote: 'url',
};

function targetOf(fields: Fields, known: KnownValues): ServerTarget | Promise<ServerTarget> {
  const address = addressNames.find((name) => fields.raw(name) !== undefined);
  const hasCommand = fields.raw('command') !== undefined;
  if (hasCommand && address !== undefined) throw fields.wrong([], `it has command and ${address}; a server has one`);
  if (!hasCommand && address === undefined) throw fields.wrong([], lackOf(fields));
  const kind = hasCommand ? 'command' : 'url';
  const typeName = fields.raw('type') === undefined ? 'transport' : 'type';
  const type = fields.text(typeName);
  const meant = type === undefined ? kind : kindOfType(type, typeName, fields);
  if (meant !== kind) {
    const needs = meant === 'url' ? 'an address, as url' : 'a program, as command';
    throw fields.wrong([typeName], `a server of this type has ${needs}; this one has ${address ?? 'command'}`);
  }
  return kind === 'command' ? commandTarget(fields, known) : urlTarget(fields, known);
}

function kindOfType(type: string, field: string, fields: Fields): ServerTarget['kind'] {
  const kind = Object.hasOwn(kindsOfTypes, type) ? kindsOfTypes[type] : undefined;
  if (kind !== undefined) return kind;
  const near = nearest(type, Object.keys(kindsOfTypes));
  const hint = near === undefined ? '' : `; did you mean ${near}?`;
  throw fields.wrong([field], `known are stdio, http (or streamable-http) and sse${hint}`);
}

function lackOf({ names }: Fields): string {
  const wanted = ['command', ...addressNames];
  for (const name of names) {
    const near = nearest(name, wanted);
    if (near !== undefined) return `it has neither command nor url; did you mean ${near} by ${shownName(name)}?`;
  }
  return 'it has neither command nor url; write the program to start, or the address to reach';
}
