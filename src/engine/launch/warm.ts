import type { ChildProcess, StdioOptions } from 'node:child_process';
import { availableParallelism } from 'node:os';
import type { Duplex, Readable, Writable } from 'node:stream';
import type { Interpreter } from '../../python/interpreter.js';
import { createFrameReader, encodeFrame } from '../frames.js';
import { readFields } from '../messages.js';
import type { Sandbox } from '../sandbox.js';
import { createLane, untilClosed } from './lane.js';
import {
  createImportOutput,
  diedAtBirth,
  importEnded,
  importTimeout,
  type Launcher,
  type Readiness,
  type Specification,
  untilReady,
} from './launcher.js';
import { wrapForMacos } from './macos.js';
import { startPart } from './start.js';
import { createWorker, type Death, type LaunchedWorker } from './worker.js';

const killConfirmMs = 2000;
const hasGroups = process.platform !== 'win32';
const maxControlFrameBytes = 64 * 1024;

/** Interpreters started ahead, each used for one call: the way where forking is missing or unsafe. */
export function createWarmLauncher(
  interpreter: Interpreter,
  environment: Record<string, string>,
  spec: Specification,
  maxFrameBytes: number,
  guarded = process.platform === 'linux',
): Launcher {
  const running = new Map<LaunchedWorker, Promise<void>>();
  const role = guarded ? 'guarded' : 'warm';
  const wrap = (sandbox: Sandbox | null) =>
    sandbox && process.platform === 'darwin' ? wrapForMacos(sandbox, interpreter) : undefined;
  let resolveReady: (readiness: Readiness) => void = () => {};
  const ready = new Promise<Readiness>((resolve) => {
    resolveReady = resolve;
  });
  return {
    kind: 'warm',
    maxStarting: Math.max(2, availableParallelism()),
    ready,
    growthBytes: 0,
    onEnd() {},
    async launch() {
      const stdio: StdioOptions = ['ignore', 'pipe', 'pipe', 'pipe', 'pipe', ...(guarded ? (['pipe'] as const) : [])];
      const wrapping = wrap(spec.sandbox);
      const child = startPart(interpreter, role, environment, stdio, wrapping?.command);
      const { worker, gone, hasBegun } = adopt(child, maxFrameBytes);
      running.set(worker, gone);
      void gone.then(() => {
        running.delete(worker);
        wrapping?.remove();
      });
      worker.send(encodeFrame('I', { ...spec, sandbox: wrapping?.sandbox ?? spec.sandbox }));
      const output = createImportOutput();
      const endedEarly = (death: Death) =>
        spec.script !== null && hasBegun() ? importEnded(death, output.text) : diedAtBirth(death, output.text.stderr);
      const importing = untilReady(worker, endedEarly, output, spec.sandbox);
      resolveReady(await withinTime(importing, worker, () => importTimeout(spec.importTimeoutMs, output.text), spec));
      return worker;
    },
    async close() {
      for (const worker of running.keys()) worker.kill();
      await Promise.all(running.values());
    },
  };
}

async function withinTime<T>(
  importing: Promise<T>,
  worker: LaunchedWorker,
  tooLate: () => Error,
  { importTimeoutMs }: Specification,
): Promise<T> {
  let late = false;
  const timer = setTimeout(() => {
    late = true;
    worker.kill();
  }, importTimeoutMs).unref();
  try {
    return await importing;
  } catch (error) {
    throw late ? tooLate() : error;
  } finally {
    clearTimeout(timer);
  }
}

interface Adopted {
  readonly worker: LaunchedWorker;
  readonly gone: Promise<void>;
  /** Whether Python itself came to run, which may yet have been ended by the script. */
  hasBegun(): boolean;
}

function adopt(child: ChildProcess, maxFrameBytes: number): Adopted {
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
    if (!control) return endGroup(child);
    control.write(encodeFrame('K', {}));
    setTimeout(() => {
      if (child.exitCode === null && child.signalCode === null) child.kill('SIGKILL');
    }, killConfirmMs).unref();
  };
  const worker = createWorker(lane, { maxFrameBytes, kill });
  const report = control ? readDeath(control) : Promise.resolve(undefined);
  let hasBegun = false;
  const gone = new Promise<void>((resolve) => {
    child.once('exit', async (exitCode, signal) => {
      if (!control) endGroup(child);
      const reported = await report;
      hasBegun = !control || reported !== undefined;
      worker.died(reported ?? { exitCode, signal, cpuMs: 0, peakBytes: 0 });
      resolve();
    });
    child.once('error', (error: NodeJS.ErrnoException) => {
      lane.destroy();
      control?.destroy();
      worker.died({ exitCode: null, signal: error.code ?? error.message, cpuMs: 0, peakBytes: 0 });
      resolve();
    });
  });
  return { worker, gone, hasBegun: () => hasBegun };
}

/** Without a guard: the process and what it started, as far as that stayed in its group; on Windows the job object sees to it. */
function endGroup(child: ChildProcess): void {
  try {
    if (hasGroups && child.pid !== undefined) process.kill(-child.pid, 'SIGKILL');
    else child.kill('SIGKILL');
  } catch {
    // All of them are gone.
  }
}

/** The guard's word on how its worker ended, which the guard's own exit does not say. */
function readDeath(control: Duplex): Promise<Death | undefined> {
  let death: Death | undefined;
  const reader = createFrameReader({
    maxBytes: maxControlFrameBytes,
    onError: () => control.destroy(),
    onFrame(_type, payload) {
      death = readFields(payload) as Death | undefined;
    },
  });
  control.on('data', (chunk: Buffer) => reader.push(chunk));
  return untilClosed(control).then(() => death);
}
