import { dirname, relative } from 'node:path';
import type { Limits, Settings } from '../config.js';
import { HostError } from '../errors.js';
import type { Log } from '../log.js';
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
  get(script: string | undefined): Promise<ReadyPool>;
  /** The same for a task, during which the pool is not given up. */
  use<T>(script: string | undefined, task: (ready: ReadyPool) => Promise<T>): Promise<T>;
  status(): ScriptStatus[];
  close(): Promise<void>;
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
  const maxFrameBytes = limits.maxResultBytes + 1024 * 1024;
  let closed = false;

  return {
    async get(script = anyScript) {
      return entryOf(script).creating;
    },
    async use(script = anyScript, task) {
      const entry = entryOf(script);
      entry.users++;
      try {
        return await task(entry.made ?? (await entry.creating));
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
  function entryOf(script: string): Entry {
    if (closed) throw engineClosed();
    const found = entries.get(script);
    if (found) {
      entries.delete(script);
      entries.set(script, found);
      return found;
    }
    const entry: Entry = { creating: create(script), users: 0 };
    entries.set(script, entry);
    entry.creating.then(
      (made) => {
        entry.made = made;
      },
      () => entries.delete(script),
    );
    evict();
    return entry;
  }

  async function create(script: string): Promise<ReadyPool> {
    const interpreter = await interpreterFor(script);
    if (closed) throw engineClosed();
    const pool = createPool({
      name: script === anyScript ? '' : relative(process.cwd(), script),
      settings,
      createLauncher: (unsafeReason) => createLauncher(script, interpreter, unsafeReason),
    });
    return { pool, interpreter };
  }

  function interpreterFor(script: string): Promise<Interpreter> {
    const scriptDir = script === anyScript ? undefined : dirname(script);
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

  function createLauncher(script: string, interpreter: Interpreter, unsafeReason: string | undefined): Launcher {
    const spec = { script: script === anyScript ? null : script, limits, importTimeoutMs: settings.importTimeoutMs };
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
