import { dirname, relative } from 'node:path';
import type { Limits, Settings } from '../config.js';
import { HostError } from '../errors.js';
import type { Log } from '../log.js';
import { findPython, type Interpreter } from '../python/interpreter.js';
import { scriptEnvironment } from './environment.js';
import { createForkLauncher } from './launch/fork.js';
import type { Launcher } from './launch/launcher.js';
import { createTemplate, type Template } from './launch/template.js';
import { createWarmLauncher } from './launch/warm.js';
import { createPool, type Pool } from './pool.js';
import type { ScriptStatus } from './work.js';

/** A pool per script, the least recently used one given up first; whole scripts share one that has imported nothing. */
export interface Pools {
  get(script: string | undefined): Promise<ReadyPool>;
  status(): ScriptStatus[];
  close(): Promise<void>;
}

export interface ReadyPool {
  readonly pool: Pool;
  readonly interpreter: Interpreter;
}

const anyScript = '';

export function createPools(settings: Settings, limits: Limits, log: Log): Pools {
  const environment = scriptEnvironment(process.env, settings.allowEnv);
  const pools = new Map<string, Promise<ReadyPool>>();
  const ready = new Map<string, ReadyPool>();
  const interpreters = new Map<string, Promise<Interpreter>>();
  const templates = new Map<string, Template>();
  const ending = new Set<Promise<void>>();
  const maxFrameBytes = limits.maxResultBytes + 1024 * 1024;
  let closed = false;

  return {
    get(script = anyScript) {
      if (closed) return Promise.reject(new HostError('CLOSED', 'The engine is closed'));
      const found = pools.get(script);
      if (found) {
        pools.delete(script);
        pools.set(script, found);
        return found;
      }
      const created = create(script);
      pools.set(script, created);
      created.catch(() => pools.delete(script));
      evict();
      return created;
    },
    status: () => [...ready.values()].map(({ pool }) => pool.status()),
    async close() {
      closed = true;
      await Promise.allSettled(pools.values());
      await Promise.all([...ready.values()].map(({ pool }) => pool.close()));
      await Promise.all(ending);
      await Promise.all([...templates.values()].map((template) => template.close()));
    },
  };

  async function create(script: string): Promise<ReadyPool> {
    const interpreter = await interpreterFor(script);
    if (closed) throw new HostError('CLOSED', 'The engine is closed');
    const pool = createPool({
      name: script === anyScript ? '' : relative(process.cwd(), script),
      settings,
      createLauncher: (unsafeReason) => createLauncher(script, interpreter, unsafeReason),
    });
    const made = { pool, interpreter };
    ready.set(script, made);
    return made;
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
    });
    interpreters.set(key, finding);
    finding.catch(() => interpreters.delete(key));
    return finding;
  }

  function createLauncher(script: string, interpreter: Interpreter, unsafeReason: string | undefined): Launcher {
    const spec = { script: script === anyScript ? null : script, limits, importTimeoutMs: settings.importTimeoutMs };
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
    if (pools.size <= settings.maxScripts) return;
    for (const [script] of pools) {
      const unused = ready.get(script);
      if (!unused || unused.pool.busy > 0 || script === anyScript) continue;
      pools.delete(script);
      ready.delete(script);
      const closing = unused.pool.close().finally(() => ending.delete(closing));
      ending.add(closing);
      return;
    }
  }
}
