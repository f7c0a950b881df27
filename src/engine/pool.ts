import { availableParallelism } from 'node:os';
import type { Settings } from '../config.js';
import { HostError } from '../errors.js';
import { cancelledBeforeStart, onAbort } from '../queue/abort.js';
import type { Enforced } from '../toolbox.js';
import { type AdmissionTurn, createAdmission, type Pass } from './admission.js';
import { cannotFork, engineClosed } from './failure.js';
import { createGeneration, forksAtOnce, type Generation, isWornOut, type Renewal } from './generation.js';
import { type Launcher, spawnFailed } from './launch/launcher.js';
import type { Worker } from './launch/worker.js';
import type { Profile } from './sandbox.js';
import { type FileStamp, stampFiles } from './stamps.js';
import type { ScriptStatus } from './work.js';

/** Workers of one script, kept ready ahead of calls; how many follows the load. */
export interface Pool {
  /**
   * The longest waiting ready worker, to be used for one call or one session. Nothing where the script has to be imported
   * first: who holds something that others need lets go of it and asks to be admitted.
   */
  take(taking?: Taking): Promise<TakenWorker | undefined>;
  /** Resolves when it makes sense to take, rejects with the reason why the script cannot be imported. */
  admit(turn?: AdmissionTurn): Promise<Pass>;
  /** Resolves when the next call will find a worker ready. */
  warm(mayRenew?: Renewal): Promise<void>;
  /** Imports the script anew; calls under way finish on what they began with. Nothing, where nothing is imported. */
  recycle(): Promise<void>;
  /** Workers handed out and calls that wait for one. */
  readonly busy: number;
  status(): ScriptStatus;
  close(): Promise<void>;
}

export interface Taking {
  readonly signal?: AbortSignal;
  readonly mayRenew?: Renewal;
  /** Of a call that has waited for an import already: it takes what that gave, whatever has changed since. */
  readonly pass?: Pass;
}

/** What has been, for as long as the engine lives. */
export interface Counts {
  calls: number;
  starts: number;
  crashes: number;
}

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
  /** Counted on from here. */
  readonly counts?: Counts;
  /** Whether a file that an import says it has read is to be looked at for changes. */
  mayWatch?(path: string): boolean;
  /** With a reason when forked children would be unsafe. */
  createLauncher(unsafeReason?: string): Launcher;
}

type Waiter = { resolve(worker: TakenWorker | undefined): void; reject(error: Error): void };

const firstTarget = 2;
const processors = availableParallelism();
const maxFailuresInARow = 3;

export function createPool({
  name,
  profile,
  settings,
  counts = { calls: 0, starts: 0, crashes: 0 },
  mayWatch = () => true,
  createLauncher,
}: PoolOptions): Pool {
  const { minIdleChildren, idleChildren, concurrency } = settings;
  const admission = createAdmission();
  /** Those who wait for a worker that is being forked. */
  const waiters: Waiter[] = [];
  const warming: { resolve(): void; reject(error: Error): void }[] = [];
  const generations = new Set<Generation>();
  let current: Generation | undefined;
  let target = Math.max(minIdleChildren, Math.min(firstTarget, idleChildren));
  let leastIdle = 0;
  /** Imports in a row that ended before they gave a worker. */
  let barren = 0;
  /** Why there is no import, for those who were admitted and come too late to have been told. */
  let failure: Error | undefined;
  let closed = false;
  const shrinking = setInterval(shrink, settings.idleMs).unref();

  return {
    take({ signal, mayRenew, pass } = {}) {
      if (closed) return Promise.resolve(undefined);
      if (signal?.aborted) return Promise.reject(cancelledBeforeStart(signal));
      pass?.end();
      if (pass && failure) return Promise.reject(failure);
      const generation = pass && current ? current : freshGeneration(mayRenew);
      const worker = pass || isForSale(generation) ? generation.idle.shift() : undefined;
      leastIdle = Math.min(leastIdle, generation.idle.length);
      if (worker) {
        const taken = hand(generation, worker);
        refill(generation);
        return Promise.resolve(taken);
      }
      if (generation.imported && !pass) target = Math.min(idleChildren, target * 2);
      if (!forksAtOnce(generation)) return Promise.resolve(undefined);
      return new Promise((resolve, reject) => {
        wait(resolve, reject, signal);
        refill(generation);
      });
    },
    async admit(turn = {}) {
      if (closed) return admission.pass();
      const generation = current ?? freshGeneration();
      if (isForSale(generation)) return admission.pass();
      const admitted = admission.wait(turn);
      refill(generation);
      return admitted;
    },
    warm,
    async recycle() {
      if (closed || !current) return;
      retire(current);
      await warm();
    },
    get busy() {
      return working() + waiters.length + admission.size + admission.promised + warming.length;
    },
    status: () => ({
      script: name,
      profile,
      launcher: current?.launcher.kind ?? 'fork',
      ...(current?.reason ? { launcherReason: current.reason } : {}),
      idle: current?.idle.length ?? 0,
      busy: working(),
      ...counts,
    }),
    async close() {
      closed = true;
      clearInterval(shrinking);
      for (const { reject } of warming.splice(0)) reject(engineClosed());
      for (const generation of generations) retire(generation);
      admission.letIn();
      await Promise.all([...generations].map(({ ending }) => ending));
    },
  };

  function warm(mayRenew?: Renewal): Promise<void> {
    if (closed) return Promise.reject(engineClosed());
    const generation = freshGeneration(mayRenew);
    if (generation.idle.length > 0) return Promise.resolve();
    return new Promise((resolve, reject) => {
      warming.push({ resolve, reject });
      refill(generation);
    });
  }

  function working(): number {
    return [...generations].reduce((sum, { busy }) => sum + busy, 0);
  }

  function disappoint(error: Error): void {
    for (const { reject } of [...waiters.splice(0), ...warming.splice(0)]) reject(error);
    admission.refuse(error);
    failure = error;
  }

  /** Whether there is a worker that nobody else has waited for, or one can be had in no time. */
  function isForSale(generation: Generation): boolean {
    return forksAtOnce(generation) || generation.idle.length > admission.promised;
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
    if (current && isWornOut(current, settings, mayRenew)) retire(current);
    current ??= begin();
    return current;
  }

  function begin(reason?: string, files: readonly FileStamp[] = []): Generation {
    failure = undefined;
    const launcher = createLauncher(reason);
    const generation = createGeneration(launcher, reason, files);
    generations.add(generation);
    launcher.onEnd((error) => {
      if (!generation.imported) return;
      if (!generation.retired) counts.crashes++;
      if (generation === current) {
        if (++barren >= maxFailuresInARow) disappoint(error);
        retire(generation);
      }
      if (admission.size + warming.length > 0 && !closed) refill(freshGeneration());
    });
    launcher.ready
      .then((readiness) => {
        generation.imported = true;
        if (readiness.confinement) generation.enforced = readiness.confinement.enforced;
        if (generation.files.length === 0) {
          generation.files = stampFiles(readiness.files.filter(mayWatch), generation.born);
        }
        if (readiness.reason) return replaceByWarm(generation, readiness.reason);
        if (generation !== current) return;
        if (launcher.kind === 'fork') admission.letIn();
        refill(generation);
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
    disappoint(error);
    retire(generation);
  }

  function refill(generation: Generation): void {
    if (closed || generation.retired) return;
    const promised = forksAtOnce(generation) ? 0 : admission.promised;
    const asked = waiters.length + Math.min(admission.size + promised, concurrency);
    const missing = asked + target - generation.idle.length - generation.starting;
    if (missing <= 0) generation.isShort = false;
    const maxStarting = generation.isShort ? 1 : generation.launcher.maxStarting;
    const wanted = Math.min(missing, maxStarting - generation.starting);
    if (wanted <= 0 && generation.starting === 0 && generation.idle.length > 0) admission.letIn();
    for (let i = 0; i < wanted; i++) {
      const isHurried = generation.starting < waiters.length || generation.busy >= processors;
      generation.starting++;
      generation.launcher.launch(isHurried).then(
        (worker) => arrive(generation, worker),
        (error: Error) => miscarry(generation, error),
      );
    }
  }

  function arrive(generation: Generation, worker: Worker): void {
    generation.starting--;
    barren = 0;
    counts.starts++;
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
    admission.letIn(1);
    void worker.gone.then(() => dieIdle(generation, worker));
  }

  /** Replaced at once, unless its like keep dying: then the next call is the one to try again. */
  function dieIdle(generation: Generation, worker: Worker): void {
    const index = generation.idle.indexOf(worker);
    if (index < 0) return;
    generation.idle.splice(index, 1);
    counts.crashes++;
    if (++generation.failures < maxFailuresInARow) refill(generation);
    else if (admission.size > 0) fail(generation, spawnFailed('those made ready for the script end by themselves'));
  }

  /** A launcher that is alive but cannot give a worker is tried again, a few times, or when others have made room. */
  function miscarry(generation: Generation, error: Error): void {
    generation.starting--;
    if (generation.retired || closed) return endIfDone(generation);
    generation.failures++;
    if (isScriptsOwnFault(error)) return fail(generation, error);
    generation.isShort = true;
    if (generation.failures < maxFailuresInARow) return refill(generation);
    if (generation.starting + generation.busy === 0) fail(generation, error);
  }

  function hand(generation: Generation, worker: Worker): TakenWorker {
    generation.failures = 0;
    generation.busy++;
    generation.calls++;
    counts.calls++;
    void worker.gone.then(({ isCrash }) => {
      if (isCrash && !closed) counts.crashes++;
      generation.busy--;
      if (generation.isShort && waiters.length + admission.size > 0) refill(generation);
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
    if (current === generation) {
      current = undefined;
      for (const { resolve } of waiters.splice(0)) resolve(undefined);
    }
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
    const surplus = Math.min(leastIdle, current.idle.length - minIdleChildren);
    leastIdle = current.idle.length;
    if (surplus <= 0) return;
    target = Math.max(minIdleChildren, target - surplus);
    for (const worker of current.idle.splice(0, surplus)) worker.kill();
  }
}

function isScriptsOwnFault(error: Error): boolean {
  return !(error instanceof HostError);
}
