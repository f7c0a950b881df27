import type { Readable, Writable } from 'node:stream';

export interface LaneListener {
  onAnswer(chunk: Buffer): void;
  onOutput(stream: 'stdout' | 'stderr', chunk: Buffer): void;
}

/** The host's ends of the four pipes of a process. Without a listener, what comes is dropped. */
export interface Lane {
  /** `onSent` hears when all but what a pipe holds was read, or never will be. */
  send(frame: Buffer, onSent?: () => void): void;
  listen(listener: LaneListener | undefined): void;
  /** Hands bytes that were read too early to whoever listens now. */
  replay(chunk: Buffer): void;
  pause(): void;
  resume(): void;
  destroy(): void;
  /** Resolves when nobody can write any more and all was read. */
  readonly ended: Promise<void>;
}

export interface LanePipes {
  readonly requests: Writable;
  readonly answers: Readable;
  readonly stdout: Readable;
  readonly stderr: Readable;
}

export function createLane({ requests, answers, stdout, stderr }: LanePipes): Lane {
  let listener: LaneListener | undefined;
  requests.on('error', () => {});
  answers.on('data', (chunk: Buffer) => listener?.onAnswer(chunk));
  stdout.on('data', (chunk: Buffer) => listener?.onOutput('stdout', chunk));
  stderr.on('data', (chunk: Buffer) => listener?.onOutput('stderr', chunk));
  const ended = Promise.all([untilClosed(answers), untilClosed(stdout), untilClosed(stderr)]).then(() => {
    requests.destroy();
  });
  return {
    ended,
    send(frame, onSent) {
      if (!requests.destroyed) requests.write(frame, onSent);
    },
    listen(next) {
      listener = next;
    },
    replay: (chunk) => listener?.onAnswer(chunk),
    pause() {
      for (const stream of [answers, stdout, stderr]) stream.pause();
    },
    resume() {
      for (const stream of [answers, stdout, stderr]) stream.resume();
    },
    destroy() {
      for (const stream of [requests, answers, stdout, stderr]) stream.destroy();
    },
  };
}

export function untilClosed(stream: Readable): Promise<void> {
  return new Promise((resolve) => {
    const done = () => resolve();
    stream.on('error', done).once('end', done).once('close', done);
  });
}
