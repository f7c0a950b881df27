import { type LeftOut, leftOutLine } from '../harness/record/left-out.js';
import type { SecretVariable } from '../harness/record/secrets.js';
import { harmless } from './harmless.js';
import type { Terminal } from './terminal.js';

const mostShown = 30;

/** What a suite that was written has no case for. All of it stands in the suite itself. */
export function tellLeftOut(leftOut: readonly LeftOut[], terminal: Terminal): void {
  if (leftOut.length === 0) return;
  const lines = leftOut.slice(0, mostShown).map((each) => `  ${harmless(leftOutLine(each))}${moreOf(each)}\n`);
  const rest = leftOut.length - lines.length;
  const more = rest > 0 ? `  and ${rest} more, which the suite names\n` : '';
  terminal.note(`Left out:\n${lines.join('')}${more}`);
}

function moreOf({ more = [] }: LeftOut): string {
  return more.length === 0 ? '' : ` (and ${more.length} more, which the suite names)`;
}

/** Secrets are not written into suites. */
export function tellVariables(variables: readonly SecretVariable[], terminal: Terminal): void {
  for (const { name, where, isSet } of variables) {
    if (!isSet) terminal.note(`Set the variable ${name} before the suite is run: a secret in ${harmless(where)}.\n`);
  }
}
