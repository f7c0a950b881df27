import { existsSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import type { Limits, Settings } from '../config.js';
import { HostError } from '../errors.js';
import { type Log, reference } from '../log.js';
import type { ChosenPython } from '../python/environment-of-script.js';
import { findPython, type Interpreter } from '../python/interpreter.js';
import { createRedactor, type Redactor } from '../redact.js';
import type { AdmissionTurn, Pass } from './admission.js';
import { environmentOf } from './environment.js';
import { cannotFork, engineClosed } from './failure.js';
import { createForkLauncher } from './launch/fork.js';
import { createLauncherInTurn } from './launch/in-turn.js';
import type { Launcher } from './launch/launcher.js';
import { createTemplate, type Template } from './launch/template.js';
import { createWarmLauncher } from './launch/warm.js';
import { type Counts, createPool, type Pool } from './pool.js';
import { isReadable, type Profile, profileOf, sandboxOf } from './sandbox.js';
import { createTenants } from './tenants.js';
import type { EngineStatus, WhoseProcesses } from './work.js';

/** A pool per script, the least recently used one given up first; whole scripts share one that has imported nothing. */
export interface Pools {
  get(home?: Home): Promise<ReadyPool>;
  /** The same for calls that are served by the same processes. */
  keyOf(home: Home): string;
  /** The same for a task, during which the pool is not given up. */
  use<T>(home: Home, task: (ready: ReadyPool) => Promise<T>): Promise<T>;
  /** The same without waiting: nothing where the pool has to be made first. */
  useMade<T>(home: Home, task: (ready: ReadyPool) => Promise<T>): Promise<T | undefined>;
  /** Waits until a call of that home makes sense to be tried. As many of one tenant may wait as in the queue. */
  admit(home: Home, turn: AdmissionTurn): Promise<Pass>;
  /** Calls that wait to be admitted. */
  readonly waiting: number;
  recycle(whose?: WhoseProcesses): Promise<void>;
  /** Ends pools; calls that wait for them are served by new ones. */
  end(keys: ReadonlySet<string>): Promise<void>;
  keysOf(whose?: WhoseProcesses): ReadonlySet<string>;
  status(whose?: WhoseProcesses): Pick<EngineStatus, 'starts' | 'crashes' | 'scripts'>;
  close(): Promise<void>;
}

/** What decides which processes serve a call: the script that they imported, or the folder of one that they did not. */
export interface Home {
  readonly script?: string;
  readonly folder?: string;
  /** Not given: the profile of the settings. */
  readonly profile?: Profile;
  readonly tenant?: string;
  readonly group?: string;
  /** Not given: the interpreter of the settings, or the one beside the script. */
  readonly python?: ChosenPython;
}

export interface ReadyPool {
  readonly pool: Pool;
  readonly interpreter: Interpreter;
}

interface Entry {
  readonly home: Home;
  readonly counts: Counts;
  /** Its processes have imported nothing and serve whatever script of nobody in particular comes; it is never given up. */
  readonly isBlank: boolean;
  readonly creating: Promise<ReadyPool>;
  made?: ReadyPool;
  users: number;
}

/** Scripts that were given up and whose counts go on when they are called again. */
const maxRemembered = 1000;

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
  const tenants = createTenants(settings);
  const givenUp = new Map<string, Pick<Entry, 'home' | 'counts'>>();
  const maxFrameBytes = Math.max(limits.maxResultBytes, limits.maxOutputBytes) + 1024 * 1024;
  let closed = false;

  return {
    async get(home = {}) {
      return entryOf(home).creating;
    },
    keyOf,
    use: async (home, task) => usedFor(entryOf(home), task),
    async useMade(home, task) {
      if (closed) throw engineClosed();
      const key = keyOf(home);
      const entry = entries.get(key);
      return entry?.made ? usedFor(recentlyUsed(key, entry), task) : undefined;
    },
    admit: (home, turn) => tenants.wait(home.tenant, () => usedFor(entryOf(home), ({ pool }) => pool.admit(turn))),
    get waiting() {
      return tenants.waiting;
    },
    async recycle(whose) {
      const meant = [...entries.values()].filter(({ home }) => isMeant(home, whose));
      await Promise.all(meant.map((entry) => usedFor(entry, ({ pool }) => pool.recycle())));
    },
    async end(keys) {
      await Promise.all([...keys].map(giveUp));
    },
    keysOf: (whose) => new Set([...entries].filter(([, { home }]) => isMeant(home, whose)).map(([key]) => key)),
    status(whose) {
      const alive = [...entries.values()].filter(({ home }) => isMeant(home, whose));
      const all = [...alive, ...[...givenUp.values()].filter(({ home }) => isMeant(home, whose))];
      return {
        starts: all.reduce((sum, { counts }) => sum + counts.starts, 0),
        crashes: all.reduce((sum, { counts }) => sum + counts.crashes, 0),
        scripts: alive.flatMap(({ made }) => (made ? [made.pool.status()] : [])),
      };
    },
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
    if (found) return recentlyUsed(key, found);
    const { tenant, group, python } = home;
    const isBlank = isShared(home) && tenant === undefined && group === undefined && python === undefined;
    const counts = givenUp.get(key)?.counts ?? { calls: 0, starts: 0, crashes: 0 };
    givenUp.delete(key);
    const entry: Entry = { home, counts, creating: create(home, counts), users: 0, isBlank };
    entries.set(key, entry);
    entry.creating.then(
      (made) => {
        entry.made = made;
      },
      () => {
        if (entries.get(key) === entry) entries.delete(key);
      },
    );
    evict();
    return entry;
  }

  function recentlyUsed(key: string, entry: Entry): Entry {
    entries.delete(key);
    entries.set(key, entry);
    return entry;
  }

  async function usedFor<T>(entry: Entry, task: (ready: ReadyPool) => Promise<T>): Promise<T> {
    entry.users++;
    try {
      return await task(entry.made ?? (await entry.creating));
    } catch (error) {
      throw referred(error, log);
    } finally {
      entry.users--;
      evict();
    }
  }

  function keyOf(home: Home): string {
    const { script, folder, profile = ownProfile, tenant, group, python } = home;
    const owner = [profile, tenant ?? null, group ?? null, python ?? null];
    if (script !== undefined) return JSON.stringify([...owner, script]);
    return JSON.stringify([...owner, null, isShared(home) ? null : folder]);
  }

  /** Whole scripts share processes, but for those with an interpreter, or with files to read, of their own beside them. */
  function isShared({ script, folder, profile = ownProfile, python = settings.python }: Home): boolean {
    if (script !== undefined) return false;
    if (folder === undefined) return true;
    return profile === 'trusted' && (python !== undefined || !existsSync(join(folder, '.venv')));
  }

  async function create(home: Home, counts: Counts): Promise<ReadyPool> {
    const { script, folder, profile = ownProfile, tenant, python } = home;
    const beside = script === undefined ? folder : dirname(script);
    const { executable, packages } = typeof python === 'object' ? python : { executable: python, packages: undefined };
    // What stands beside a script that is not trusted is not run outside its sandbox, an interpreter least of all.
    const interpreter = await interpreterFor(profile === 'strict' ? undefined : beside, executable);
    if (closed) throw engineClosed();
    const pool = createPool({
      name: script === undefined ? '' : relative(process.cwd(), script),
      profile,
      settings,
      counts,
      ...(profile === 'strict' ? { mayWatch: isReadable(sandboxOf(settings, script, folder)) } : {}),
      createLauncher: (unsafeReason) =>
        createLauncher({ script, folder, profile, tenant, packages }, interpreter, unsafeReason),
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
    { script, folder, profile, tenant, packages }: Home & { profile: Profile; packages?: string },
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
    const create = () => createForkLauncher(templateOf(interpreter, profile), spec, maxFrameBytes);
    return script === undefined ? create() : createLauncherInTurn(tenants.importsOf(tenant), create);
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
      surplus--;
      void giveUp(key);
    }
  }

  async function giveUp(key: string): Promise<void> {
    const entry = entries.get(key);
    if (!entry) return;
    entries.delete(key);
    remember(key, entry);
    const closing = entry.creating
      .then(
        ({ pool }) => pool.close(),
        () => {},
      )
      .finally(() => ending.delete(closing));
    ending.add(closing);
    await closing;
  }

  function remember(key: string, { home, counts }: Entry): void {
    givenUp.set(key, { home, counts });
    const [oldest] = givenUp.keys();
    if (givenUp.size > maxRemembered && oldest !== undefined) givenUp.delete(oldest);
  }
}

function isMeant(home: Home, { script, group }: WhoseProcesses = {}): boolean {
  return (script === undefined || home.script === script) && (group === undefined || home.group === group);
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
