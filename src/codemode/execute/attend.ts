import { HostError } from '../../errors.js';
import { onAbort } from '../../queue/abort.js';
import type { Attendance } from '../code-execution.js';
import { createBroker, type ToolIndex } from './broker.js';
import { within } from './deadline.js';
import type { KeptRuns } from './kept-runs.js';
import type { ToolPolicy } from './policy.js';
import type { OperationFacts } from './recorded.js';
import { type CallParts, createToolCalls } from './tool-calls.js';
import { createWarnings } from './warnings.js';

export interface AttendParts {
  readonly run: string;
  readonly callParts: CallParts;
  readonly index: ToolIndex;
  readonly kept: Pick<KeptRuns, 'read'>;
  readonly policy: ToolPolicy;
  readonly maxCalls: number;
}

/** Records the work as one operation, which ends when the signal aborts or everything is closed. */
export type Follow = (
  signal: AbortSignal,
  work: (signal: AbortSignal, facts: OperationFacts) => Promise<void>,
) => Promise<void>;

/** Answers a script that runs elsewhere, from now until it is ended. */
export function attend({ run, callParts, index, kept, policy, maxCalls }: AttendParts, follow: Follow): Attendance {
  const { source, log } = callParts;
  const warnings = createWarnings();
  const calls = createToolCalls(callParts, { run, policy, maxCalls, warnings });
  const answer = createBroker({ calls, index, servers: source.names, warnings, readOutput: kept.read });
  const ending = new AbortController();
  const over = new AbortController();
  const attended = follow(ending.signal, async (signal, facts) => {
    facts.records = calls.records;
    await new Promise<void>((resolve) => onAbort(signal, resolve));
    over.abort();
    for (const sentence of callParts.changed.sentences(calls.records.servers)) warnings.add(sentence);
    for (const warning of warnings.list()) log.warn(warning, { run });
  });
  return {
    run,
    async onAsk(ask) {
      if (over.signal.aborted) throw new HostError('CLOSED', 'Nobody answers this script any longer');
      return within({ signal: ask.signal }, (first) =>
        within({ signal: over.signal }, (second) => answer({ ...ask, signal: AbortSignal.any([first, second]) })),
      );
    },
    async end() {
      ending.abort();
      await attended;
    },
  };
}
