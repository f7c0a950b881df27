import { ExecutionError, LimitError } from '../../errors.js';
import type { JsonObject, ToolResult } from '../../toolbox.js';
import type { GatewayCallOptions, ServiceToolbox } from '../service.js';

/** One call on its way through the pipeline. */
export interface Call extends GatewayCallOptions {
  readonly tool: string;
  readonly args: JsonObject;
  readonly id: string;
  readonly signal: AbortSignal;
  /** Told when it need not wait any longer. */
  readonly onStart: () => void;
}

/** A part of the pipeline: answers a call, mostly by handing it on to the next. */
export type Step = (call: Call) => Promise<ToolResult>;

/** What the pipeline is told of a service that it serves. */
export interface ServiceFacts {
  readonly id: string;
  /** Another one whenever the same call may give something else. */
  version(): string;
  /** Its calls take part in the concurrency of the gateway; otherwise it has a queue of its own. */
  readonly usesSlots: boolean;
  /** What a tool answers depends on the calls before it. */
  readonly keepsState?: boolean;
  /** Calls at once of a service with a queue of its own. */
  concurrency?(): number;
  /** Time that a call of it may take, and beside it the time that making ready for the call may. */
  timeoutMs?(): number;
  startMs?(): number;
}

export type CalledToolbox = Pick<ServiceToolbox, 'listTools' | 'call' | 'onToolsChanged'>;

/** Why a call was ended from outside. */
export function endingOf({ reason }: AbortSignal): ExecutionError {
  if (reason instanceof ExecutionError) return reason;
  return new LimitError('CANCELLED', 'The call was cancelled', {}, { cause: reason });
}
