import { LimitError } from '../errors.js';

interface Watch {
  readonly callbacks: Set<() => void>;
  readonly fire: () => void;
}

const watches = new WeakMap<AbortSignal, Watch>();

/**
 * Calls back once when the signal aborts; gives back what stops that. However many calls share a signal, it carries one
 * listener, and none when nobody watches: Node warns of a leak from the eleventh on.
 */
export function onAbort(signal: AbortSignal | undefined, callback: () => void): () => void {
  if (!signal) return () => {};
  const watch = watches.get(signal) ?? startWatch(signal);
  const own = () => callback();
  watch.callbacks.add(own);
  return () => {
    if (watch.callbacks.delete(own) && watch.callbacks.size === 0) endWatch(signal, watch);
  };
}

export function cancelledBeforeStart(signal: AbortSignal | undefined): LimitError {
  return new LimitError('CANCELLED', 'The call was cancelled before it began', {}, { cause: signal?.reason });
}

function startWatch(signal: AbortSignal): Watch {
  const callbacks = new Set<() => void>();
  const fire = () => {
    endWatch(signal, watch);
    for (const callback of callbacks) {
      callbacks.delete(callback);
      callback();
    }
  };
  const watch = { callbacks, fire };
  watches.set(signal, watch);
  signal.addEventListener('abort', fire, { once: true });
  return watch;
}

function endWatch(signal: AbortSignal, watch: Watch): void {
  signal.removeEventListener('abort', watch.fire);
  if (watches.get(signal) === watch) watches.delete(signal);
}
