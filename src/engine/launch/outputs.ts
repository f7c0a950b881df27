import type { Readable } from 'node:stream';

export type OutputListener = (stream: 'stdout' | 'stderr', chunk: Buffer) => void;

/** The reading ends of a process's stdout and stderr. Without a listener, what comes is dropped. */
export interface Outputs {
  listen(listener: OutputListener | undefined): void;
  pause(): void;
  resume(): void;
  destroy(): void;
  /** Resolves when nobody can write any more and all was read. */
  readonly ended: Promise<void>;
}

export function createOutputs(stdout: Readable, stderr: Readable): Outputs {
  let listener: OutputListener | undefined;
  stdout.on('data', (chunk: Buffer) => listener?.('stdout', chunk));
  stderr.on('data', (chunk: Buffer) => listener?.('stderr', chunk));
  const ended = Promise.all([untilClosed(stdout), untilClosed(stderr)]).then(() => {});
  return {
    ended,
    listen(next) {
      listener = next;
    },
    pause() {
      stdout.pause();
      stderr.pause();
    },
    resume() {
      stdout.resume();
      stderr.resume();
    },
    destroy() {
      stdout.destroy();
      stderr.destroy();
    },
  };
}

export function untilClosed(stream: Readable): Promise<void> {
  return new Promise((resolve) => {
    const done = () => resolve();
    stream.on('error', done).once('end', done).once('close', done);
  });
}
