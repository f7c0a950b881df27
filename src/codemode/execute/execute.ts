import { HostError } from '../../errors.js';
import type { Log } from '../../log.js';
import { onAbort } from '../../queue/abort.js';
import { createQueue } from '../../queue/queue.js';
import type { JsonObject, OnEvent } from '../../toolbox.js';
import type { Tracing } from '../../tracing/tracing.js';
import type {
  Approve,
  Attendance,
  CalledTool,
  ExecuteOptions,
  ExecuteResult,
  OutputName,
  SavedScript,
  WorkOptions,
} from '../code-execution.js';
import type { ScriptRunner } from '../script-runner.js';
import type { CodeSettings } from '../settings.js';
import type { Workspace } from '../workspace.js';
import { createApprovals } from './approvals.js';
import { attend } from './attend.js';
import type { ToolIndex } from './broker.js';
import { createChangedServers } from './changed-servers.js';
import { checkOptions } from './check-options.js';
import { createKeptRuns } from './kept-runs.js';
import { intersect, readHostPolicy, readRunPolicy, slipsIn } from './policy.js';
import { recorded } from './recorded.js';
import { createRunId } from './run-id.js';
import { readLimits } from './run-limits.js';
import { createRunLog, type RunLog } from './run-log.js';
import { runScript } from './run-script.js';
import { createSavedScripts } from './saved-scripts.js';
import { readScript } from './script-text.js';
import { createStartRate } from './start-rate.js';
import { type CallParts, createToolCalls } from './tool-calls.js';
import { createWarnings } from './warnings.js';

export type { ToolIndex } from './broker.js';
export type { PinnedTools } from './changed-servers.js';
export { createRunLog, type RunLog, type RunLogEntry, type RunLogSummary } from './run-log.js';

export interface ExecuteParts extends Pick<CallParts, 'source' | 'pins' | 'resultSchemas' | 'checkDrift'> {
  /** Asked for with each run; whoever makes it closes it. */
  readonly runner: () => Promise<ScriptRunner>;
  readonly workspace: Workspace;
  readonly settings: CodeSettings;
  readonly search: ToolIndex;
  readonly approve?: Approve;
  readonly tracing?: Tracing;
  readonly log: Log;
  /** Where the other operations are recorded as well. */
  readonly runLog?: RunLog;
}

/** Scripts that call tools: run, kept, and recorded. */
export interface Execute {
  execute(options: ExecuteOptions): Promise<ExecuteResult>;
  callTool(server: string, tool: string, args: JsonObject, options?: WorkOptions): Promise<CalledTool>;
  /** Answers a script that runs elsewhere; that is one run, until it is ended. */
  attend(): Promise<Attendance>;
  savedScripts(): Promise<readonly SavedScript[]>;
  readOutput(asked: { readonly run: string; readonly stream?: OutputName }): Promise<string>;
  /** Wrappers were generated: servers are compared with them anew. */
  wrappersChanged(): void;
  /** Ends what runs and refuses what waits; resolves when nothing is under way. */
  close(): Promise<void>;
}

const mostWaiting = 100;

export function createExecute(parts: ExecuteParts): Execute {
  const { source, settings, workspace, log, runLog = createRunLog(workspace, { log }) } = parts;
  const hostPolicy = readHostPolicy(settings);
  const approvals = createApprovals(parts.approve, log);
  const changed = createChangedServers({ source, pins: parts.pins, log });
  const kept = createKeptRuns({ workspace, keepRuns: settings.keepRuns, log });
  const saved = createSavedScripts(workspace);
  const rate = createStartRate(settings.runsPerMinute);
  const queue = createQueue({ concurrency: settings.maxRuns, queueLength: mostWaiting, positionMs: 1000 });
  const callParts: CallParts = { ...parts, approvals, changed };
  const runParts = { ...parts, callParts, kept, saved };
  const underWay = new Map<Promise<unknown>, AbortController>();
  let isClosed = false;
  for (const slip of slipsIn(hostPolicy, source.names)) log.warn(`A rule may not mean what it says: ${slip}`);

  return {
    execute: (options) =>
      followed(options.signal, async (signal) => {
        const run = createRunId();
        return recorded({ op: 'execute_script', run, runLog, log }, async (facts) => {
          const plan = await planOf(run, options);
          rate.take();
          const { caller, onEvent } = options;
          return queue.run(() => runScript(runParts, { ...plan, options, signal, facts }), {
            caller,
            signal,
            onPosition: tellPosition(onEvent),
          });
        });
      }),
    callTool: (server, tool, args, options = {}) =>
      followed(options.signal, async (signal) => {
        const run = createRunId();
        return recorded({ op: 'call_tool', run, runLog, log }, async (facts) => {
          const warnings = createWarnings();
          const { onEvent } = options;
          const calls = createToolCalls(callParts, { run, policy: hostPolicy, maxCalls: 1, warnings, onEvent });
          facts.records = calls.records;
          const {
            content,
            structuredContent,
            isError = false,
          } = await calls.call({ server, tool, arguments: args }, signal);
          if (isError) facts.code = 'TOOL_FAILED';
          return { content, ...(structuredContent && { structuredContent }), isError };
        });
      }),
    async attend() {
      if (isClosed) throw closedError();
      const run = createRunId();
      const { maxCalls } = settings;
      return attend({ callParts, index: parts.search, kept, run, policy: hostPolicy, maxCalls }, (signal, work) =>
        followed(signal, (own) => recorded({ op: 'execute_script', run, runLog, log }, (facts) => work(own, facts))),
      );
    },
    savedScripts: () => saved.list(),
    readOutput: (asked) => kept.read(asked),
    wrappersChanged: () => changed.forget(),
    async close() {
      isClosed = true;
      queue.close(closedError);
      for (const controller of underWay.values()) controller.abort(closedError());
      await Promise.allSettled(underWay.keys());
      await changed.close();
    },
  };

  /** Everything that there is to say against a run is said before it waits for its turn. */
  async function planOf(run: string, options: ExecuteOptions) {
    checkOptions(options);
    if (options.save !== undefined) saved.checkName(options.save);
    return {
      run,
      limits: readLimits(options.limits, settings),
      policy: intersect(hostPolicy, readRunPolicy(options.policy, source.names)),
      script: await readScript(options, saved),
    };
  }

  /** Work that the caller may give up, and that closing ends. */
  function followed<T>(given: AbortSignal | undefined, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
    if (isClosed) return Promise.reject(closedError());
    const own = new AbortController();
    const stopWatching = onAbort(given, () => own.abort(given?.reason));
    if (given?.aborted) own.abort(given.reason);
    const result = work(own.signal).finally(() => {
      stopWatching();
      underWay.delete(result);
    });
    underWay.set(result, own);
    return result;
  }
}

/** What the caller's own code throws is not the run's fault. */
function tellPosition(onEvent: OnEvent | undefined): ((position: number) => void) | undefined {
  if (!onEvent) return undefined;
  return (position) => {
    const tell = async () => onEvent({ type: 'queued', position });
    tell().catch(() => undefined);
  };
}

function closedError(): HostError {
  return new HostError('CLOSED', 'Code execution is closed');
}
