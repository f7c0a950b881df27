import { LimitError } from '../../errors.js';
import { type Action, subjectOf } from '../record/action.js';
import type { LeftOut } from '../record/left-out.js';
import type { GoodTrial } from './proof.js';
import type { Servers } from './servers.js';
import { type TrialOptions, tryAction } from './trial.js';

/** What came of actions that were tried one after another, as a suite would. */
export interface Pass {
  readonly good: ReadonlyMap<Action, GoodTrial>;
  readonly bad: ReadonlyMap<Action, LeftOut>;
}

export async function tryAll(actions: Iterable<Action>, servers: Servers, options: TrialOptions): Promise<Pass> {
  const good = new Map<Action, GoodTrial>();
  const bad = new Map<Action, LeftOut>();
  for (const action of actions) {
    const server = await servers.current();
    if (options.signal?.aborted) throw new LimitError('CANCELLED', 'The draft of the suite was cancelled');
    if (!server) {
      bad.set(action, { ...subjectOf(action), reason: 'the server had ended, and could not be started again' });
      continue;
    }
    const trial = await tryAction(server, action, options);
    if (trial.isGood) good.set(action, trial);
    else bad.set(action, trial.leftOut);
  }
  return { good, bad };
}
