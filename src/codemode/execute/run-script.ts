import { createError, ExecutionError, HostError } from '../../errors.js';
import { type Log, reference } from '../../log.js';
import type { CallEvent, OnEvent } from '../../toolbox.js';
import type { CallSpan } from '../../tracing/tracing.js';
import type { ExecuteOptions, ExecuteResult } from '../code-execution.js';
import type { ScriptOutcome, ScriptRunner } from '../script-runner.js';
import type { Workspace } from '../workspace.js';
import { createBroker, type ToolIndex } from './broker.js';
import type { KeptRuns } from './kept-runs.js';
import { createRunOutput, type RunOutput } from './output.js';
import type { ToolPolicy } from './policy.js';
import type { OperationFacts } from './recorded.js';
import type { Records } from './records.js';
import type { RunLimits } from './run-limits.js';
import type { SavedScripts } from './saved-scripts.js';
import type { ScriptText } from './script-text.js';
import { type CallParts, createToolCalls } from './tool-calls.js';
import { createWarnings, type Warnings } from './warnings.js';

export interface RunParts {
  readonly runner: () => Promise<ScriptRunner>;
  readonly workspace: Workspace;
  readonly search: ToolIndex;
  readonly callParts: CallParts;
  readonly kept: KeptRuns;
  readonly saved: SavedScripts;
}

/** A run of which everything was checked. */
export interface RunPlan {
  readonly run: string;
  readonly script: ScriptText;
  readonly limits: RunLimits;
  readonly policy: ToolPolicy;
  readonly options: ExecuteOptions;
  readonly signal: AbortSignal;
  readonly facts: OperationFacts;
}

export async function runScript(parts: RunParts, plan: RunPlan): Promise<ExecuteResult> {
  const { callParts } = parts;
  const { tracing } = callParts;
  if (!tracing) return run(parts, plan);
  return tracing.call({ service: 'code-execution', tool: 'execute_script', id: plan.run }, (span) =>
    run(parts, plan, span),
  );
}

async function run(parts: RunParts, plan: RunPlan, span?: CallSpan): Promise<ExecuteResult> {
  const { callParts, kept, search } = parts;
  const { run: id, script, limits, policy, options, signal, facts } = plan;
  const warnings = createWarnings();
  const calls = createToolCalls(callParts, { run: id, policy, maxCalls: limits.maxCalls, warnings, span });
  const { records } = calls;
  const output = createRunOutput({ run: id, kept, shownBytes: limits.shownBytes });
  const servers = callParts.source.names;
  const onAsk = createBroker({ calls, index: search, servers, warnings, readOutput: kept.read });
  facts.records = records;
  const work = {
    source: script.source,
    filename: script.filename,
    argv: options.args,
    context: options.context,
    packages: { servers: parts.workspace.servers },
  };
  const onEvent = (event: CallEvent) => both(output.take(event), options.onEvent, event);
  const { caller } = options;
  const outcome = await parts
    .runner()
    .then((runner) => runner.run(work, { signal, onEvent, onAsk, caller, limits: limits.ofRunner }))
    .catch(async (error: unknown) => {
      throw await failureOf({ error, plan, output, records, log: callParts.log });
    });
  const shown = await output.finish(outcome);
  facts.bytes = shown.bytes;
  const isSaved = await saveIfAsked(parts, plan, warnings);
  for (const sentence of callParts.changed.sentences(records.servers)) warnings.add(sentence);
  return {
    run: id,
    value: shown.value,
    stdout: shown.stdout,
    stderr: shown.stderr,
    logs: shownLogs(outcome.logs, limits.shownBytes, warnings),
    files: outcome.files,
    calls: records.list(),
    callCount: records.count,
    figures: outcome.figures,
    cut: shown.cut,
    warnings: warnings.list(),
    ...(isSaved && { saved: options.save }),
  };
}

/** The caller's own code may fail without the output being lost. */
function both(
  kept: Promise<void> | undefined,
  onEvent: OnEvent | undefined,
  event: CallEvent,
): Promise<void> | undefined {
  const told = onEvent?.(event);
  if (!kept || !told) return kept ?? told ?? undefined;
  return Promise.all([kept, told]).then(() => undefined);
}

interface FailedRun {
  readonly error: unknown;
  readonly plan: RunPlan;
  readonly output: RunOutput;
  readonly records: Records;
  readonly log: Log;
}

/** The error of the runner, with what a result would have told. */
async function failureOf({ error, plan, output, records, log }: FailedRun): Promise<ExecutionError> {
  const { code, message, details } = endingOf(error, plan, log);
  const { stdout = '', stderr = '' } = details;
  const shown = await output.finish({ stdout, stderr, value: null });
  plan.facts.bytes = shown.bytes;
  const told = { ...details, stdout: shown.stdout, stderr: shown.stderr, run: plan.run, calls: records.list() };
  return createError(code, message, told, { cause: error });
}

function endingOf(error: unknown, { run: id, signal }: RunPlan, log: Log): ExecutionError {
  const isExpected = error instanceof ExecutionError;
  const { reason } = signal;
  const wasEnded = signal.aborted && reason instanceof ExecutionError && (!isExpected || error.code === 'CANCELLED');
  if (wasEnded) return createError(reason.code, reason.message, isExpected ? error.details : {});
  if (isExpected) return error;
  const shown = reference();
  log.error('a script could not be run', { run: id, error, reference: shown });
  const message = `The script could not be run; the log has the reason under ${shown}`;
  return new HostError('WIRE_BROKEN', message, { reference: shown });
}

/** The run was good: that it cannot be saved is told, and nothing of it is lost. */
async function saveIfAsked({ saved, callParts }: RunParts, plan: RunPlan, warnings: Warnings): Promise<boolean> {
  const { save } = plan.options;
  if (save === undefined) return false;
  try {
    const { isReplaced } = await saved.save(save, plan.script.bytes);
    if (isReplaced) warnings.add(`The script that was saved as ${save} before is replaced.`);
    return true;
  } catch (error) {
    callParts.log.error('a script could not be saved', { run: plan.run, save, error });
    warnings.add(`The script could not be saved as ${save}: scripts/ in the workspace cannot be written.`);
    return false;
  }
}

function shownLogs(logs: ScriptOutcome['logs'], maxBytes: number, warnings: Warnings): ScriptOutcome['logs'] {
  let bytes = 0;
  const shown = logs.filter(({ message }) => {
    bytes += Buffer.byteLength(message) + 1;
    return bytes <= maxBytes;
  });
  const leftOut = logs.length - shown.length;
  if (leftOut > 0) warnings.add(`The last ${leftOut} log messages are left out: more was logged than is shown.`);
  return shown;
}
