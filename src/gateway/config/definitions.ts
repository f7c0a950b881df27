import { dirname, isAbsolute, resolve } from 'node:path';
import type { SettingName } from '../../config.js';
import type { ServiceDefinition, ServiceSource } from '../service.js';
import type { CommandEntry, ScriptEntry, UrlEntry } from './schema.js';

export type ServiceEntry = ScriptEntry | CommandEntry | UrlEntry;

type Fields = Readonly<Record<string, unknown>>;

/** Services as the file says them, with every path whole: what is relative is meant from the folder of the file. */
export function definitionsOf(entries: Readonly<Record<string, ServiceEntry>>, file: string): ServiceDefinition[] {
  const folder = dirname(resolve(file));
  return Object.entries(entries)
    .filter(([, { disabled }]) => disabled !== true)
    .map(([id, entry]) => ({
      id,
      ...(entry.name !== undefined && { name: entry.name }),
      ...(entry.description !== undefined && { description: entry.description }),
      ...(entry.settings && { settings: withWholePaths(entry.settings, folder, enginePaths) }),
      source: sourceOf(entry, folder),
    }));
}

function sourceOf(entry: ServiceEntry, folder: string): ServiceSource {
  if ('url' in entry) return { kind: 'url', url: entry.url, ...(entry.headers && { headers: entry.headers }) };
  if ('script' in entry) {
    const { script, only, exclude } = entry;
    const targets = [script].flat().map((path) => resolve(folder, path));
    return { kind: 'script', targets, ...(only && { only }), ...(exclude && { exclude }) };
  }
  const { command, args = [], env, cwd, stateless, minProcesses, maxProcesses } = entry;
  return {
    kind: 'command',
    command: wholeIfPath(command, folder),
    args,
    cwd: resolve(folder, cwd ?? '.'),
    ...(env && { env }),
    ...(stateless !== undefined && { stateless }),
    ...(minProcesses !== undefined && { minProcesses }),
    ...(maxProcesses !== undefined && { maxProcesses }),
  };
}

/** How the value of a setting becomes whole: one path, a list of paths, or a path only where it has a slash. */
export type PathKinds = Readonly<Record<string, 'path' | 'paths' | 'command'>>;

export const enginePaths = {
  python: 'command',
  cacheDir: 'path',
  logFile: 'path',
  allowRead: 'paths',
  allowWrite: 'paths',
} as const satisfies { readonly [K in SettingName]?: PathKinds[string] };

export const gatewayPaths = { data: 'path', accessLog: 'path' } as const satisfies PathKinds;

export function withWholePaths(settings: Fields, folder: string, kinds: PathKinds): Fields {
  return Object.fromEntries(
    Object.entries(settings).map(([name, value]) => [name, wholeValue(value, folder, kinds[name])]),
  );
}

function wholeValue(value: unknown, folder: string, kind: PathKinds[string] | undefined): unknown {
  if (kind === 'paths' && Array.isArray(value)) return value.map((path) => resolve(folder, String(path)));
  if (kind === undefined || typeof value !== 'string' || value === '-') return value;
  return kind === 'command' ? wholeIfPath(value, folder) : resolve(folder, value);
}

/** A name alone is searched for on the PATH. */
function wholeIfPath(command: string, folder: string): string {
  return /[\\/]/.test(command) && !isAbsolute(command) ? resolve(folder, command) : command;
}
