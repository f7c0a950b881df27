import type { Readable, Writable } from 'node:stream';
import type { Side } from '../harness/record/recorder.js';

/** The client's ends, and who hears what is said. */
export interface RelayOptions {
  readonly stdin: Readable;
  /** Messages alone. */
  readonly stdout: Writable;
  readonly stderr: Writable;
  readonly signal?: AbortSignal;
  readonly hear: (from: Side, message: unknown) => void;
  /** Told of what went wrong on the way, in a sentence. */
  readonly note: (line: string) => void;
}

/** How a session came to its end. */
export interface RelayEnd {
  readonly by: 'client' | 'server' | 'interruption';
  /** In a sentence. */
  readonly message: string;
  /** Of a server that is a process. */
  readonly exitCode?: number;
}

/** Longer messages are passed on all the same, but are not recorded. */
export const longestHeard = 16 * 1024 * 1024;

/** When the client is gone: it says no more, or hears no more. */
export function clientGone({ stdin, stdout }: Pick<RelayOptions, 'stdin' | 'stdout'>): Promise<void> {
  return new Promise((resolve) => {
    const done = () => resolve();
    for (const event of ['end', 'close', 'error']) stdin.on(event, done);
    for (const event of ['close', 'error']) stdout.on(event, done);
    if (stdin.readableEnded || stdin.destroyed) done();
  });
}

/** Called at once where the signal has aborted already. Gives back what stops it. */
export function whenAborted(signal: AbortSignal | undefined, callback: () => void): () => void {
  if (signal?.aborted) callback();
  signal?.addEventListener('abort', callback, { once: true });
  return () => signal?.removeEventListener('abort', callback);
}

/** Whether it comes in time. */
export function comesWithin(coming: Promise<unknown>, ms: number): Promise<boolean> {
  return new Promise((resolve) => {
    const timer = setTimeout(() => resolve(false), ms);
    const done = () => {
      clearTimeout(timer);
      resolve(true);
    };
    coming.then(done, done);
  });
}
