import { existsSync, realpathSync } from 'node:fs';
import { dirname, resolve, sep } from 'node:path';
import type { Settings } from '../config.js';
import { CallerError, HostError } from '../errors.js';
import { type Enforced, type Enforcement, enforcedAreas } from '../toolbox.js';
import { readFields } from './messages.js';

export type Profile = 'trusted' | 'strict';

/** What a strict process is told of its sandbox. */
export type Sandbox = {
  readonly read: readonly string[] | true;
  readonly write: readonly string[] | true;
  readonly net: boolean;
  readonly run: boolean;
  /** The folder of the script, whose files it reads. */
  readonly folder: string | null;
  readonly scratchBytes: number;
  /** Scratch folders with a size that is enforced; more calls than that at once share one such size. */
  readonly slots: number;
  readonly maxProcesses: number;
  readonly importTimeoutMs: number;
  readonly namespaces: Settings['namespaces'];
  readonly required: boolean;
  /** Where the system's own sandbox is wrapped around the process: its scratch folder. */
  readonly scratch?: string;
};

/** For the process that imports, and for those that come while others go. */
const spareSlots = 4;
const onlyStrict = ['allowRead', 'allowWrite', 'allowNet', 'allowRun'] as const;

/** The profile that the settings mean. What says two things at once is refused: nobody can know which was meant. */
export function profileOf(settings: Settings): Profile {
  const given = onlyStrict.find((name) => settings[name] !== undefined && settings[name] !== false);
  if (settings.allowAll && settings.profile === 'strict') {
    throw conflict('allowAll', 'Profile strict and allowAll contradict each other; leave one of them out');
  }
  const profile = settings.allowAll ? 'trusted' : settings.profile;
  if (profile === 'trusted' && given && !settings.allowAll) {
    throw conflict(given, `Setting ${given} is for profile strict; under profile trusted everything is allowed`);
  }
  return profile ?? (given ? 'strict' : 'trusted');
}

export function sandboxOf(
  settings: Settings,
  script: string | undefined,
  folder: string | undefined,
  packages?: string,
): Sandbox {
  const { allowRead = [], allowWrite = [], allowNet, allowRun, scratchBytes, maxProcesses, namespaces } = settings;
  const home = script === undefined ? folder : dirname(realPath(script));
  const given = [script, packages].filter((path) => path !== undefined);
  return {
    read: allowRead === true ? true : [...placesOf('allowRead', allowRead), ...given],
    write: allowWrite === true ? true : placesOf('allowWrite', allowWrite),
    net: allowNet,
    run: allowRun,
    folder: home ?? null,
    scratchBytes,
    slots: settings.idleChildren + settings.concurrency + spareSlots,
    maxProcesses,
    importTimeoutMs: settings.importTimeoutMs,
    namespaces,
    required: settings.enforcement === 'required',
  };
}

/** Whether a path is one that the script was meant to read: what else it names, it has no business to know of. */
export function isReadable({ read, write, folder }: Sandbox): (path: string) => boolean {
  if (read === true || write === true) return () => true;
  const places = [...read, ...write, ...(folder === null ? [] : [folder])];
  return (path) => places.some((place) => path === place || path.startsWith(`${place}${sep}`));
}

/** What a process says of its sandbox, in its first frame and before it has seen any code of the script. */
export interface Confinement {
  readonly enforced: Enforced;
  readonly missing: readonly string[];
}

export function readConfinement(payload: Buffer): Confinement {
  const { enforced, missing, failed } = readFields(payload) ?? {};
  const said = Array.isArray(missing) ? missing.map(String) : [];
  return {
    enforced: readEnforced(enforced),
    missing: typeof failed === 'string' ? [`what its sandbox is made of (${failed})`] : said,
  };
}

/** What limits and isolation alone hold, which a script that means harm can get around in part. */
export const enforcedForTrusted: Enforced = {
  files: 'none',
  network: 'none',
  processes: 'none',
  memory: process.platform === 'linux' ? 'best-effort' : 'none',
  cpu: process.platform === 'win32' ? 'none' : 'enforced',
  disk: 'none',
};

export function sandboxUnavailable(missing: readonly string[]): HostError {
  const what = missing.join('; ');
  const message = `The strict profile cannot be enforced on this machine. Missing: ${what}. With enforcement best-effort the script would run without it`;
  return new HostError('SANDBOX_UNAVAILABLE', message);
}

/** What does not exist cannot be allowed ahead: the kernel allows places, not names. */
function placesOf(setting: 'allowRead' | 'allowWrite', paths: readonly string[]): readonly string[] {
  const places = paths.map((path) => resolve(path));
  const missing = places.find((path) => !existsSync(path));
  if (missing === undefined) return places;
  throw conflict(setting, `Setting ${setting}: ${missing} does not exist; make it first`);
}

function readEnforced(said: unknown): Enforced {
  const fields = (typeof said === 'object' && said !== null ? said : {}) as Record<string, unknown>;
  const entries = enforcedAreas.map((area) => [area, readEnforcement(fields[area])]);
  return Object.fromEntries(entries) as Enforced;
}

function readEnforcement(said: unknown): Enforcement {
  return said === 'enforced' || said === 'best-effort' ? said : 'none';
}

function realPath(script: string): string {
  try {
    return realpathSync(script);
  } catch {
    return script;
  }
}

function conflict(setting: string, message: string): CallerError {
  return new CallerError('INVALID_SETTING', message, { setting });
}
