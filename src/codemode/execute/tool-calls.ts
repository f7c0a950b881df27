import { ExecutionError, HostError, LimitError } from '../../errors.js';
import { type Log, reference } from '../../log.js';
import { createQueue } from '../../queue/queue.js';
import type { Ask, JsonObject, OnEvent, Tool, ToolResult } from '../../toolbox.js';
import type { ToolSource } from '../../toolsource.js';
import type { CallSpan, Tracing } from '../../tracing/tracing.js';
import type { ResultSchema } from '../known-tools.js';
import { type Approvals, refused } from './approvals.js';
import type { ChangedServers, PinnedTools } from './changed-servers.js';
import { within } from './deadline.js';
import { createDefinitions } from './definitions.js';
import { nameOf } from './plain-text.js';
import { decide, declaresReadOnly, looksAtDeclarations, type ToolPolicy } from './policy.js';
import { createRecords, type Records } from './records.js';
import { whenRoom } from './room.js';
import { type NamedTool, resolveTool } from './tool-names.js';
import type { Warnings } from './warnings.js';

/** What the calls of every run have in common. */
export interface CallParts {
  readonly source: ToolSource;
  readonly approvals: Approvals;
  readonly changed: ChangedServers;
  readonly pins: () => Promise<PinnedTools>;
  readonly resultSchemas: (server: string, tool: string) => ResultSchema | undefined;
  readonly checkDrift: (known: ResultSchema, result: ToolResult) => string | undefined;
  readonly tracing?: Tracing;
  readonly log: Log;
}

export interface RunOfCalls {
  readonly run: string;
  readonly policy: ToolPolicy;
  readonly maxCalls: number;
  readonly warnings: Warnings;
  readonly onEvent?: OnEvent;
  readonly span?: CallSpan;
}

export interface AskedCall {
  readonly server: string;
  /** Not given: `server` is `server__tool`. */
  readonly tool?: string;
  readonly arguments: JsonObject;
  readonly room?: Ask['room'];
}

/** The tool calls of one run: counted, judged, made and recorded. */
export interface ToolCalls {
  readonly records: Records;
  call(asked: AskedCall, signal: AbortSignal): Promise<ToolResult>;
}

const callsAtOnce = 16;

export function createToolCalls(
  parts: CallParts,
  { run, policy, maxCalls, warnings, onEvent, span }: RunOfCalls,
): ToolCalls {
  const { source, log } = parts;
  const records = createRecords({ run, log });
  const definitions = createDefinitions(source);
  const turns = createQueue({ concurrency: callsAtOnce, queueLength: maxCalls });
  let asked = 0;

  return {
    records,
    async call({ server, tool, arguments: args, room }, signal) {
      const named = resolveTool(server, tool, source.names);
      asked += 1;
      if (asked > maxCalls) throw recorded(named, args, tooMany());
      return turns.run(() => whenRoom({ room, signal }, () => callInTurn(named, args, signal)), { signal });
    },
  };

  async function callInTurn(named: NamedTool, args: JsonObject, signal: AbortSignal): Promise<ToolResult> {
    const record = records.begin(named, args);
    try {
      refuseByName(named);
      const definition = await definitions.find(named, signal);
      await permit(named, args, definition, signal);
      const result = await traced(named, () => send(named, args, signal));
      record.answered(result);
      noticeDrift(named, definition, result);
      return result;
    } catch (error) {
      const told = error instanceof ExecutionError ? error : unexpected(named, error);
      record.failed(told);
      throw told;
    }
  }

  /** Before anything is started for it. */
  function refuseByName(named: NamedTool): void {
    if (!source.names.includes(named.server)) return;
    const decision = decide(policy, { ...named, isReadOnly: true });
    if (decision.kind === 'refused') throw refused(named, decision.reason);
  }

  async function permit(named: NamedTool, args: JsonObject, definition: Tool, signal: AbortSignal): Promise<void> {
    const isReadOnly = looksAtDeclarations(policy) && (await isKnownReadOnly(named, definition));
    const decision = decide(policy, { ...named, isReadOnly });
    if (decision.kind === 'refused') throw refused(named, decision.reason);
    if (decision.kind === 'ask') await parts.approvals.ask({ run, ...named, arguments: args }, signal);
  }

  /** A server must not talk itself into being allowed: what it said when wrappers were generated counts as well. */
  async function isKnownReadOnly({ server, tool }: NamedTool, definition: Tool): Promise<boolean> {
    if (!declaresReadOnly(definition)) return false;
    const pinned = (await parts.pins()).tools(server);
    if (pinned === undefined) return true;
    const before = pinned.get(tool);
    return before !== undefined && declaresReadOnly(before);
  }

  /** How long a call may take is the source's to hold it to; one that was given up is not waited for. */
  async function send({ server, tool }: NamedTool, args: JsonObject, signal: AbortSignal): Promise<ToolResult> {
    try {
      return await within({ signal }, (own) =>
        source.call(server, tool, args, { signal: own, ...(onEvent && { onEvent }) }),
      );
    } finally {
      parts.changed.used(server);
    }
  }

  function traced({ server, tool }: NamedTool, work: () => Promise<ToolResult>): Promise<ToolResult> {
    const { tracing } = parts;
    return tracing ? tracing.call({ service: server, tool, id: run, traceparent: span?.traceparent }, work) : work();
  }

  function noticeDrift(named: NamedTool, { outputSchema }: Tool, result: ToolResult): void {
    if (result.isError) return;
    const declared: ResultSchema | undefined = outputSchema && { schema: outputSchema, origin: 'declared' };
    const known = declared ?? parts.resultSchemas(named.server, named.tool);
    const drift = known && parts.checkDrift(known, result);
    if (drift === undefined) return;
    const isNew = warnings.add(`${nameOf(named)}: ${drift}`);
    if (isNew) log.warn('a result is not what was expected', { run, ...named, drift });
  }

  function unexpected(named: NamedTool, error: unknown): HostError {
    const id = reference();
    log.error('a tool could not be called', { run, ...named, error, reference: id });
    const message = `The tool ${nameOf(named)} could not be called; the log has the reason under ${id}`;
    return new HostError('SERVER_FAILED', message, { reference: id }, { cause: error });
  }

  function recorded(named: NamedTool, args: JsonObject, error: ExecutionError): ExecutionError {
    records.begin(named, args).failed(error);
    return error;
  }

  function tooMany(): LimitError {
    const message = `This run may call no more tools: maxCalls is ${maxCalls}`;
    return new LimitError('CALL_LIMIT', message, { limit: maxCalls });
  }
}
