import { type Command, Option } from 'commander';
import {
  flagName,
  kindOfSetting,
  limitNames,
  parseSettings,
  type SettingName,
  type Settings,
  settingFromText,
  settingNames,
  settingsFromEnvironment,
  settingsSchema,
} from '../config.js';

const groups: Readonly<Record<string, readonly SettingName[]>> = {
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
};
const otherGroup = 'Housekeeping:';

/** One flag for each setting of the schema, understood before and after the verb. */
export function addSettings(program: Command): void {
  for (const name of settingNames) program.addOption(optionOf(name));
}

export function isSetting(option: Option): boolean {
  return settingNames.some((name) => name === option.attributeName());
}

/** Flags win over the environment, which wins over the defaults. */
export function readSettings(command: Command, environment: NodeJS.ProcessEnv): Settings {
  const flags: { [K in SettingName]?: unknown } = {};
  const given: Readonly<Record<string, unknown>> = command.optsWithGlobals();
  for (const name of settingNames) {
    const text = given[name];
    if (typeof text === 'string') flags[name] = settingFromText(name, text);
    else if (text === true) flags[name] = true;
  }
  return parseSettings({ ...settingsFromEnvironment(environment), ...flags });
}

/** A flag that takes a list or stands alone takes it after an equals sign only: the next word is never its value. */
export function withLoneFlags(words: readonly string[]): readonly string[] {
  const end = words.includes('--') ? words.indexOf('--') : words.length;
  return words.map((word, index) => (index < end && loneFlags.has(word) ? `${word}=true` : word));
}

const loneFlags = new Set(settingNames.filter((name) => kindOfSetting(name).kind === 'some or all').map(flagName));

function optionOf(name: SettingName): Option {
  const { kind } = kindOfSetting(name);
  const option = new Option(`${flagName(name)}${notationOf(name)}`, describe(name)).helpGroup(groupOf(name));
  return kind === 'list' || kind === 'some or all' ? option.argParser(joinWithEarlier) : option;
}

function notationOf(name: SettingName): string {
  const { kind } = kindOfSetting(name);
  if (kind === 'switch') return '';
  return kind === 'some or all' ? ` [=${placeholderOf(name)}]` : ` <${placeholderOf(name)}>`;
}

function describe(name: SettingName): string {
  const schema = settingsSchema.shape[name];
  const fallback: unknown = schema.safeParse(undefined).data;
  const isShown = typeof fallback === 'string' || typeof fallback === 'number';
  return isShown ? `${schema.description} Default: ${fallback}.` : `${schema.description}`;
}

function joinWithEarlier(text: string, earlier?: string): string {
  return earlier === undefined ? text : `${earlier},${text}`;
}

function placeholderOf(name: SettingName): string {
  const setting = kindOfSetting(name);
  if (setting.kind === 'choice') return setting.choices.join('|');
  if (setting.kind === 'list' || name === 'allowEnv') return 'names';
  if (setting.kind === 'some or all') return 'paths';
  if (setting.kind === 'text') return 'path';
  return /(Ms|Bytes)$/.exec(name)?.[0]?.toLowerCase() ?? 'number';
}

function groupOf(name: SettingName): string {
  return Object.entries(groups).find(([, names]) => names.includes(name))?.[0] ?? otherGroup;
}
