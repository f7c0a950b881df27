import type { JsonObject, Tool } from '../../toolbox.js';
import { checkExpectations } from '../expect/expect.js';
import { hasNumbersAlone } from '../expect/filled-numbers.js';
import type { Action } from '../record/action.js';
import { listExpectation } from '../record/lists.js';
import { type ExpectationInput, expectationOf } from '../record/observed.js';
import type { IsPassing } from '../record/passing.js';
import { actionOf } from '../run/request.js';
import { expectSchema } from '../suite/schema-expect.js';
import { stepOf, type Trial } from './trial.js';

export type GoodTrial = Extract<Trial, { readonly isGood: true }>;

/** What holds of all the trials of an action; or what never would. */
export type Proof = { readonly expectation: ExpectationInput; readonly remark?: string } | { readonly problem: string };

export async function proveExpectation(
  action: Action,
  trials: readonly [GoodTrial, GoodTrial],
  tool: Tool | undefined,
  isPassing: IsPassing,
): Promise<Proof> {
  const hasProgress = trials.every(({ exchange }) => exchange.events.some(({ type }) => type === 'progress'));
  const expectation = { ...seen(action, trials, isPassing), ...(hasProgress && { progress: true as const }) };
  const finding = await firstFinding(expectation);
  if (finding === undefined) return { expectation };
  if (finding.kind !== 'output_schema') return { problem: finding.message };
  const without: ExpectationInput = { ...expectation, output_schema: false };
  const other = await firstFinding(without);
  return other ? { problem: other.message } : { expectation: without, remark: finding.message };

  async function firstFinding(given: ExpectationInput): Promise<{ kind: string; message: string } | undefined> {
    const expect = expectSchema.parse(given);
    if (!hasNumbersAlone(expect)) return undefined;
    for (const { exchange } of trials) {
      const about = {
        expect,
        exchange,
        tool,
        action: actionOf(stepOf(action)),
        schemaTexts: new Map<string, string>(),
      };
      const [finding] = await checkExpectations(about);
      if (finding) return finding;
    }
    return undefined;
  }
}

function seen({ list }: Action, [one, other]: readonly [GoodTrial, GoodTrial], isPassing: IsPassing): ExpectationInput {
  if (list !== undefined) return listedInBoth(list, one.result, other.result);
  const answers = [one, other].map(({ result }) => ({ kind: 'result', result }) as const);
  const [first, ...others] = answers;
  return first ? expectationOf([first, ...others], isPassing) : {};
}

function listedInBoth(list: NonNullable<Action['list']>, one: JsonObject, other: JsonObject): ExpectationInput {
  const again = listExpectation(list, other)?.fields ?? {};
  const fields = Object.entries(listExpectation(list, one)?.fields ?? {}).filter(([path]) =>
    Object.hasOwn(again, path),
  );
  return fields.length > 0 ? { fields: Object.fromEntries(fields) } : {};
}
