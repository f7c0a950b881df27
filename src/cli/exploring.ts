import { basename } from 'node:path';
import type { Command } from 'commander';
import { CallerError } from '../errors.js';
import type { Manifest } from '../manifest/manifest.js';
import { readSettings } from './settings.js';
import type { Terminal } from './terminal.js';

export interface Selection {
  readonly only?: readonly string[];
  readonly exclude?: readonly string[];
}

export function addSelection(command: Command): Command {
  return command
    .option('--only <names>', 'these tools alone: names or patterns, separated by commas', addNames)
    .option('--exclude <names>', 'all tools but these', addNames);
}

/** What the scripts are as a server. One that is broken is a reason to go no further, as is a server without a tool. */
export async function findTools(
  scripts: readonly string[],
  { only, exclude }: Selection,
  command: Command,
  terminal: Terminal,
): Promise<Manifest> {
  const { environment, interrupt: signal } = terminal;
  const settings = readSettings(command, environment);
  const { python, cacheDir, logLevel: level, secrets } = settings;
  // Not to the log file: what is installed will write that one.
  const log = (await import('../log.js')).createLog({ level, secrets });
  const { explore } = await import('../manifest/explore.js');
  const { manifest, problems } = await explore(scripts, { python, cacheDir, environment, only, exclude, signal, log });
  const [first, ...others] = problems;
  for (const { path, error } of others) terminal.note(`${path}: ${error.message}\n`);
  if (first !== undefined) throw first.error;
  if (manifest.tools.some(({ enabled }) => enabled)) return manifest;
  const subject = scripts.map((script) => basename(script)).join(', ');
  throw new CallerError('INVALID_SCRIPT', `${subject}: no tool is enabled; mcp-exec discover --explain says why`);
}

/** Names given in one list or in several flags. */
export function addNames(text: string, earlier: readonly string[] = []): readonly string[] {
  const names = text.split(',').map((name) => name.trim());
  return [...earlier, ...names.filter((name) => name !== '')];
}
