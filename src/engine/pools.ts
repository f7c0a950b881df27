import { existsSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import type { Limits, Settings } from '../config.js';
import { HostError } from '../errors.js';
import { type Log, reference } from '../log.js';
import { findPython, type Interpreter } from '../python/interpreter.js';
import { createRedactor, type Redactor } from '../redact.js';
import { scriptEnvironment } from './environment.js';
import { cannotFork, engineClosed } from './failure.js';
import { createForkLauncher } from './launch/fork.js';
import type { Launcher } from './launch/launcher.js';
import { createTemplate, type Template } from './launch/template.js';
import { createWarmLauncher } from './launch/warm.js';
import { createPool, type Pool } from './pool.js';
import type { ScriptStatus } from './work.js';

/** A pool per script, the least recently used one given up first; whole scripts share one that has imported nothing. */
export interface Pools {
  get(home?: Home): Promise<ReadyPool>;
  /** The same for a task, during which the pool is not given up. */
  use<T>(home: Home, task: (ready: ReadyPool) => Promise<T>): Promise<T>;
  status(): ScriptStatus[];
  close(): Promise<void>;
}

/** What decides which processes serve a call: the script that they imported, or the folder of one that they did not. */
export interface Home {
  readonly script?: string;
  readonly folder?: string;
}

export interface ReadyPool {
  readonly pool: Pool;
  readonly interpreter: Interpreter;
}

interface Entry {
  readonly creating: Promise<ReadyPool>;
  made?: ReadyPool;
  users: number;
}

const anyScript = '';

export function createPools(settings: Settings, limits: Limits, log: Log): Pools {
  const environment = scriptEnvironment(process.env, settings.allowEnv);
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
    const entry: Entry = { creating: create(home), users: 0 };
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

  /** Whole scripts share processes, but for those with an interpreter of their own beside them. */
  function keyOf({ script, folder }: Home): string {
    if (script !== undefined) return script;
    const hasOwn = folder !== undefined && settings.python === undefined && existsSync(join(folder, '.venv'));
    return hasOwn ? `any script in ${folder}` : anyScript;
  }

  async function create({ script, folder }: Home): Promise<ReadyPool> {
    const interpreter = await interpreterFor(script === undefined ? folder : dirname(script));
    if (closed) throw engineClosed();
    const pool = createPool({
      name: script === undefined ? '' : relative(process.cwd(), script),
      settings,
      createLauncher: (unsafeReason) => createLauncher(script, interpreter, unsafeReason),
    });
    return { pool, interpreter };
  }

  function interpreterFor(scriptDir: string | undefined): Promise<Interpreter> {
    const key = scriptDir ?? '';
    const found = interpreters.get(key);
    if (found) return found;
    const finding = findPython({
      python: settings.python,
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
    script: string | undefined,
    interpreter: Interpreter,
    unsafeReason: string | undefined,
  ): Launcher {
    const spec = { script: script ?? null, limits, importTimeoutMs: settings.importTimeoutMs };
    if (settings.launcher === 'fork' && !interpreter.canFork) throw cannotFork('this system does not fork safely');
    const fork = settings.launcher !== 'warm' && interpreter.canFork && unsafeReason === undefined;
    log.debug('launcher created', { script, launcher: fork ? 'fork' : 'warm', reason: unsafeReason });
    if (!fork) return createWarmLauncher(interpreter, environment, spec, maxFrameBytes);
    return createForkLauncher(templateOf(interpreter), spec, maxFrameBytes);
  }

  function templateOf(interpreter: Interpreter): Template {
    const found = templates.get(interpreter.executable);
    if (found && !found.ended) return found;
    const template = createTemplate(interpreter, environment, log);
    templates.set(interpreter.executable, template);
    return template;
  }

  function evict(): void {
    let surplus = entries.size - Number(entries.has(anyScript)) - settings.maxScripts;
    if (surplus <= 0) return;
    for (const [script, { made, users }] of entries) {
      if (surplus === 0) return;
      if (script === anyScript || !made || users > 0 || made.pool.busy > 0) continue;
      entries.delete(script);
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
