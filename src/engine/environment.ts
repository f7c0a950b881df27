import { environmentName, settingNames } from '../config.js';
import type { JsonObject, JsonValue } from '../toolbox.js';
import type { Profile } from './sandbox.js';

/** What untrusted code sees unasked: what Python needs to start, and nothing that says who or where the person is. */
export const safeNames = [
  'PATH',
  'LANG',
  'LANGUAGE',
  'LC_*',
  'TZ',
  'TERM',
  'TMPDIR',
  'TEMP',
  'TMP',
  'LD_LIBRARY_PATH',
  'SYSTEMROOT',
  'SYSTEMDRIVE',
  'WINDIR',
  'COMSPEC',
  'PATHEXT',
  'NUMBER_OF_PROCESSORS',
  'PROCESSOR_ARCHITECTURE',
] as const;

/** Native thread pools make a process unsafe to fork; a person who wants them says so in the environment. */
const defaults = { OMP_NUM_THREADS: '1', OPENBLAS_NUM_THREADS: '1' } as const;

/** All of the host's environment, or, with a list, the safe names and the listed ones; `AWS_*` names all that begin so. */
export function scriptEnvironment(
  host: NodeJS.ProcessEnv,
  allowEnv: readonly string[] | true = true,
  platform: NodeJS.Platform = process.platform,
): Record<string, string> {
  const ignoreCase = platform === 'win32';
  const isAllowed = allowEnv === true ? () => true : nameMatcher([...safeNames, ...allowEnv], ignoreCase);
  const seen = Object.entries(host).filter(
    (entry): entry is [string, string] => entry[1] !== undefined && isAllowed(entry[0]),
  );
  return { ...defaults, ...Object.fromEntries(seen) };
}

/** An arena of memory for each thread takes more addresses than a sandbox has. */
const inSandbox = { MALLOC_ARENA_MAX: '1' } as const;

export function environmentOf(
  profile: Profile,
  allowEnv: readonly string[] | true | undefined,
  host: NodeJS.ProcessEnv = process.env,
): Record<string, string> {
  if (profile === 'trusted') return scriptEnvironment(host, allowEnv);
  return { ...scriptEnvironment(host, allowEnv ?? []), ...inSandbox };
}

const prefix = 'MCP_EXECUTION_';
const maxNameLength = 128;
const maxValueBytes = 64 * 1024;
const settingVariables = new Set(settingNames.map(environmentName));

/**
 * The plain values of `context.metadata`, `{ testName: … }` as MCP_EXECUTION_TEST_NAME, and those one object deeper,
 * `{ server_info: { name: … } }` as MCP_EXECUTION_SERVER_INFO_NAME. Left out, and still in the context: what an
 * environment cannot hold, what is larger than 64 KiB, and names that are settings of ours.
 */
export function metadataEnvironment(context: JsonObject): Record<string, string> {
  const variables: Record<string, string> = {};
  for (const [key, value] of entriesOf(context.metadata)) {
    addVariable(variables, key, value);
    for (const [innerKey, innerValue] of entriesOf(value)) addVariable(variables, `${key}_${innerKey}`, innerValue);
  }
  return variables;
}

function addVariable(variables: Record<string, string>, key: string, value: JsonValue): void {
  const name = variableName(key);
  const text = variableText(value);
  if (name !== undefined && text !== undefined) variables[name] = text;
}

function variableName(key: string): string | undefined {
  if (key.length > maxNameLength) return undefined;
  const words = key
    .replace(/([a-z0-9])([A-Z])/g, '$1_$2')
    .split(/[^A-Za-z0-9]+/)
    .filter((word) => word !== '');
  const name = `${prefix}${words.join('_').toUpperCase()}`;
  return words.length > 0 && !settingVariables.has(name) ? name : undefined;
}

function variableText(value: JsonValue): string | undefined {
  if (typeof value !== 'string' && typeof value !== 'number' && typeof value !== 'boolean') return undefined;
  const text = String(value);
  if (text.length > maxValueBytes || text.includes('\0')) return undefined;
  const bytes = Buffer.from(text);
  const isWellFormed = bytes.toString() === text;
  return isWellFormed && bytes.length <= maxValueBytes ? text : undefined;
}

function entriesOf(value: JsonValue | undefined): [string, JsonValue][] {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? Object.entries(value) : [];
}

function nameMatcher(patterns: readonly string[], ignoreCase: boolean): (name: string) => boolean {
  const folded = (name: string) => (ignoreCase ? name.toUpperCase() : name);
  const isPrefix = (pattern: string) => pattern.endsWith('*');
  const exact = new Set(patterns.filter((pattern) => !isPrefix(pattern)).map(folded));
  const prefixes = patterns.filter(isPrefix).map((pattern) => folded(pattern.slice(0, -1)));
  return (name) => exact.has(folded(name)) || prefixes.some((start) => folded(name).startsWith(start));
}
