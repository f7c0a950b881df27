import { CallerError, ExecutionError } from '../../errors.js';
import type { Log } from '../../log.js';
import { createQueue } from '../../queue/queue.js';
import type { Approval, Approve } from '../code-execution.js';
import { codeSettingFamily } from '../settings.js';
import { within } from './deadline.js';
import { nameOf } from './plain-text.js';

/** A person is asked one question at a time. */
export interface Approvals {
  /** Rejects where the person does not permit the call, or cannot be asked. */
  ask(asked: Approval, signal: AbortSignal): Promise<void>;
}

const mostWaiting = 100;

export function createApprovals(approve: Approve | undefined, log: Log): Approvals {
  const turns = createQueue({ concurrency: 1, queueLength: mostWaiting });
  return {
    async ask(asked, signal) {
      if (approve === undefined) throw refused(asked, `${cause()}, and nobody can be asked here`);
      const isApproved = await turns.run(() => within({ signal }, async (own) => decisionOf(approve, asked, own)), {
        signal,
      });
      if (!isApproved) throw refused(asked, `${cause()}, who did not`);
    },
  };

  async function decisionOf(ask: Approve, asked: Approval, signal: AbortSignal): Promise<boolean> {
    try {
      return (await ask(asked, signal)) === true;
    } catch (error) {
      if (error instanceof ExecutionError) throw error;
      const { run, server, tool } = asked;
      log.error('a person could not be asked', { run, server, tool, error });
      return false;
    }
  }
}

function cause(): string {
  return `a person has to permit each call of it (${codeSettingFamily.flagName('askTools')}, or policy.ask)`;
}

export function refused(called: { readonly server: string; readonly tool: string }, reason: string): CallerError {
  return new CallerError('NOT_ALLOWED', `The tool ${nameOf(called)} may not be called: ${reason}.`);
}
