import { existsSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import type { Limits, Settings } from '../config.js';
import { HostError } from '../errors.js';
import { type Log, reference } from '../log.js';
import type { ChosenPython } from '../python/environment-of-script.js';
import { findPython, type Interpreter } from '../python/interpreter.js';
import { createRedactor, type Redactor } from '../redact.js';
import { environmentOf } from './environment.js';
import { cannotFork, engineClosed } from './failure.js';
import { createForkLauncher } from './launch/fork.js';
import type { Launcher } from './launch/launcher.js';
import { createTemplate, type Template } from './launch/template.js';
import { createWarmLauncher } from './launch/warm.js';
import { createPool, type Pool } from './pool.js';
import { isReadable, type Profile, profileOf, sandboxOf } from './sandbox.js';
import type { ScriptStatus } from './work.js';

/** A pool per script, the least recently used one given up first; whole scripts share one that has imported nothing. */
export interface Pools {
  get(home?: Home): Promise<ReadyPool>;
  /** The same for calls that are served by the same processes. */
  keyOf(home: Home): string;
  /** The same for a task, during which the pool is not given up. */
  use<T>(home: Home, task: (ready: ReadyPool) => Promise<T>): Promise<T>;
  status(): ScriptStatus[];
  close(): Promise<void>;
}

/** What decides which processes serve a call: the script that they imported, or the folder of one that they did not. */
export interface Home {
  readonly script?: string;
  readonly folder?: string;
  /** Not given: the profile of the settings. */
  readonly profile?: Profile;
  readonly tenant?: string;
  /** Not given: the interpreter of the settings, or the one beside the script. */
  readonly python?: ChosenPython;
}

export interface ReadyPool {
  readonly pool: Pool;
  readonly interpreter: Interpreter;
}

interface Entry {
  /** Its processes have imported nothing and serve whatever script of nobody in particular comes; it is never given up. */
  readonly isBlank: boolean;
  readonly creating: Promise<ReadyPool>;
  made?: ReadyPool;
  users: number;
}

export function createPools(settings: Settings, limits: Limits, log: Log): Pools {
  const ownProfile = profileOf(settings);
  const environments = {
    trusted: environmentOf('trusted', settings.allowEnv),
    strict: environmentOf('strict', settings.allowEnv),
  };
  const redactor = createRedactor(process.env, settings.secrets);
  const entries = new Map<string, Entry>();
  const interpreters = new Map<string, Promise<Interpreter>>();
  const templates = new Map<string, Template>();
  const ending = new Set<Promise<void>>();
  const maxFrameBytes = Math.max(limits.maxResultBytes, limits.maxOutputBytes) + 1024 * 1024;
  let closed = false;

  return {
    async get(home = {}) {
      return entryOf(home).creating;
    },
    keyOf,
    async use(home, task) {
      const entry = entryOf(home);
      entry.users++;
      try {
        return await task(entry.made ?? (await entry.creating));
      } catch (error) {
        throw referred(error, log);
      } finally {
        entry.users--;
        evict();
      }
    },
    status: () => [...entries.values()].flatMap(({ made }) => (made ? [made.pool.status()] : [])),
    async close() {
      closed = true;
      const created = await Promise.allSettled([...entries.values()].map(({ creating }) => creating));
      await Promise.all(created.map((entry) => entry.status === 'fulfilled' && entry.value.pool.close()));
      await Promise.all(ending);
      await Promise.all([...templates.values()].map((template) => template.close()));
    },
  };

  /** The entry of a script, from now on the most recently used one. */
  function entryOf(home: Home): Entry {
    if (closed) throw engineClosed();
    const key = keyOf(home);
    const found = entries.get(key);
    if (found) {
      entries.delete(key);
      entries.set(key, found);
      return found;
    }
    const isBlank = isShared(home) && home.tenant === undefined && home.python === undefined;
    const entry: Entry = { creating: create(home), users: 0, isBlank };
    entries.set(key, entry);
    entry.creating.then(
      (made) => {
        entry.made = made;
      },
      () => entries.delete(key),
    );
    evict();
    return entry;
  }

  function keyOf(home: Home): string {
    const { script, folder, profile = ownProfile, tenant, python } = home;
    const owner = [profile, tenant ?? null, python ?? null];
    if (script !== undefined) return JSON.stringify([...owner, script]);
    return JSON.stringify([...owner, null, isShared(home) ? null : folder]);
  }

  /** Whole scripts share processes, but for those with an interpreter, or with files to read, of their own beside them. */
  function isShared({ script, folder, profile = ownProfile, python = settings.python }: Home): boolean {
    if (script !== undefined) return false;
    if (folder === undefined) return true;
    return profile === 'trusted' && (python !== undefined || !existsSync(join(folder, '.venv')));
  }

  async function create({ script, folder, profile = ownProfile, python }: Home): Promise<ReadyPool> {
    const beside = script === undefined ? folder : dirname(script);
    const { executable, packages } = typeof python === 'object' ? python : { executable: python, packages: undefined };
    // What stands beside a script that is not trusted is not run outside its sandbox, an interpreter least of all.
    const interpreter = await interpreterFor(profile === 'strict' ? undefined : beside, executable);
    if (closed) throw engineClosed();
    const pool = createPool({
      name: script === undefined ? '' : relative(process.cwd(), script),
      profile,
      settings,
      ...(profile === 'strict' ? { mayWatch: isReadable(sandboxOf(settings, script, folder)) } : {}),
      createLauncher: (unsafeReason) =>
        createLauncher({ script, folder, profile, packages }, interpreter, unsafeReason),
    });
    return { pool, interpreter };
  }

  function interpreterFor(scriptDir: string | undefined, python = settings.python): Promise<Interpreter> {
    const key = JSON.stringify([scriptDir, python]);
    const found = interpreters.get(key);
    if (found) return found;
    const finding = findPython({
      python,
      scriptDir,
      environment: process.env,
      cacheDir: settings.cacheDir,
    }).catch((error: unknown) => {
      throw withoutSecrets(error, redactor);
    });
    interpreters.set(key, finding);
    finding.catch(() => interpreters.delete(key));
    return finding;
  }

  function createLauncher(
    { script, folder, profile, packages }: Home & { profile: Profile; packages?: string },
    interpreter: Interpreter,
    unsafeReason: string | undefined,
  ): Launcher {
    const sandbox = profile === 'strict' ? sandboxOf(settings, script, folder, packages) : null;
    const { importTimeoutMs } = settings;
    const spec = { script: script ?? null, packages: packages ?? null, limits, importTimeoutMs, sandbox };
    if (settings.launcher === 'fork' && !interpreter.canFork) throw cannotFork('this system does not fork safely');
    const fork = settings.launcher !== 'warm' && interpreter.canFork && unsafeReason === undefined;
    log.debug('launcher created', { script, launcher: fork ? 'fork' : 'warm', reason: unsafeReason });
    if (!fork) return createWarmLauncher(interpreter, environments[profile], spec, maxFrameBytes);
    return createForkLauncher(templateOf(interpreter, profile), spec, maxFrameBytes);
  }

  /** Profiles have templates of their own: nothing that a strict script must not see is in the memory it comes from. */
  function templateOf(interpreter: Interpreter, profile: Profile): Template {
    const key = JSON.stringify([interpreter.executable, profile]);
    const found = templates.get(key);
    if (found && !found.ended) return found;
    const template = createTemplate(interpreter, environments[profile], log, profile === 'strict');
    templates.set(key, template);
    return template;
  }

  function evict(): void {
    const blanks = [...entries.values()].filter(({ isBlank }) => isBlank).length;
    let surplus = entries.size - blanks - settings.maxScripts;
    if (surplus <= 0) return;
    for (const [key, { made, users, isBlank }] of entries) {
      if (surplus === 0) return;
      if (isBlank || !made || users > 0 || made.pool.busy > 0) continue;
      entries.delete(key);
      surplus--;
      const closing = made.pool.close().finally(() => ending.delete(closing));
      ending.add(closing);
    }
  }
}

/** What the host says of itself may quote a path or a setting that holds a secret. */
function withoutSecrets(error: unknown, redactor: Redactor): unknown {
  if (!(error instanceof HostError)) return error;
  const { code, message, details } = error;
  return new HostError(code, redactor.text(message), { ...details, tried: details.tried?.map(redactor.text) });
}

/** A failure to start is shown with a reference; what is known of it stands in the log under the same. */
function referred(error: unknown, log: Log): unknown {
  if (!(error instanceof HostError) || error.code !== 'SPAWN_FAILED' || error.details.reference) return error;
  const { code, message, details, cause } = error;
  const id = reference();
  log.error('process not started', { reference: id, detail: message, complaint: cause });
  return new HostError(code, `${message} (reference ${id})`, { ...details, reference: id }, { cause });
}
