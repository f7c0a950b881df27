import type { Exchange, TestedServer } from '../../testedserver.js';
import { isJsonObject, type JsonObject } from '../../toolbox.js';
import { textOf } from '../expect/answer.js';
import { type Action, subjectOf } from '../record/action.js';
import type { LeftOut } from '../record/left-out.js';
import { plainLine } from '../record/plain-line.js';
import { unsayable } from '../record/unsayable.js';
import { requestOf, send } from '../run/request.js';
import { type CaseSpec, caseSchema } from '../suite/schema.js';

export interface TrialOptions {
  readonly timeoutMs: number;
  readonly signal?: AbortSignal;
}

/** What came of an action that was tried: an answer that a case can be made of, or why none can. */
export type Trial =
  | { readonly isGood: true; readonly exchange: Exchange; readonly result: JsonObject }
  | { readonly isGood: false; readonly leftOut: LeftOut };

const asksThePerson: ReadonlySet<string> = new Set(['elicitation/create', 'sampling/createMessage']);
const longestReason = 200;

/** Does what a case would do, once. */
export async function tryAction(server: TestedServer, action: Action, options: TrialOptions): Promise<Trial> {
  const problem = unsayable(action.arguments);
  if (problem !== undefined) return { isGood: false, leftOut: { ...subjectOf(action), reason: problem } };
  const asked = server.asked.length;
  const step = stepOf(action);
  const { exchange, finding } = await send(server, step, requestOf(step), options);
  const question = server.asked.slice(asked).find((method) => asksThePerson.has(method));
  const reason =
    question === undefined ? (reasonAgainst(action, exchange) ?? finding?.message) : `it asks the user (${question})`;
  const { outcome } = exchange;
  if (reason === undefined && outcome.kind === 'result') return { isGood: true, exchange, result: outcome.result };
  return { isGood: false, leftOut: { ...subjectOf(action), reason: reason ?? 'it was not answered' } };
}

export function stepOf(action: Action): CaseSpec {
  return caseSchema.parse({ name: 'trial', ...action });
}

function reasonAgainst(action: Action, { outcome }: Exchange): string | undefined {
  if (outcome.kind === 'none') return plainLine(outcome.message, longestReason);
  if (outcome.kind === 'error') return `${refusal(action)}: ${plainLine(outcome.error.message, longestReason)}`;
  const { result } = outcome;
  if (result.resultType === 'input_required') return 'it asks the user';
  if (isJsonObject(result.task)) return 'it runs as a task';
  return result.isError === true ? `${refusal(action)}: ${plainLine(textOf(result), longestReason)}` : undefined;
}

function refusal({ tool, prompt, arguments: args }: Action): string {
  if (tool === undefined && prompt === undefined) return 'it was refused';
  return args ? 'the example arguments were refused' : 'it was refused without arguments';
}
