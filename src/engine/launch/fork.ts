import { type ExecutionError, ScriptError } from '../../errors.js';
import { failureOf, wroteOnChannel } from '../failure.js';
import { createFrameReader, encodeFrame } from '../frames.js';
import { readFields } from '../messages.js';
import type { Lane } from './lane.js';
import {
  birthTimeout,
  createEntry,
  createImportOutput,
  diedAtBirth,
  importEnded,
  importTimeout,
  type Launcher,
  type Readiness,
  readReadiness,
  type Specification,
  spawnFailed,
  untilReady,
} from './launcher.js';
import type { Template } from './template.js';
import { createWorker, type Death, type LaunchedWorker, swept, type Worker } from './worker.js';

const killConfirmMs = 2000;
/** Orders that a zygote busy importing leaves unread are held by the kernel, and at some number hold up the template. */
const maxStarting = 64;
const closeGraceMs = 500;
const maxControlFrameBytes = 16 * 1024 * 1024;
const neverBegan = () => spawnFailed('Python did not start');

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
  /** Why no worker comes from here any more. */
  let endedBy: ExecutionError | undefined;
  let onEnd: ((error: Error) => void) | undefined;
  let bytesAfterImport = 0;
  let growthBytes = 0;
  let resolveDead: () => void = () => {};
  const dead = new Promise<void>((resolve) => {
    resolveDead = resolve;
  });

  const ready = new Promise<Readiness>((resolve, reject) => {
    let failure: (() => ExecutionError) | undefined;
    let isImported = false;
    const entry = createEntry(spec.sandbox);
    const timer = setTimeout(() => {
      failure = () => importTimeout(spec.importTimeoutMs, importOutput.text);
      template.killZygote(zygote);
    }, spec.importTimeoutMs).unref();
    const onFrame = (type: string, payload: Buffer) => {
      if (entry.take(type, payload)) return send(encodeFrame('G', {}));
      if (type === 'D') return onChildDeath(payload);
      if (type === 'R') {
        const readiness = { ...readReadiness(payload), ...entry.said };
        bytesAfterImport = readiness.bytes;
        isImported = true;
        clearTimeout(timer);
        return resolve(readiness);
      }
      const reported = Buffer.from(payload);
      failure ??= () => failureOf(reported, importOutput.text);
    };
    const onHere = (lane: Lane) => {
      send = lane.send;
      connected = true;
      const onError = () => {
        failure ??= () => new ScriptError('PROCESS_FAILED', wroteOnChannel, importOutput.text);
        template.killZygote(zygote);
      };
      const reader = createFrameReader({ maxBytes: maxControlFrameBytes, onError, onFrame });
      lane.listen({ onAnswer: reader.push, onOutput: importOutput.push });
    };
    const onDeath = async (death: Death) => {
      clearTimeout(timer);
      const drained = template.discardLane(zygoteLane);
      if (!isImported) await drained;
      if (isImported) return onZygoteDeath(spawnFailed('the process that forks them is gone'));
      const isOwnDoing = connected && !template.ended;
      const error =
        entry.refusal() ?? failure?.() ?? (isOwnDoing ? importEnded(death, importOutput.text) : neverBegan());
      reject(error);
      onZygoteDeath(error);
    };
    const onFailed = (reason: string) => {
      failure ??= () => spawnFailed(reason);
      template.killZygote(zygote);
    };
    template.startZygote({
      key: zygote,
      lane: zygoteLane,
      spec,
      onHere,
      onFailed,
      onDeath: (death) => void onDeath(death),
    });
  });
  ready.catch(() => {});

  function onChildDeath(payload: Buffer): void {
    const { key, bytes, ...death }: Record<string, unknown> = readFields(payload) ?? {};
    if (typeof key !== 'number') return;
    if (typeof bytes === 'number') growthBytes = bytes - bytesAfterImport;
    const birth = births.get(key);
    if (birth) {
      births.delete(key);
      void template.discardLane(birth.lane);
      birth.fail(diedAtBirth({ ...swept, ...death }));
    }
    const child = children.get(key);
    if (child) bury(key, child, { ...swept, ...death });
  }

  /** A lane whose output was all read is used again; another one is closed, so that its end can be seen. */
  function bury(key: number, { lane, worker }: Child, death: Death): void {
    children.delete(key);
    worker.died(death);
    if (worker.isFinished && !endedBy) freeLanes.push(lane);
    else void template.discardLane(lane);
  }

  function onZygoteDeath(error: ExecutionError): void {
    endedBy = error;
    for (const { lane, fail } of births.values()) {
      void template.discardLane(lane);
      fail(error);
    }
    births.clear();
    for (const [key, child] of children) bury(key, child, swept);
    for (const lane of freeLanes.splice(0)) void template.discardLane(lane);
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

  /** What the script does at each fork is part of its import, and has as much time. */
  function watchBirth(key: number, fail: (error: ExecutionError) => void): () => void {
    let timer: NodeJS.Timeout | undefined;
    const giveUp = () => {
      fail(birthTimeout(spec.importTimeoutMs));
      send(encodeFrame('K', { key }));
    };
    const start = () => {
      timer = setTimeout(giveUp, spec.importTimeoutMs).unref();
    };
    void ready.then(start, () => {});
    return () => clearTimeout(timer);
  }

  function adopt(key: number, number: number, lane: Lane): LaunchedWorker {
    const worker = createWorker(lane, { maxFrameBytes, kill: () => kill(key) });
    children.set(key, { lane: number, worker });
    births.delete(key);
    return worker;
  }

  return {
    kind: 'fork',
    maxStarting,
    ready,
    get growthBytes() {
      return growthBytes;
    },
    onEnd(listener) {
      onEnd = listener;
    },
    launch(isHurried = false) {
      if (endedBy) return Promise.reject(endedBy);
      const key = template.nextKey();
      const lane = freeLanes.shift() ?? template.nextKey();
      return new Promise<Worker>((resolve, reject) => {
        const stopWatching = watchBirth(key, reject);
        const fail = (error: ExecutionError) => {
          stopWatching();
          reject(error);
        };
        births.set(key, { lane, fail });
        const onHere = (pipes: Lane) => {
          const worker = adopt(key, lane, pipes);
          const output = createImportOutput();
          untilReady(worker, (death) => diedAtBirth(death, output.text.stderr), output)
            .finally(stopWatching)
            .then(() => resolve(worker), reject);
        };
        const onFailed = (reason: string) => {
          births.delete(key);
          void template.discardLane(lane);
          send(encodeFrame('K', { key }));
          fail(spawnFailed(reason));
        };
        template.giveBirth({ zygote, key, lane, isHurried, onHere, onFailed });
      });
    },
    async close() {
      if (endedBy) return;
      if (connected) send(encodeFrame('X', {}));
      else template.killZygote(zygote);
      const timer = setTimeout(() => template.killZygote(zygote), closeGraceMs);
      await dead;
      clearTimeout(timer);
    },
  };
}
