import { type ExecutionError, ScriptError } from '../../errors.js';
import { failureOf } from '../failure.js';
import { createFrameReader, decodePayload, encodeFrame } from '../frames.js';
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
import type { Connection, Template } from './template.js';
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
  const births = new Map<number, (error: ExecutionError) => void>();
  const freeLanes: number[] = [];
  const importOutput = createImportOutput();
  let send: (frame: Buffer) => void = () => {};
  let connected = false;
  let isDead = false;
  let onEnd: ((error: Error) => void) | undefined;
  let bytesAfterImport = 0;
  let growthBytes = 0;
  let resolveDead: () => void = () => {};
  const dead = new Promise<void>((resolve) => {
    resolveDead = resolve;
  });

  const ready = new Promise<Readiness>((resolve, reject) => {
    const timer = setTimeout(() => {
      reject(importTimeout(spec.importTimeoutMs, importOutput.text));
      template.killZygote(zygote);
    }, spec.importTimeoutMs).unref();
    template.expect(zygote, zygoteLane, ({ socket, outputs }) => {
      connected = true;
      send = (frame) => void socket.write(frame);
      outputs.listen(importOutput.push);
      const reader = createFrameReader({
        maxBytes: maxControlFrameBytes,
        onError: () => template.killZygote(zygote),
        onFrame(type, payload) {
          if (type === 'D') return onChildDeath(payload);
          clearTimeout(timer);
          template.discardLane(zygoteLane);
          if (type === 'R') resolve(readinessOf(payload));
          else void outputs.ended.then(() => reject(failureOf(payload, importOutput.text)));
        },
      });
      socket.on('data', (chunk: Buffer) => reader.push(chunk));
    });
    template.startZygote(zygote, zygoteLane, spec, (death) => {
      clearTimeout(timer);
      reject(template.ended ? spawnFailed('Python did not start') : importEnded(death));
      onZygoteDeath();
    });
  });
  ready.catch(() => {});

  /** An import that ends its process is the script's doing. */
  function importEnded(death: Death): ExecutionError {
    const { exitCode, signal } = death;
    return new ScriptError('PROCESS_FAILED', `Importing the script ended its process with ${endingOf(death)}`, {
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
    births.get(key)?.(spawnFailed(`it ended with ${endingOf(death)}`));
    births.delete(key);
    const child = children.get(key);
    if (child) bury(key, child, death);
  }

  /** A lane whose output was all read is used again; another one is closed, so that its end can be seen. */
  function bury(key: number, { lane, worker }: Child, death: Death): void {
    children.delete(key);
    worker.died(death);
    if (worker.isFinished && !isDead) freeLanes.push(lane);
    else template.discardLane(lane);
  }

  function onZygoteDeath(): void {
    isDead = true;
    template.forget(zygote);
    template.discardLane(zygoteLane);
    const error = spawnFailed('the process that forks them is gone');
    for (const [key, fail] of births) {
      template.forget(key);
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

  function adopt(key: number, lane: number, { socket, outputs }: Connection): LaunchedWorker {
    outputs.resume();
    const worker = createWorker({ requests: socket, answers: socket, outputs, maxFrameBytes, kill: () => kill(key) });
    children.set(key, { lane, worker });
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
      if (isDead) return Promise.reject(spawnFailed('the process that forks them is gone'));
      const key = template.nextKey();
      const lane = freeLanes.shift() ?? template.nextKey();
      return new Promise<Worker>((resolve, reject) => {
        births.set(key, reject);
        template.expect(key, lane, (connection) => {
          const worker = adopt(key, lane, connection);
          untilReady(worker, failureOf).then(() => resolve(worker), reject);
        });
        template.giveBirth(zygote, key, lane);
      });
    },
    async close() {
      if (isDead) return;
      if (connected) send(encodeFrame('X', {}));
      else template.killZygote(zygote);
      const timer = setTimeout(() => template.killZygote(zygote), closeGraceMs);
      await dead;
      clearTimeout(timer);
    },
  };
}
