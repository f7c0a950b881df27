import { type Command, Option } from 'commander';
import type * as z from 'zod';
import {
  flagName,
  kindOfSetting,
  limitNames,
  parseSettings,
  type Settings,
  settingFamily,
  settingNames,
  type UncheckedSettings,
} from '../config.js';
import type { SettingFamily, Unchecked } from '../settings.js';

/** Headings of a help page, each with the settings that stand under it; what is under none is under the last. */
export type Groups = Readonly<Record<string, readonly string[]>>;

const groups: Groups = {
  'How calls run:': ['python', 'isolation', 'launcher', 'concurrency', 'queueLength', 'secrets'],
  'What scripts may do:': [
    'profile',
    'allowRead',
    'allowWrite',
    'allowNet',
    'allowRun',
    'allowEnv',
    'allowAll',
    'enforcement',
    'namespaces',
  ],
  'Limits of a call:': [...limitNames, 'importTimeoutMs', 'maxProcesses', 'scratchBytes'],
  'Housekeeping:': [],
};

/** One flag for each setting of the schema, understood before and after the verb. */
export function addSettings(program: Command): void {
  addFlags(program, settingFamily, groups);
}

export function isSetting(option: Option): boolean {
  return settingNames.some((name) => name === option.attributeName());
}

/** Flags win over the environment, which wins over the defaults. */
export function readSettings(command: Command, environment: NodeJS.ProcessEnv): Settings {
  return parseSettings(givenSettings(command, environment));
}

/** What flags and variables say, without defaults: for a verb that reads a file as well. */
export function givenSettings(command: Command, environment: NodeJS.ProcessEnv): UncheckedSettings {
  return readFlags(command, settingFamily, environment);
}

export function addFlags<S extends z.ZodObject>(command: Command, family: SettingFamily<S>, headings: Groups): void {
  for (const name of family.names) {
    const { kind } = family.kindOf(name);
    const option = new Option(`${family.flagName(name)}${notationOf(name, family)}`, family.describe(name));
    option.helpGroup(groupOf(name, headings));
    command.addOption(kind === 'list' || kind === 'some or all' ? option.argParser(joinWithEarlier) : option);
  }
}

/** Flags win over variables. */
export function readFlags<S extends z.ZodObject>(
  command: Command,
  family: SettingFamily<S>,
  environment: NodeJS.ProcessEnv,
): Unchecked<S> {
  const flags: { [K in keyof S['shape'] & string]?: unknown } = {};
  const given: Readonly<Record<string, unknown>> = command.optsWithGlobals();
  for (const name of family.names) {
    const text = given[attributeOf(family.flagName(name))];
    if (typeof text === 'string') flags[name] = family.fromText(name, text);
    else if (text === true) flags[name] = true;
  }
  return { ...family.fromEnvironment(environment), ...flags };
}

/** A flag that takes a list or stands alone takes it after an equals sign only: the next word is never its value. */
export function withLoneFlags(words: readonly string[]): readonly string[] {
  const end = words.includes('--') ? words.indexOf('--') : words.length;
  return words.map((word, index) => (index < end && loneFlags.has(word) ? `${word}=true` : word));
}

const loneFlags = new Set(settingNames.filter((name) => kindOfSetting(name).kind === 'some or all').map(flagName));

function notationOf<S extends z.ZodObject>(name: SettingFamily<S>['names'][number], family: SettingFamily<S>): string {
  const { kind } = family.kindOf(name);
  if (kind === 'switch') return '';
  return kind === 'some or all' ? ` [=${placeholderOf(name, family)}]` : ` <${placeholderOf(name, family)}>`;
}

function attributeOf(flag: string): string {
  return new Option(flag).attributeName();
}

function joinWithEarlier(text: string, earlier?: string): string {
  return earlier === undefined ? text : `${earlier},${text}`;
}

const placeholders: Readonly<Record<string, string>> = {
  allowEnv: 'names',
  host: 'address',
  allowedHosts: 'names',
  corsOrigins: 'origins',
  cacheTools: 'service/tool',
  config: 'files',
  allowTools: 'server/tool',
  denyTools: 'server/tool',
  askTools: 'server/tool',
};

function placeholderOf<S extends z.ZodObject>(
  name: SettingFamily<S>['names'][number],
  family: SettingFamily<S>,
): string {
  const setting = family.kindOf(name);
  if (setting.kind === 'choice') return setting.choices.join('|');
  const usual = { list: 'names', 'some or all': 'paths', text: 'path', number: 'number', switch: '' }[setting.kind];
  return placeholders[name] ?? (/(Ms|Bytes)(?:PerClient)?$/.exec(name)?.[1]?.toLowerCase() || usual);
}

function groupOf(name: string, headings: Groups): string {
  const titles = Object.keys(headings);
  return titles.find((title) => headings[title]?.includes(name)) ?? titles.at(-1) ?? '';
}
