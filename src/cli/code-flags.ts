import type { Command } from 'commander';
import type { CodeSettings } from '../codemode/settings.js';
import type { Settings } from '../config.js';
import { addFlags, type Groups, givenSettings, readFlags, readSettings } from './settings.js';

const groups: Groups = {
  'MCP servers and the workspace:': ['config', 'workspace', 'startTimeoutMs', 'callTimeoutMs'],
  'What scripts may call:': ['allowTools', 'denyTools', 'readOnly', 'askTools', 'maxCalls'],
  'Runs of scripts:': [],
};

const waiting = new WeakSet<Command>();

/** The verb takes the settings of code execution. Its flags are made when it is asked for: no other verb pays for them. */
export function addCodeFlags(verb: Command): Command {
  waiting.add(verb);
  return verb;
}

/** Before a verb reads its words, or shows its help. */
export async function completeFlags(verb: Command): Promise<void> {
  if (!waiting.delete(verb)) return;
  const { codeSettingFamily } = await import('../codemode/settings.js');
  addFlags(verb, codeSettingFamily, groups);
}

export interface CodeVerbSettings {
  readonly code: CodeSettings;
  readonly engine: Settings;
  /** A log on stderr was asked for, by a flag or a variable. */
  readonly isLogAsked?: boolean;
}

export async function readCodeSettings(command: Command, environment: NodeJS.ProcessEnv): Promise<CodeVerbSettings> {
  const { codeSettingFamily } = await import('../codemode/settings.js');
  return {
    code: codeSettingFamily.parse(readFlags(command, codeSettingFamily, environment)),
    engine: readSettings(command, environment),
    isLogAsked: givenSettings(command, environment).logLevel !== undefined,
  };
}
