import type { ServerContext } from '@modelcontextprotocol/server';
import { ExecutionError } from '../../errors.js';
import type { CallOptions, OnEvent, Toolbox, ToolResult } from '../../toolbox.js';
import type { Asking } from './asking.js';
import type { Endpoint } from './endpoint.js';
import type { Gate } from './gate.js';
import type { HeldSession } from './held-sessions.js';

/** How the calls of one request reach their service. */
export interface CallScene {
  readonly endpoint: Endpoint;
  readonly asking: Asking;
  hold(meta: ServerContext['mcpReq']['_meta'], callId: string): HeldSession;
  /** Ends the call beside what the protocol ends it by. */
  readonly signal?: AbortSignal;
  readonly gate?: Gate;
}

/** A toolbox for the calls of one request, with everything that the gateway wants to know of a call. */
export function callsOf(scene: CallScene, { mcpReq }: ServerContext): Pick<Toolbox, 'call'> {
  const { endpoint, asking, gate } = scene;
  return {
    async call(name, args, options = {}) {
      const marks = asking.nextCall();
      const held = scene.hold(mcpReq._meta, marks.id ?? '');
      let result: ToolResult | undefined;
      try {
        result = await endpoint.toolbox.call(name, args, {
          ...options,
          ...marks,
          session: held.name,
          signal: eitherOf(options.signal, scene.signal),
          ...(options.onEvent && { onEvent: gate ? gated(options.onEvent, gate) : options.onEvent }),
        });
        return result;
      } catch (error) {
        if (error instanceof ExecutionError) asking.failure = error;
        throw error;
      } finally {
        held.release(result);
      }
    },
  };
}

function eitherOf(one: CallOptions['signal'], other: CallOptions['signal']): AbortSignal | undefined {
  return one && other ? AbortSignal.any([one, other]) : (one ?? other);
}

/** Events are held back by whoever passes them on, and by a client that does not read. */
function gated(onEvent: OnEvent, gate: Gate): OnEvent {
  return (event) => {
    const passed = onEvent(event);
    const room = gate.room();
    return room ? Promise.all([passed, room]).then(() => {}) : passed;
  };
}
