import type { Readable, Writable } from 'node:stream';

/** What a server on stdio speaks through. */
export interface Streams {
  readonly input: Readable & { readonly isTTY?: boolean };
  readonly output: Writable;
  /** Ends the process, whose last words nobody reads. */
  readonly abandon?: (exitCode: number) => void;
}

const lastWordsMs = 500;
const interruptedExitCode = 130;

/** Whether what was written is read within a moment. A pipe that nobody reads would keep the process alive without end. */
export async function areRead(streams: readonly Writable[], withinMs: number = lastWordsMs): Promise<boolean> {
  const read = await Promise.all(streams.map((stream) => isRead(stream, withinMs)));
  return !read.includes(false);
}

function isRead(stream: Writable, withinMs: number): Promise<boolean> | boolean {
  if (stream.writableLength === 0) return true;
  if (stream.destroyed) return false;
  return new Promise((resolve) => {
    const timer = setTimeout(() => resolve(false), withinMs);
    // Written after everything else, so that all of it is read when this is.
    stream.write('', () => {
      clearTimeout(timer);
      resolve(true);
    });
  });
}

/** SIGTERM is how a client ends a server that it has no more use for; Ctrl-C interrupts it. */
export function listenForEnd(interrupt: AbortSignal) {
  const ended = new AbortController();
  const bringAbout = () => ended.abort();
  let isTerminated = false;
  process.once('SIGTERM', () => {
    isTerminated = true;
  });
  if (interrupt.aborted) bringAbout();
  interrupt.addEventListener('abort', bringAbout, { once: true });
  return {
    bringAbout,
    /** Ends what is under way, whatever brought the end about. */
    signal: ended.signal,
    reached: new Promise<void>((resolve) => {
      if (ended.signal.aborted) resolve();
      ended.signal.addEventListener('abort', () => resolve(), { once: true });
    }),
    exitCode: () => (interrupt.aborted && !isTerminated ? interruptedExitCode : 0),
  };
}
