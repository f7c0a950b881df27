import type { Tool } from '../../toolbox.js';
import type { Example } from '../checks/check.js';
import { saysReadOnly } from '../checks/tools.js';
import { type Action, subjectOf } from '../record/action.js';
import { createCaseNames } from '../record/case-names.js';
import type { LeftOut } from '../record/left-out.js';
import { withoutVariables } from '../record/literals.js';
import type { IsPassing } from '../record/passing.js';
import { plainLine } from '../record/plain-line.js';
import type { Secrets } from '../record/secrets.js';
import { unsayable } from '../record/unsayable.js';
import { createWording } from '../record/wording.js';
import type { CaseInput } from '../record/writer.js';
import { writtenAction } from '../record/written-action.js';
import type { Pass } from './passes.js';
import type { Plan } from './plan.js';
import { proveExpectation } from './proof.js';
import { reasonNotToCall } from './safety.js';

export interface DraftedCases {
  /** What was left out and can be said comes last, as cases that are skipped. */
  readonly cases: readonly CaseInput[];
  /** What is said about single cases, by their names. */
  readonly remarks: ReadonlyMap<string, readonly string[]>;
  readonly leftOut: readonly LeftOut[];
  /** Calls that were answered well. */
  readonly examples: readonly Example[];
  /** Tools that were called though they do not say that they only read. */
  readonly writing: readonly string[];
}

/** Cases of what was answered alike both times. */
export async function draftCases(
  plan: Plan,
  once: Pass,
  twice: Pass,
  { secrets, isPassing }: { readonly secrets: Secrets; readonly isPassing: IsPassing },
): Promise<DraftedCases> {
  const nameOf = createCaseNames(secrets.isIn);
  const wording = createWording(secrets, new Map());
  const cases: CaseInput[] = [];
  const remarks = new Map<string, readonly string[]>();
  const skipped: CaseInput[] = [];
  const leftOut: LeftOut[] = [...plan.leftOut];
  const examples: Example[] = [];
  const writing: string[] = [];
  for (const action of plan.actions) await draft(action);
  for (const { action, reason } of plan.disabled) leave(action, reason);
  return { cases: [...cases, ...skipped], remarks, leftOut, examples, writing };

  async function draft(action: Action): Promise<void> {
    const [one, other] = [once.good.get(action), twice.good.get(action)];
    if (!one || !other) {
      const { reason } = once.bad.get(action) ?? twice.bad.get(action) ?? { reason: 'it was not tried' };
      return leave(action, once.good.has(action) ? `it was answered once, and then ${reason}` : reason);
    }
    const tool = plan.tools.find(({ name }) => name === action.tool);
    const proof = await proveExpectation(action, [one, other], tool, isPassing);
    if ('problem' in proof) return leave(action, `what it answers is wrong: ${proof.problem}`);
    const name = nameOf(action);
    const expect = wording.expectation(proof.expectation, new Map());
    cases.push({ name, ...writtenAction(action, wording), ...(Object.keys(expect).length > 0 && { expect }) });
    const wrong =
      proof.remark === undefined
        ? []
        : [`Its outputSchema is not held to, as this is wrong: ${secrets.hidden(proof.remark)}`];
    const writes = tool !== undefined && !saysReadOnly(tool);
    remarks.set(name, [...wrong, ...(writes ? [remarkOnWriting(tool)] : [])]);
    if (proof.remark !== undefined) {
      leftOut.push({ what: 'outputSchema of', name: subjectOf(action).name, reason: proof.remark });
    }
    if (action.tool === undefined) return;
    if (writes) writing.push(action.tool);
    examples.push({ tool: action.tool, arguments: action.arguments ?? {}, case: name, ms: other.exchange.ms });
  }

  function leave(action: Action, reason: string): void {
    leftOut.push({ ...subjectOf(action), reason });
    if (action.tool === undefined && action.prompt === undefined) return;
    if (unsayable(action.arguments) !== undefined) return;
    const skip = withoutVariables(plainLine(secrets.hidden(reason)));
    skipped.push({ name: nameOf(action), ...writtenAction(action, wording), skip });
  }
}

function remarkOnWriting(tool: Tool): string {
  const reason = reasonNotToCall(tool);
  return reason === undefined
    ? 'It says that it destroys nothing, but not that it only reads.'
    : `It was called because a person named it: ${reason}.`;
}
