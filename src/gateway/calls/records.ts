import { ExecutionError, LimitError } from '../../errors.js';
import { onAbort } from '../../queue/abort.js';
import type { JsonObject } from '../../toolbox.js';
import type { Calls } from '../parts.js';
import type { ServedToolbox } from '../service.js';
import { type Call, endingOf, type ServiceFacts, type Step } from './call.js';
import { tellEvent } from './events.js';
import { createReport, type ReportOptions } from './report.js';
import { beginCall, recordOf, type UnderWay } from './under-way.js';
import { type Ending, endOf } from './verdict.js';

/** Runs the work of a call within a span. */
export interface Tracing {
  call<T>(facts: TracedCall, work: () => Promise<T>): Promise<T>;
}

export interface TracedCall {
  readonly service: string;
  readonly tool: string;
  readonly id: string;
  readonly traceparent?: string;
}

export interface RecordsOptions extends ReportOptions {
  readonly tracing?: Tracing;
}

/** Every call that was asked for and is not answered yet. */
export interface Records {
  readonly calls: Calls;
  around(service: ServiceFacts, next: Step): Recorded;
  /** Ends every call, and refuses those that come. */
  close(error: ExecutionError): void;
}

/** The calls of one service. */
export interface Recorded {
  readonly call: ServedToolbox['call'];
  readonly running: number;
  readonly waiting: number;
  /** Resolves when none is under way. */
  idle(): Promise<void>;
  close(error: ExecutionError): void;
}

export function createRecords({ tracing, ...reportOptions }: RecordsOptions): Records {
  const report = createReport(reportOptions);
  const all = new Set<UnderWay>();
  let refusal: ExecutionError | undefined;

  return {
    calls: {
      list: () => [...all].map(recordOf),
      cancel(id) {
        const asked = [...all].filter((call) => call.id === id);
        for (const { controller } of asked) controller.abort(cancelledByAdmin());
        return asked.length > 0;
      },
    },
    around: createRecorded,
    close(error) {
      refusal = error;
      for (const { controller } of all) controller.abort(error);
    },
  };

  function createRecorded(service: ServiceFacts, next: Step): Recorded {
    const own = new Set<UnderWay>();
    const whenIdle = new Set<() => void>();
    let ownRefusal: ExecutionError | undefined;
    return {
      async call(tool, args, options) {
        const entry = beginCall(service.id, tool, options);
        for (const calls of [own, all]) calls.add(entry);
        const ending = await run(entry, args);
        for (const calls of [own, all]) calls.delete(entry);
        report(entry, ending);
        if (own.size === 0) tellIdle();
        if (ending.kind === 'error') throw ending.error;
        return ending.result;
      },
      get running() {
        return [...own].filter(({ startedAt }) => startedAt !== undefined).length;
      },
      get waiting() {
        return [...own].filter(({ startedAt }) => startedAt === undefined).length;
      },
      idle: () => (own.size === 0 ? Promise.resolve() : new Promise((resolve) => whenIdle.add(resolve))),
      close(error) {
        ownRefusal = error;
        for (const { controller } of own) controller.abort(error);
      },
    };

    async function run(entry: UnderWay, args: JsonObject): Promise<Ending> {
      const { id, tool, controller } = entry;
      const { signal, traceparent } = entry.options;
      const refused = refusal ?? ownRefusal ?? (signal?.aborted ? endingOf(signal) : undefined);
      if (refused) return { kind: 'error', error: refused };
      const stopWatching = onAbort(signal, () => controller.abort(signal?.reason));
      const work = () => next(callOf(entry, args, () => own.has(entry)));
      const traced = async () =>
        tracing ? tracing.call({ service: service.id, tool, id, traceparent }, work) : work();
      const ending = await endOf(traced());
      stopWatching();
      return withReason(ending, controller.signal);
    }

    function tellIdle(): void {
      for (const resolve of whenIdle) resolve();
      whenIdle.clear();
    }
  }
}

/** Nothing is told any more of a call that has its answer. */
function callOf(entry: UnderWay, args: JsonObject, isUnderWay: () => boolean): Call {
  const { id, tool, options, controller } = entry;
  return {
    ...options,
    id,
    tool,
    args,
    signal: controller.signal,
    ...(options.onEvent && {
      onEvent: (event) => (isUnderWay() ? tellEvent(options.onEvent, event) : undefined),
    }),
    onStart() {
      entry.startedAt ??= performance.now();
    },
    onCacheStatus(status) {
      if (entry.cacheStatus !== undefined || !isUnderWay()) return;
      entry.cacheStatus = status;
      options.onCacheStatus?.(status);
    },
  };
}

/** A call that was ended from outside says why, unless it was done before. */
function withReason(ending: Ending, signal: AbortSignal): Ending {
  if (!signal.aborted) return ending;
  const error = endingOf(signal);
  if (ending.kind === 'error' && !(ending.error instanceof ExecutionError)) return { kind: 'error', error };
  return error === signal.reason && isCancelled(ending) ? { kind: 'error', error } : ending;
}

function isCancelled(ending: Ending): boolean {
  return ending.kind === 'result'
    ? ending.result.code === 'CANCELLED'
    : ending.error instanceof ExecutionError && ending.error.code === 'CANCELLED';
}

function cancelledByAdmin(): LimitError {
  return new LimitError('CANCELLED', 'The call was cancelled by whoever runs the gateway');
}
