import { createFrameReader } from '../frames.js';
import type { Lane, LaneListener } from './lane.js';

/** How a process ended, told once it and everything it started is gone. */
export interface Death {
  readonly exitCode: number | null;
  readonly signal: string | null;
  readonly cpuMs: number;
  readonly peakBytes: number;
  /** The limit for which whoever watches over the process ended it. */
  readonly ended?: string;
  /** It ended by itself, without an answer and not well. */
  readonly isCrash?: boolean;
}

export interface WorkerListener {
  onFrame(type: string, payload: Buffer): void;
  readonly onOutput: LaneListener['onOutput'];
  /** What came on the channel is no frame, or one of this type that is too long; nothing after it can be read. */
  onBroken?(type?: string): void;
  /** The same word as `gone`, for as long as this listener is the one. */
  onGone?(death: Death): void;
}

/** One Python process, ready for a call. */
export interface Worker {
  listen(listener: WorkerListener): void;
  readonly send: Lane['send'];
  /** Holds back what the process says and writes. */
  pause(): void;
  resume(): void;
  /** All that matters was read; what the process may still write is nobody's. */
  finished(): void;
  kill(): void;
  /** Resolves when the process tree is dead and all that matters was read. */
  readonly gone: Promise<Death>;
}

/** A worker together with the word that its process is dead, which only its launcher can give. */
export interface LaunchedWorker extends Worker {
  died(death: Death): void;
  readonly isFinished: boolean;
}

/** A process that died by no fault of its own and of which nothing is known. */
export const swept: Death = { exitCode: null, signal: 'SIGKILL', cpuMs: 0, peakBytes: 0 };

const drainMs = 1000;
const nobody: WorkerListener = { onFrame() {}, onOutput() {} };

export function createWorker(
  lane: Lane,
  { maxFrameBytes, kill }: { maxFrameBytes: number; kill(): void },
): LaunchedWorker {
  let listener = nobody;
  let isFinished = false;
  let isPaused = false;
  let isKilled = false;
  let resolveGone: (death: Death) => void = () => {};
  const gone = new Promise<Death>((resolve) => {
    resolveGone = resolve;
  });
  const reader = createFrameReader({
    maxBytes: maxFrameBytes,
    onFrame: (type, payload) => listener.onFrame(type, payload),
    onError(_error, type) {
      if (listener.onBroken) listener.onBroken(type);
      else end();
    },
  });
  lane.listen({ onAnswer: reader.push, onOutput: (stream, chunk) => listener.onOutput(stream, chunk) });

  function end(): void {
    isKilled = true;
    kill();
  }

  return {
    gone,
    kill: end,
    listen(next) {
      listener = next;
    },
    send: lane.send,
    pause() {
      isPaused = true;
      lane.pause();
    },
    resume() {
      if (!isPaused) return;
      isPaused = false;
      lane.resume();
    },
    finished() {
      isFinished = true;
      listener = nobody;
    },
    get isFinished() {
      return isFinished;
    },
    died(last) {
      if (isFinished) return resolveGone(last);
      const isCrash = !isKilled && last.ended === undefined && last.exitCode !== 0;
      const death = isCrash ? { ...last, isCrash } : last;
      const timer = setTimeout(() => {
        if (isPaused) timer.refresh();
        else lane.destroy();
      }, drainMs).unref();
      void lane.ended.then(() => {
        clearTimeout(timer);
        listener.onGone?.(death);
        resolveGone(death);
      });
    },
  };
}
