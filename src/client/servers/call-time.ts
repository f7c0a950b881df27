import { timedOut } from '../failures.js';

export interface CallTime {
  readonly timeoutMs: number;
  readonly signal?: AbortSignal;
  /** Tells when the server has come up; gives back what ends the telling. */
  onceStarted(listener: () => void): () => void;
}

/** A call that has to start its server: the start has a time of its own, and that of the call begins after it. */
export async function timedFromStart<T>(
  { timeoutMs, signal, onceStarted }: CallTime,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const late = new AbortController();
  let timer: NodeJS.Timeout | undefined;
  const stopListening = onceStarted(() => {
    timer = setTimeout(() => late.abort(), timeoutMs);
  });
  try {
    return await work(signal ? AbortSignal.any([signal, late.signal]) : late.signal);
  } catch (error) {
    throw late.signal.aborted && !signal?.aborted ? timedOut(timeoutMs) : error;
  } finally {
    stopListening();
    clearTimeout(timer);
  }
}
