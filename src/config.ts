import * as z from 'zod';
import { CallerError } from './errors.js';
import { createSettingFamily, settingError, type Unchecked, unknownSetting } from './settings.js';

export type { SettingKind } from './settings.js';

const bytes = () => z.int().positive();
/** A timer that is set for longer goes off at once. */
const longestTimerMs = 2 ** 31 - 1;
const milliseconds = () => z.int().positive().max(longestTimerMs);
const count = () => z.int().positive();
/** A list of what is allowed, or true for all of it. */
const someOrAll = () =>
  z.union([z.array(z.string().min(1)).readonly(), z.literal(true)], 'expected a list, or true for all');

/** The one source of settings, defaults, environment names, CLI flags, the editor's JSON Schema and docs/settings.md. */
export const settingsSchema = z.strictObject({
  python: z
    .string()
    .min(1)
    .optional()
    .describe(
      'The Python interpreter to use: a path, a command name, or the folder of a virtual environment. Not given: the active virtual environment, .venv beside the script (not under strict), python3, python; the first that is new enough.',
    ),
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
      'fork: processes forked ahead, and scripts that cannot be forked are refused. warm: interpreters started ahead. auto: fork where the machine and the script permit it, else warm.',
    ),
  profile: z
    .enum(['trusted', 'strict'])
    .optional()
    .describe(
      'trusted: limits and isolation only. strict: a sandbox that reads the folder of the script and Python itself, writes a scratch folder, and has no network and no processes, beside what is allowed. Not given: strict where a file, network or process permission is, else trusted.',
    ),
  allowRead: someOrAll().optional().describe('strict: files and folders that scripts may read. Without a value: all.'),
  allowWrite: someOrAll()
    .optional()
    .describe('strict: files and folders that scripts may read and change. Without a value: all.'),
  allowNet: z.boolean().default(false).describe('strict: TCP and UDP work.'),
  allowRun: z.boolean().default(false).describe('strict: scripts may start processes.'),
  allowEnv: someOrAll()
    .optional()
    .describe(
      'Environment variables that scripts see, beside a safe list. Without a value: all. Not given: none under strict, all under trusted.',
    ),
  allowAll: z.boolean().default(false).describe('Everything is allowed: the same as profile trusted.'),
  enforcement: z
    .enum(['required', 'best-effort'])
    .default('required')
    .describe(
      'required: what this machine cannot enforce of the strict profile is a reason to refuse. best-effort: enforce what can be, and say in the figures what was.',
    ),
  namespaces: z
    .enum(['auto', 'off'])
    .default('auto')
    .describe('auto: strict scripts run in namespaces of their own where the kernel permits. off: without them.'),
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
    .describe('Size of the returned value as JSON, and of the files that come with it as base64.'),
  previewBytes: bytes()
    .min(256)
    .default(64 * 1024)
    .describe('Size beyond which a result is shown to an MCP client as a preview, with the whole as a resource.'),
  maxOpenFiles: count().min(32).default(1024).describe('Files that the process of a call may hold open.'),
  maxProcesses: count()
    .min(8)
    .default(64)
    .describe('strict: processes and threads that the calls of a script may have at once.'),
  scratchBytes: bytes()
    .min(1024 * 1024)
    .default(64 * 1024 * 1024)
    .describe('strict: size of the scratch folder of a call.'),
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
  minIdleChildren: count()
    .default(1)
    .describe('Processes kept ready per script however quiet it is; no more than idleChildren.'),
  idleMs: milliseconds()
    .default(10_000)
    .describe('Time without need after which ready processes beyond minIdleChildren are let go.'),
  recycleAfterCalls: count().default(10_000).describe('Calls after which the warm process of a script is replaced.'),
  recycleAfterMs: milliseconds().default(3_600_000).describe('Age at which the warm process of a script is replaced.'),
  recycleGrowthBytes: bytes()
    .default(64 * 1024 * 1024)
    .describe('Growth in memory at which the warm process of a script is replaced.'),
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
  logFile: z.string().min(1).optional().describe('A file that the log is added to as well, one JSON object per line.'),
  installPackages: z
    .enum(['wheels', 'builds', 'off'])
    .default('wheels')
    .describe(
      'Packages that a script asks for (inline metadata, requirements.txt). wheels: installed where no code has to run for it. builds: packages without a wheel are built, which runs their code. off: nothing is installed.',
    ),
});

export type Settings = z.output<typeof settingsSchema>;
export type SettingsInput = z.input<typeof settingsSchema>;
export type SettingName = keyof Settings;

export type UncheckedSettings = Unchecked<typeof settingsSchema>;

/** What variables of the gateway's own settings begin with. */
export const gatewayEnvironmentPrefix = 'MCP_EXECUTION_GATEWAY_';
/** The same of the settings of code execution. */
export const codeEnvironmentPrefix = 'MCP_EXECUTION_CODE_';

export const settingFamily = createSettingFamily(settingsSchema, {
  environmentPrefix: 'MCP_EXECUTION_',
  othersPrefixes: [gatewayEnvironmentPrefix, codeEnvironmentPrefix],
});

export const {
  names: settingNames,
  environmentName,
  flagName,
  kindOf: kindOfSetting,
  fromText: settingFromText,
  fromEnvironment: settingsFromEnvironment,
  parse: parseSettings,
} = settingFamily;

/** The limits that a caller may lower for one call; what else is given with them is left out. */
const limitsSchema = z.object(
  settingsSchema.pick({
    timeoutMs: true,
    cpuMs: true,
    memoryBytes: true,
    maxOutputBytes: true,
    maxCapturedBytes: true,
    maxResultBytes: true,
    maxOpenFiles: true,
  }).shape,
);
export type Limits = Readonly<z.output<typeof limitsSchema>>;
export type LimitName = keyof Limits;

export const limitNames: readonly LimitName[] = limitsSchema.keyof().options;

/** The global limits, lowered where the caller asks for less. Asking for more is an error, not a silent cut. */
export function lowerLimits(global: Limits, asked: Partial<Limits> = {}): Limits {
  const given = Object.entries(asked).filter(([, value]) => value !== undefined);
  for (const [name] of given) {
    if (!limitNames.some((known) => known === name)) throw unknownSetting(name, limitNames);
  }
  const parsed = limitsSchema.safeParse({ ...global, ...Object.fromEntries(given) });
  if (!parsed.success) throw settingError(parsed.error, asked, settingNames);
  for (const name of limitNames) {
    if (parsed.data[name] > global[name]) throw raisedLimit(name, parsed.data[name], global[name]);
  }
  return parsed.data;
}

function raisedLimit(name: LimitName, asked: number, global: number): CallerError {
  const message = `Limit ${name}: ${asked} is above the global limit of ${global}; a call may only lower it`;
  return new CallerError('INVALID_SETTING', message, { setting: name });
}
