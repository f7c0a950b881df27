import { ExecutionError } from '../../errors.js';
import type { Log } from '../../log.js';
import type { Records } from './records.js';
import type { Operation, RunLog } from './run-log.js';

export interface RecordedOperation {
  readonly op: Operation;
  readonly run: string;
  readonly runLog: RunLog;
  readonly log: Log;
}

/** What becomes known of an operation while it goes on. */
export interface OperationFacts {
  records?: Pick<Records, 'counts'>;
  bytes?: number;
  /** Of one that has a result, and failed all the same. */
  code?: string;
}

/** Whatever comes of it, an operation is logged once. */
export async function recorded<T>(
  { op, run, runLog, log }: RecordedOperation,
  work: (facts: OperationFacts) => Promise<T>,
): Promise<T> {
  const startedAt = performance.now();
  const facts: OperationFacts = {};
  try {
    const result = await work(facts);
    await end(facts.code);
    return result;
  } catch (error) {
    await end(error instanceof ExecutionError ? error.code : 'INTERNAL');
    throw error;
  }

  async function end(code: string | undefined): Promise<void> {
    const ms = Math.round(performance.now() - startedAt);
    const outcome = code === undefined ? 'done' : 'failed';
    const { records, bytes } = facts;
    const entry = { op, run, ms, outcome, ...(code && { code }), ...(bytes !== undefined && { bytes }) } as const;
    log.info('operation ended', entry);
    await runLog.record({ ...entry, ...(records && { calls: records.counts() }) });
  }
}
