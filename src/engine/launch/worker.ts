import type { Readable, Writable } from 'node:stream';
import { createFrameReader } from '../frames.js';
import type { OutputListener, Outputs } from './outputs.js';
import { untilClosed } from './outputs.js';

/** How a process ended, told once it and everything it started is gone. */
export interface Death {
  readonly exitCode: number | null;
  readonly signal: string | null;
  readonly cpuMs: number;
  readonly peakBytes: number;
}

export interface WorkerListener {
  onFrame(type: string, payload: Buffer): void;
  readonly onOutput: OutputListener;
}

/** One Python process, ready for a call. */
export interface Worker {
  listen(listener: WorkerListener): void;
  send(frame: Buffer): void;
  pauseOutput(): void;
  resumeOutput(): void;
  /** All output that matters was read; what the process may still write is nobody's. */
  finished(): void;
  kill(): void;
  /** Resolves when the process tree is dead and all output that matters was read. */
  readonly gone: Promise<Death>;
}

/** A worker together with the word that its process is dead, which only its launcher can give. */
export interface LaunchedWorker extends Worker {
  died(death: Death): void;
  readonly isFinished: boolean;
}

export interface WorkerParts {
  readonly requests: Writable;
  readonly answers: Readable;
  readonly outputs: Outputs;
  readonly maxFrameBytes: number;
  kill(): void;
}

const drainMs = 1000;

/** A process that died by no fault of its own and of which nothing is known. */
export const swept: Death = { exitCode: null, signal: 'SIGKILL', cpuMs: 0, peakBytes: 0 };

export function createWorker({ requests, answers, outputs, maxFrameBytes, kill }: WorkerParts): LaunchedWorker {
  let listener: WorkerListener | undefined;
  let isFinished = false;
  let dead = false;
  let resolveGone: (death: Death) => void = () => {};
  const gone = new Promise<Death>((resolve) => {
    resolveGone = resolve;
  });
  const reader = createFrameReader({
    maxBytes: maxFrameBytes,
    onFrame: (type, payload) => listener?.onFrame(type, payload),
    onError: kill,
  });
  answers.on('data', (chunk: Buffer) => reader.push(chunk));
  const channelClosed = untilClosed(answers);
  requests.on('error', () => {});

  async function drain(death: Death): Promise<void> {
    const timer = setTimeout(() => {
      answers.destroy();
      outputs.destroy();
    }, drainMs).unref();
    await channelClosed;
    if (!isFinished) await outputs.ended;
    clearTimeout(timer);
    requests.destroy();
    resolveGone(death);
  }

  return {
    gone,
    kill,
    listen(next) {
      listener = next;
      outputs.listen(next.onOutput);
    },
    send(frame) {
      if (!requests.destroyed) requests.write(frame);
    },
    pauseOutput: outputs.pause,
    resumeOutput: outputs.resume,
    finished() {
      isFinished = true;
    },
    get isFinished() {
      return isFinished;
    },
    died(death) {
      if (dead) return;
      dead = true;
      void drain(death);
    },
  };
}
