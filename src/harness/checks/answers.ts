import type { Exchange } from '../../testedserver.js';
import type { JsonValue } from '../../toolbox.js';
import { answerOf } from '../expect/answer.js';

/** The answer without what is said about it: times and numbers of the call may be in there. */
export function comparable({ outcome }: Exchange): JsonValue {
  if (outcome.kind === 'none') return null;
  const { _meta, ...answer } = answerOf(outcome);
  return answer;
}
