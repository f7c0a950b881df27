import { onAbort } from '../../queue/abort.js';
import { cancelled, serverFailed } from '../failures.js';
import type { Life } from './served.js';

export interface Waiting {
  readonly url: string;
  readonly timeoutMs: number;
  readonly signal?: AbortSignal;
  /** The process that is to listen there, where it was started from here. */
  readonly life?: Life;
}

const firstPauseMs = 20;
const longestPauseMs = 250;
const deepestCause = 8;
/** What is said of an address where nobody listens yet, or that somebody who is coming up does not serve yet. */
const unreachable: ReadonlySet<unknown> = new Set(['ECONNREFUSED', 'ECONNRESET', 'EPIPE', 'UND_ERR_SOCKET']);

/** Opens something at an address, again and again while nobody answers there. Any status of HTTP is an answer. */
export async function whenReachable<T>(open: () => Promise<T>, waiting: Waiting): Promise<T> {
  const { timeoutMs, signal, life } = waiting;
  const since = life?.at ?? performance.now();
  for (let pauseMs = firstPauseMs; ; pauseMs = Math.min(2 * pauseMs, longestPauseMs)) {
    try {
      return await open();
    } catch (error) {
      if (life?.failure) throw life.failure();
      if (!isUnreachable(error) || signal?.aborted) throw error;
      const leftMs = timeoutMs - (performance.now() - since);
      if (leftMs <= 0) throw nobodyAnswers(waiting, error);
      await pause(Math.min(pauseMs, leftMs), waiting);
      if (life?.failure) throw life.failure();
      if (signal?.aborted) throw cancelled(signal);
    }
  }
}

export function isUnreachable(error: unknown): boolean {
  let cause = error;
  for (let depth = 0; cause instanceof Error && depth < deepestCause; depth += 1, cause = cause.cause) {
    if ('code' in cause && unreachable.has(cause.code)) return true;
  }
  return false;
}

function nobodyAnswers({ url, timeoutMs, life }: Waiting, cause: unknown): Error {
  const { origin, pathname } = new URL(url);
  const stderr = life?.heard.lastWords().join('\n') ?? '';
  const who = life ? 'The MCP server was started, and did not answer' : 'Nobody answered';
  const advice = life ? 'does it listen there? If it needs longer, say so with start_timeout' : 'start it there';
  return serverFailed(
    `${who} at ${origin}${pathname} within ${timeoutMs} ms; ${advice}`,
    stderr === '' ? {} : { stderr },
    cause,
  );
}

function pause(ms: number, { signal, life }: Waiting): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(settle, ms);
    const stopWatching = onAbort(signal, settle);
    life?.gone.then(settle);

    function settle(): void {
      clearTimeout(timer);
      stopWatching();
      resolve();
    }
  });
}
