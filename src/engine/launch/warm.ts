import { type ChildProcess, spawn } from 'node:child_process';
import { join } from 'node:path';
import type { Duplex, Readable, Writable } from 'node:stream';
import type { Interpreter } from '../../python/interpreter.js';
import { pythonPart } from '../../python/part.js';
import { failureOf } from '../failure.js';
import { createFrameReader, decodePayload, encodeFrame } from '../frames.js';
import { createLane, untilClosed } from './lane.js';
import {
  createImportOutput,
  importTimeout,
  type Launcher,
  type Readiness,
  type Specification,
  untilReady,
} from './launcher.js';
import { createWorker, type Death, type LaunchedWorker } from './worker.js';

const killConfirmMs = 500;
const maxControlFrameBytes = 64 * 1024;

/** Interpreters started ahead, each used for one call: the way where forking is missing or unsafe. */
export function createWarmLauncher(
  interpreter: Interpreter,
  environment: Record<string, string>,
  spec: Specification,
  maxFrameBytes: number,
): Launcher {
  const running = new Map<LaunchedWorker, Promise<void>>();
  const guarded = process.platform === 'linux';
  let resolveReady: (readiness: Readiness) => void = () => {};
  const ready = new Promise<Readiness>((resolve) => {
    resolveReady = resolve;
  });
  return {
    kind: 'warm',
    ready,
    growthBytes: 0,
    onEnd() {},
    async launch() {
      const child = spawn(interpreter.executable, ['-X', 'utf8', join(pythonPart(), 'start.py'), 'warm'], {
        env: environment,
        stdio: ['ignore', 'pipe', 'pipe', 'pipe', 'pipe', ...(guarded ? (['pipe'] as const) : [])],
        detached: guarded,
        windowsHide: true,
      });
      const { worker, gone } = adopt(child, maxFrameBytes);
      running.set(worker, gone);
      void gone.then(() => running.delete(worker));
      worker.send(encodeFrame('I', spec));
      await withinImportTime(spec.importTimeoutMs, worker, resolveReady);
      return worker;
    },
    async close() {
      for (const worker of running.keys()) worker.kill();
      await Promise.all(running.values());
    },
  };
}

async function withinImportTime(
  limitMs: number,
  worker: LaunchedWorker,
  onReady: (readiness: Readiness) => void,
): Promise<void> {
  const output = createImportOutput();
  let late = false;
  const timer = setTimeout(() => {
    late = true;
    worker.kill();
  }, limitMs).unref();
  try {
    onReady((await untilReady(worker, failureOf, output)) as Readiness);
  } catch (error) {
    throw late ? importTimeout(limitMs, output.text) : error;
  } finally {
    clearTimeout(timer);
  }
}

function adopt(child: ChildProcess, maxFrameBytes: number): { worker: LaunchedWorker; gone: Promise<void> } {
  const [, stdout, stderr, requests, answers, control] = child.stdio as unknown as [
    null,
    Readable,
    Readable,
    Writable,
    Readable,
    Duplex | undefined,
  ];
  const lane = createLane({ requests, answers, stdout, stderr });
  const kill = () => {
    if (!control) return void child.kill('SIGKILL');
    control.write(encodeFrame('K', {}));
    setTimeout(() => {
      if (child.exitCode === null && child.signalCode === null) child.kill('SIGKILL');
    }, killConfirmMs).unref();
  };
  const worker = createWorker(lane, { maxFrameBytes, kill });
  const report = control ? readDeath(control) : Promise.resolve(undefined);
  const gone = new Promise<void>((resolve) => {
    child.once('exit', async (exitCode, signal) => {
      worker.died((await report) ?? { exitCode, signal, cpuMs: 0, peakBytes: 0 });
      resolve();
    });
    child.once('error', (error: NodeJS.ErrnoException) => {
      lane.destroy();
      control?.destroy();
      worker.died({ exitCode: null, signal: error.code ?? error.message, cpuMs: 0, peakBytes: 0 });
      resolve();
    });
  });
  return { worker, gone };
}

/** The guard's word on how its worker ended, which the guard's own exit does not say. */
function readDeath(control: Duplex): Promise<Death | undefined> {
  let death: Death | undefined;
  const reader = createFrameReader({
    maxBytes: maxControlFrameBytes,
    onError: () => control.destroy(),
    onFrame(_type, payload) {
      death = decodePayload(payload) as Death;
    },
  });
  control.on('data', (chunk: Buffer) => reader.push(chunk));
  return untilClosed(control).then(() => death);
}
