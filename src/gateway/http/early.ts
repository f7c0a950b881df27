import type { ReadableStreamReadResult } from 'node:stream/web';
import type { TextDecoder } from 'node:util';

export type Next = ReadableStreamReadResult<Uint8Array>;

/** What a stream says at once. */
export interface Early {
  readonly text: string;
  /** What it says next; not given where that was all. */
  readonly next?: Promise<Next>;
}

/** Short enough for a first byte that comes at once, long enough for most answers to be whole. */
const atOnceMs = 5;

/** Reads for a moment: an answer that is whole by then is one write instead of three. */
export async function readEarly(read: () => Promise<Next>, decoder: TextDecoder, signal: AbortSignal): Promise<Early> {
  let text = '';
  let endOfMoment: () => void = () => {};
  const moment = new Promise<undefined>((resolve) => {
    const timer = setTimeout(resolve, atOnceMs, undefined);
    endOfMoment = () => {
      clearTimeout(timer);
      resolve(undefined);
    };
  });
  signal.addEventListener('abort', endOfMoment, { once: true });
  try {
    for (;;) {
      const next = read();
      const found = await Promise.race([next, moment]);
      if (found === undefined) return { text, next };
      if (found.done) return { text: text + decoder.decode() };
      text += decoder.decode(found.value, { stream: true });
    }
  } finally {
    endOfMoment();
    signal.removeEventListener('abort', endOfMoment);
  }
}
