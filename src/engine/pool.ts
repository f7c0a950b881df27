import type { Settings } from '../config.js';
import { HostError } from '../errors.js';
import type { Enforced } from '../toolbox.js';
import { onAbort } from './abort.js';
import { cancelledBeforeStart, cannotFork, engineClosed } from './failure.js';
import type { Launcher } from './launch/launcher.js';
import type { Worker } from './launch/worker.js';
import { enforcedForTrusted, type Profile } from './sandbox.js';
import { type FileStamp, haveChanged, stampFiles } from './stamps.js';
import type { ScriptStatus } from './work.js';

/** Workers of one script, kept ready ahead of calls; how many follows the load. */
export interface Pool {
  /** The longest waiting ready worker, to be used for one call or one session. */
  take(signal?: AbortSignal, mayRenew?: Renewal): Promise<TakenWorker>;
  /** Resolves when the next call will find a worker ready. */
  warm(mayRenew?: Renewal): Promise<void>;
  /** Workers handed out and calls that wait for one. */
  readonly busy: number;
  status(): ScriptStatus;
  close(): Promise<void>;
}

/** Asked where a file has changed: whether it is to be imported again. */
export type Renewal = () => boolean;

export interface TakenWorker {
  readonly worker: Worker;
  readonly launcher: 'fork' | 'warm';
  readonly launcherReason?: string;
  readonly profile: Profile;
  readonly enforced: Enforced;
}

export interface PoolOptions {
  readonly name: string;
  readonly profile: Profile;
  readonly settings: Settings;
  /** Whether a file that an import says it has read is to be looked at for changes. */
  mayWatch?(path: string): boolean;
  /** With a reason when forked children would be unsafe. */
  createLauncher(unsafeReason?: string): Launcher;
}

type Waiter = { resolve(worker: TakenWorker): void; reject(error: Error): void };

/** One import of the script and the workers that came from it. */
interface Generation {
  readonly launcher: Launcher;
  readonly reason: string | undefined;
  readonly born: number;
  readonly idle: Worker[];
  files: readonly FileStamp[];
  imported: boolean;
  enforced: Enforced;
  starting: number;
  busy: number;
  calls: number;
  retired: boolean;
  /** Workers that died unused since the last one that was handed out. */
  failures: number;
  ending: Promise<void> | undefined;
}

const firstTarget = 2;
const maxFailuresInARow = 3;

export function createPool({ name, profile, settings, mayWatch = () => true, createLauncher }: PoolOptions): Pool {
  const waiters: Waiter[] = [];
  const warming: { resolve(): void; reject(error: Error): void }[] = [];
  const generations = new Set<Generation>();
  let current: Generation | undefined;
  let target = Math.min(firstTarget, settings.idleChildren);
  let leastIdle = 0;
  let calls = 0;
  /** Imports in a row that ended before they gave a worker. */
  let barren = 0;
  let closed = false;
  const shrinking = setInterval(shrink, settings.idleMs).unref();

  return {
    take(signal, mayRenew) {
      if (closed) return Promise.reject(engineClosed());
      if (signal?.aborted) return Promise.reject(cancelledBeforeStart(signal));
      const generation = freshGeneration(mayRenew);
      const worker = generation.idle.shift();
      leastIdle = Math.min(leastIdle, generation.idle.length);
      if (worker) {
        const taken = hand(generation, worker);
        refill(generation);
        return Promise.resolve(taken);
      }
      if (generation.imported) target = Math.min(settings.idleChildren, target * 2);
      return new Promise((resolve, reject) => {
        wait(resolve, reject, signal);
        refill(generation);
      });
    },
    warm(mayRenew) {
      if (closed) return Promise.reject(engineClosed());
      const generation = freshGeneration(mayRenew);
      if (generation.idle.length > 0) return Promise.resolve();
      return new Promise((resolve, reject) => {
        warming.push({ resolve, reject });
        refill(generation);
      });
    },
    get busy() {
      return working() + waiters.length + warming.length;
    },
    status: () => ({
      script: name,
      profile,
      launcher: current?.launcher.kind ?? 'fork',
      ...(current?.reason ? { launcherReason: current.reason } : {}),
      idle: current?.idle.length ?? 0,
      busy: working(),
      calls,
    }),
    async close() {
      closed = true;
      clearInterval(shrinking);
      disappoint(engineClosed());
      for (const generation of generations) retire(generation);
      await Promise.all([...generations].map(({ ending }) => ending));
    },
  };

  function working(): number {
    return [...generations].reduce((sum, { busy }) => sum + busy, 0);
  }

  function disappoint(error: Error): void {
    for (const { reject } of [...waiters.splice(0), ...warming.splice(0)]) reject(error);
  }

  function wait(resolve: Waiter['resolve'], reject: Waiter['reject'], signal?: AbortSignal): void {
    const stopWatching = onAbort(signal, () => {
      waiters.splice(waiters.indexOf(waiter), 1);
      reject(cancelledBeforeStart(signal));
    });
    const waiter: Waiter = {
      resolve(taken) {
        stopWatching();
        resolve(taken);
      },
      reject(error) {
        stopWatching();
        reject(error);
      },
    };
    waiters.push(waiter);
  }

  function freshGeneration(mayRenew?: Renewal): Generation {
    if (current && isWornOut(current, mayRenew)) retire(current);
    current ??= begin();
    return current;
  }

  function isWornOut(generation: Generation, mayRenew: Renewal = () => true): boolean {
    return (
      generation.calls >= settings.recycleAfterCalls ||
      Date.now() - generation.born > settings.recycleAfterMs ||
      generation.launcher.growthBytes > settings.recycleGrowthBytes ||
      (haveChanged(generation.files) && mayRenew())
    );
  }

  function begin(reason?: string, files: readonly FileStamp[] = []): Generation {
    const launcher = createLauncher(reason);
    const generation: Generation = {
      launcher,
      reason,
      files,
      born: Date.now(),
      idle: [],
      imported: false,
      enforced: enforcedForTrusted,
      starting: 0,
      busy: 0,
      calls: 0,
      retired: false,
      failures: 0,
      ending: undefined,
    };
    generations.add(generation);
    launcher.onEnd((error) => {
      if (!generation.imported) return;
      if (generation === current) {
        retire(generation);
        if (++barren >= maxFailuresInARow) disappoint(error);
      }
      if (waiters.length + warming.length > 0 && !closed) refill(freshGeneration());
    });
    launcher.ready
      .then((readiness) => {
        generation.imported = true;
        if (readiness.confinement) generation.enforced = readiness.confinement.enforced;
        if (generation.files.length === 0) {
          generation.files = stampFiles(readiness.files.filter(mayWatch), generation.born);
        }
        if (readiness.reason) replaceByWarm(generation, readiness.reason);
      })
      .catch((error: Error) => fail(generation, error));
    return generation;
  }

  /** The import showed that forking is unsafe: the same script, the same files, another launcher. */
  function replaceByWarm(generation: Generation, reason: string): void {
    if (generation !== current) return;
    if (settings.launcher === 'fork') return fail(generation, cannotFork(reason));
    retire(generation);
    current = begin(reason, generation.files);
    refill(current);
  }

  function fail(generation: Generation, error: Error): void {
    if (generation !== current) return;
    retire(generation);
    disappoint(error);
  }

  function refill(generation: Generation): void {
    if (closed || generation.retired) return;
    const missing = waiters.length + target - generation.idle.length - generation.starting;
    const wanted = Math.min(missing, generation.launcher.maxStarting - generation.starting);
    for (let i = 0; i < wanted; i++) {
      generation.starting++;
      generation.launcher.launch().then(
        (worker) => arrive(generation, worker),
        (error: Error) => miscarry(generation, error),
      );
    }
  }

  function arrive(generation: Generation, worker: Worker): void {
    generation.starting--;
    barren = 0;
    if (generation.retired || closed) {
      worker.kill();
      return endIfDone(generation);
    }
    const waiter = waiters.shift();
    if (waiter) waiter.resolve(hand(generation, worker));
    else keepIdle(generation, worker);
    refill(generation);
  }

  function keepIdle(generation: Generation, worker: Worker): void {
    generation.idle.push(worker);
    for (const { resolve } of warming.splice(0)) resolve();
    void worker.gone.then(() => dieIdle(generation, worker));
  }

  /** Replaced at once, unless its like keep dying: then the next call is the one to try again. */
  function dieIdle(generation: Generation, worker: Worker): void {
    const index = generation.idle.indexOf(worker);
    if (index < 0) return;
    generation.idle.splice(index, 1);
    if (++generation.failures < maxFailuresInARow) refill(generation);
  }

  /** A launcher that is alive but cannot give a worker is tried again, a few times. */
  function miscarry(generation: Generation, error: Error): void {
    generation.starting--;
    if (generation.retired || closed) return endIfDone(generation);
    generation.failures++;
    if (isScriptsOwnFault(error) || generation.failures >= maxFailuresInARow) return fail(generation, error);
    refill(generation);
  }

  function hand(generation: Generation, worker: Worker): TakenWorker {
    generation.failures = 0;
    generation.busy++;
    generation.calls++;
    calls++;
    void worker.gone.then(() => {
      generation.busy--;
      endIfDone(generation);
    });
    return {
      worker,
      launcher: generation.launcher.kind,
      profile,
      enforced: generation.enforced,
      ...(generation.reason ? { launcherReason: generation.reason } : {}),
    };
  }

  function retire(generation: Generation): void {
    generation.retired = true;
    if (current === generation) current = undefined;
    for (const worker of generation.idle.splice(0)) worker.kill();
    endIfDone(generation);
  }

  /** A retired generation lives until its last call is over. */
  function endIfDone(generation: Generation): void {
    if (!generation.retired || (!closed && generation.busy > 0)) return;
    generation.ending ??= generation.launcher.close().finally(() => generations.delete(generation));
  }

  function shrink(): void {
    if (!current) return;
    const surplus = Math.min(leastIdle, current.idle.length - 1);
    leastIdle = current.idle.length;
    if (surplus <= 0) return;
    target = Math.max(1, target - surplus);
    for (const worker of current.idle.splice(0, surplus)) worker.kill();
  }
}

function isScriptsOwnFault(error: Error): boolean {
  return !(error instanceof HostError);
}
