import { onAbort } from '../../queue/abort.js';

const graceMs = 5000;

/** Work that a run owes even when it is given up, such as cleaning up: it is given some more time, and no more. */
export async function withGrace<T>(
  signal: AbortSignal | undefined,
  work: (signal: AbortSignal | undefined) => Promise<T>,
): Promise<T> {
  if (signal === undefined) return work(undefined);
  const grace = new AbortController();
  let timer: NodeJS.Timeout | undefined;
  const begin = () => {
    timer = setTimeout(() => grace.abort(), graceMs);
  };
  const stopWatching = onAbort(signal, begin);
  if (signal.aborted) begin();
  try {
    return await work(grace.signal);
  } finally {
    clearTimeout(timer);
    stopWatching();
  }
}
