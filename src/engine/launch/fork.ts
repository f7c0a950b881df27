import { type ExecutionError, ScriptError } from '../../errors.js';
import { failureOf } from '../failure.js';
import { createFrameReader, decodePayload, encodeFrame } from '../frames.js';
import type { Lane } from './lane.js';
import {
  createImportOutput,
  endingOf,
  importTimeout,
  type Launcher,
  type Readiness,
  type Specification,
  spawnFailed,
  untilReady,
} from './launcher.js';
import type { Template } from './template.js';
import { createWorker, type Death, type LaunchedWorker, swept, type Worker } from './worker.js';

const killConfirmMs = 500;
const closeGraceMs = 500;
const maxControlFrameBytes = 16 * 1024 * 1024;

interface Child {
  readonly lane: number;
  readonly worker: LaunchedWorker;
}

/** Workers forked ahead from a zygote that has imported the script. */
export function createForkLauncher(template: Template, spec: Specification, maxFrameBytes: number): Launcher {
  const zygote = template.nextKey();
  const zygoteLane = template.nextKey();
  const children = new Map<number, Child>();
  const births = new Map<number, { lane: number; fail(error: ExecutionError): void }>();
  const freeLanes: number[] = [];
  const importOutput = createImportOutput();
  let send: (frame: Buffer) => void = () => {};
  let connected = false;
  let zygoteDeath: Death | undefined;
  let failure: ExecutionError | undefined;
  let importTimer: NodeJS.Timeout | undefined;
  let onEnd: ((error: Error) => void) | undefined;
  let bytesAfterImport = 0;
  let growthBytes = 0;
  let resolveDead: () => void = () => {};
  const dead = new Promise<void>((resolve) => {
    resolveDead = resolve;
  });

  const ready = new Promise<Readiness>((resolve, reject) => {
    importTimer = setTimeout(() => {
      failure = importTimeout(spec.importTimeoutMs, importOutput.text);
      template.killZygote(zygote);
    }, spec.importTimeoutMs).unref();
    const onHere = (lane: Lane) => {
      send = lane.send;
      connected = true;
      const reader = createFrameReader({
        maxBytes: maxControlFrameBytes,
        onError: () => template.killZygote(zygote),
        onFrame(type, payload) {
          if (type === 'D') return onChildDeath(payload);
          if (type === 'R') return resolve(readinessOf(payload));
          failure = failureOf(payload, importOutput.text);
        },
      });
      lane.listen({ onAnswer: reader.push, onOutput: importOutput.push });
      void lane.ended.then(() => reject(failure ?? importEnded()));
    };
    const onDeath = (last: Death) => {
      zygoteDeath = last;
      onZygoteDeath();
      if (!connected) reject(spawnFailed('Python did not start'));
    };
    template.startZygote({ key: zygote, lane: zygoteLane, spec, onHere, onDeath });
  });
  ready.then(stopTimer, stopTimer);

  function stopTimer(): void {
    clearTimeout(importTimer);
  }

  /** An import that ends its process is the script's doing. */
  function importEnded(): ExecutionError {
    const { exitCode, signal } = zygoteDeath ?? swept;
    const ending = endingOf(zygoteDeath ?? swept);
    return new ScriptError('PROCESS_FAILED', `Importing the script ended its process with ${ending}`, {
      ...importOutput.text,
      ...(exitCode === null ? {} : { exitCode }),
      ...(signal === null ? {} : { signal }),
    });
  }

  function readinessOf(payload: Buffer): Readiness {
    const { reason, files, bytes } = decodePayload(payload) as {
      reason: string | null;
      files: string[];
      bytes: number;
    };
    bytesAfterImport = bytes;
    return { files, ...(reason ? { reason } : {}) };
  }

  function onChildDeath(payload: Buffer): void {
    const { key, bytes, ...death } = decodePayload(payload) as Death & { key: number; bytes?: number };
    if (bytes !== undefined) growthBytes = bytes - bytesAfterImport;
    const birth = births.get(key);
    if (birth) {
      births.delete(key);
      template.discardLane(birth.lane);
      birth.fail(spawnFailed(`it ended with ${endingOf(death)}`));
    }
    const child = children.get(key);
    if (child) bury(key, child, death);
  }

  /** A lane whose output was all read is used again; another one is closed, so that its end can be seen. */
  function bury(key: number, { lane, worker }: Child, death: Death): void {
    children.delete(key);
    worker.died(death);
    if (worker.isFinished && !zygoteDeath) freeLanes.push(lane);
    else template.discardLane(lane);
  }

  function onZygoteDeath(): void {
    const error = spawnFailed('the process that forks them is gone');
    template.discardLane(zygoteLane);
    for (const { lane, fail } of births.values()) {
      template.discardLane(lane);
      fail(error);
    }
    births.clear();
    for (const [key, child] of children) bury(key, child, swept);
    for (const lane of freeLanes.splice(0)) template.discardLane(lane);
    onEnd?.(error);
    resolveDead();
  }

  function kill(key: number): void {
    if (!children.has(key)) return;
    send(encodeFrame('K', { key }));
    setTimeout(() => {
      if (children.has(key)) template.killZygote(zygote);
    }, killConfirmMs).unref();
  }

  function adopt(key: number, number: number, lane: Lane): LaunchedWorker {
    const worker = createWorker(lane, { maxFrameBytes, kill: () => kill(key) });
    children.set(key, { lane: number, worker });
    births.delete(key);
    return worker;
  }

  return {
    kind: 'fork',
    ready,
    get growthBytes() {
      return growthBytes;
    },
    onEnd(listener) {
      onEnd = listener;
    },
    launch() {
      if (zygoteDeath) return Promise.reject(spawnFailed('the process that forks them is gone'));
      const key = template.nextKey();
      const lane = freeLanes.shift() ?? template.nextKey();
      return new Promise<Worker>((resolve, reject) => {
        births.set(key, { lane, fail: reject });
        const onHere = (pipes: Lane) => {
          const worker = adopt(key, lane, pipes);
          untilReady(worker, failureOf).then(() => resolve(worker), reject);
        };
        template.giveBirth({ zygote, key, lane, onHere });
      });
    },
    async close() {
      if (zygoteDeath) return;
      if (connected) send(encodeFrame('X', {}));
      else template.killZygote(zygote);
      const timer = setTimeout(() => template.killZygote(zygote), closeGraceMs);
      await dead;
      clearTimeout(timer);
    },
  };
}
