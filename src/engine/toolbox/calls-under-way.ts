import { createError, ExecutionError, type HostError } from '../../errors.js';
import { onAbort } from '../../queue/abort.js';

/** Calls that can be ended together, with an error that says why. */
export interface CallsUnderWay {
  run<T>(signal: AbortSignal | undefined, call: (signal: AbortSignal) => Promise<T>): Promise<T>;
  end(why: HostError): void;
}

export function createCallsUnderWay(): CallsUnderWay {
  let ending = new AbortController();
  return {
    async run(signal, call) {
      const ended = ending.signal;
      const either = new AbortController();
      const stopWatching = [signal, ended].map((one) => onAbort(one, () => either.abort(one?.reason)));
      if (signal?.aborted) either.abort(signal.reason);
      try {
        return await call(either.signal);
      } catch (error) {
        throw ended.aborted && !signal?.aborted ? endedBy(ended.reason, error) : error;
      } finally {
        for (const stop of stopWatching) stop();
      }
    },
    end(why) {
      ending.abort(why);
      ending = new AbortController();
    },
  };
}

/** Nobody cancelled the call; what is known of it stays. */
function endedBy({ code, message }: HostError, error: unknown): unknown {
  if (!(error instanceof ExecutionError) || error.code !== 'CANCELLED') return error;
  return createError(code, message, error.details, { cause: error });
}
