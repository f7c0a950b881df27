import { z } from 'zod';
import { CallerError } from './errors.js';

const bytes = () => z.int().positive();
const milliseconds = () => z.int().positive();
const count = () => z.int().positive();

/** The one source of settings, defaults, environment names, CLI flags, the editor's JSON Schema and docs/settings.md. */
export const settingsSchema = z.strictObject({
  python: z.string().min(1).optional().describe('The Python interpreter to use: a path or a command name.'),
  isolation: z
    .enum(['call', 'session', 'shared'])
    .default('call')
    .describe(
      'call: a process per call. session: one process for the calls of a session. shared: one process for all calls.',
    ),
  launcher: z
    .enum(['auto', 'fork', 'warm'])
    .default('auto')
    .describe(
      'fork: processes forked ahead. warm: interpreters started ahead. auto: fork where the machine and the script permit it.',
    ),
  timeoutMs: milliseconds().default(60_000).describe('Wall time that a call may take.'),
  importTimeoutMs: milliseconds().default(60_000).describe('Wall time that importing a script may take.'),
  cpuMs: milliseconds().default(60_000).describe('Processor time that a call may use, in whole seconds rounded up.'),
  memoryBytes: bytes()
    .min(16 * 1024 * 1024)
    .default(1024 * 1024 * 1024)
    .describe('Memory that a call may add to what the imported script holds.'),
  maxOutputBytes: bytes()
    .default(64 * 1024 * 1024)
    .describe('Output, stdout and stderr together, after which a call is ended.'),
  maxCapturedBytes: bytes()
    .default(1024 * 1024)
    .describe('Output kept in the result, for each of stdout and stderr; the rest is cut, with a mark.'),
  maxResultBytes: bytes()
    .default(64 * 1024 * 1024)
    .describe('Size of the returned value as JSON.'),
  maxOpenFiles: count().min(32).default(1024).describe('Files that the process of a call may hold open.'),
  concurrency: count().default(8).describe('Calls that run at once.'),
  queueLength: z.int().nonnegative().default(1000).describe('Calls that may wait; one more is refused.'),
  maxScripts: count().default(64).describe('Scripts kept warm; the least recently used one goes first.'),
  maxSessions: count().default(64).describe('Session processes kept; the least recently used one goes first.'),
  sessionIdleMs: milliseconds()
    .default(600_000)
    .describe('Time without a call after which the process of a session ends.'),
  idleChildren: count()
    .default(8)
    .describe('Processes kept ready per script at the most; how many there are follows the load.'),
  idleMs: milliseconds()
    .default(10_000)
    .describe('Time without need after which ready processes beyond the first are let go.'),
  recycleAfterCalls: count().default(10_000).describe('Calls after which the warm process of a script is replaced.'),
  recycleAfterMs: milliseconds().default(3_600_000).describe('Age at which the warm process of a script is replaced.'),
  recycleGrowthBytes: bytes()
    .default(64 * 1024 * 1024)
    .describe('Growth in memory at which the warm process of a script is replaced.'),
  allowEnv: z
    .array(z.string().min(1))
    .optional()
    .describe('Environment variables that scripts see, beside a safe list. Not given: all, as under plain Python.'),
  secrets: z
    .array(z.string().min(1))
    .default([])
    .describe(
      'Names of environment variables whose values never appear in logs and errors, beside those that look like secrets.',
    ),
  cacheDir: z
    .string()
    .min(1)
    .optional()
    .describe('Folder for compiled scripts. Not given: the cache folder of the user.'),
  logLevel: z
    .enum(['silent', 'error', 'warn', 'info', 'debug'])
    .default('warn')
    .describe('What is written to the log on stderr.'),
});

export type Settings = z.output<typeof settingsSchema>;
export type SettingsInput = z.input<typeof settingsSchema>;
export type SettingName = keyof Settings;

export const settingNames = Object.keys(settingsSchema.shape) as SettingName[];

/** The limits that a caller may lower for one call. */
export const limitNames = [
  'timeoutMs',
  'cpuMs',
  'memoryBytes',
  'maxOutputBytes',
  'maxCapturedBytes',
  'maxResultBytes',
  'maxOpenFiles',
] as const;
export type Limits = Readonly<Pick<Settings, (typeof limitNames)[number]>>;

export function parseSettings(input: SettingsInput = {}): Settings {
  const parsed = settingsSchema.safeParse(input);
  if (parsed.success) return parsed.data;
  throw settingError(parsed.error);
}

/** The global limits, lowered where the caller asks for less. Asking for more is an error, not a silent cut. */
export function lowerLimits(global: Limits, asked: Partial<Limits> = {}): Limits {
  const limits: Record<string, number> = {};
  for (const name of Object.keys(asked)) {
    if (!limitNames.includes(name as keyof Limits)) throw unknownSetting(name, limitNames);
  }
  for (const name of limitNames) {
    const value = asked[name] ?? global[name];
    const parsed = settingsSchema.shape[name].safeParse(value);
    if (!parsed.success)
      throw new CallerError('INVALID_SETTING', `Limit ${name}: ${parsed.error.issues[0]?.message}`, {
        setting: name,
      });
    if (value > global[name]) {
      throw new CallerError(
        'INVALID_SETTING',
        `Limit ${name}: ${value} is above the global limit of ${global[name]}; a call may only lower it`,
        { setting: name },
      );
    }
    limits[name] = value;
  }
  return limits as unknown as Limits;
}

export function environmentName(setting: SettingName): string {
  return `MCP_EXECUTION_${setting.replace(/[A-Z]/g, (letter) => `_${letter}`).toUpperCase()}`;
}

export function flagName(setting: SettingName): string {
  return `--${setting.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
}

/** Settings found in environment variables, still as the text that was given, turned into what the schema takes. */
export function settingsFromEnvironment(environment: NodeJS.ProcessEnv): SettingsInput {
  const found: Record<string, unknown> = {};
  for (const name of settingNames) {
    const text = environment[environmentName(name)];
    if (text !== undefined && text !== '') found[name] = settingFromText(name, text);
  }
  return found as SettingsInput;
}

/** A flag's or variable's text as the type of its setting; what does not fit is left for the schema to refuse. */
export function settingFromText(name: SettingName, text: string): unknown {
  const sample = settingsSchema.shape[name];
  if (sample.safeParse(text).success) return text;
  if (sample.safeParse([text]).success) return text.split(',').filter((part) => part !== '');
  const number = Number(text.replaceAll('_', ''));
  return text.trim() !== '' && Number.isFinite(number) ? number : text;
}

function settingError(error: z.ZodError): CallerError {
  const issue = error.issues[0];
  if (issue?.code === 'unrecognized_keys') return unknownSetting(issue.keys[0] ?? '', settingNames);
  const setting = String(issue?.path[0] ?? '');
  return new CallerError('INVALID_SETTING', `Setting ${setting}: ${issue?.message ?? 'not allowed'}`, {
    setting,
  });
}

function unknownSetting(name: string, known: readonly string[]): CallerError {
  const near = known.find((candidate) => similar(candidate, name));
  const hint = near ? `; did you mean ${near}?` : `; known are ${known.join(', ')}`;
  return new CallerError('INVALID_SETTING', `Unknown setting ${name}${hint}`, { setting: name });
}

function similar(known: string, given: string): boolean {
  const plain = (text: string) => text.toLowerCase().replace(/[^a-z]/g, '');
  const [a, b] = [plain(known), plain(given)];
  return a === b || (b.length > 3 && (a.startsWith(b) || b.startsWith(a) || a.includes(b)));
}
