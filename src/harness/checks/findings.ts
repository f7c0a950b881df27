import type { Exchange, Outcome } from '../../testedserver.js';
import type { JsonObject } from '../../toolbox.js';
import { shown } from '../expect/shown.js';
import type { Finding } from '../report.js';

type NoAnswer = Extract<Outcome, { readonly kind: 'none' }>;

export function wrong(message: string, more: Partial<Finding> = {}): Finding {
  return { ...more, kind: 'check', message };
}

export function unanswered(what: string, { code, message }: NoAnswer, more: Partial<Finding> = {}): Finding {
  return { ...more, kind: 'no_answer', message: `${what} got no answer. ${sentence(message)}`, code };
}

export function sentence(message: string): string {
  return /[.!?]$/.test(message) ? message : `${message}.`;
}

/** The call for the detail of a finding, in one line. */
export function callText(tool: string, args: JsonObject): string {
  return `tools/call of ${named(tool)} with ${shown(args)}`;
}

/** A name of a tool in a sentence: as it is where that does no harm, else as JSON. */
export function named(name: string): string {
  return /^[\w.-]{1,128}$/.test(name) ? name : shown(name);
}

/** Whether something was said against the call. */
export function isRefused({ outcome }: Exchange): boolean {
  return outcome.kind === 'error' || (outcome.kind === 'result' && outcome.result.isError === true);
}

export function listed(names: readonly string[], most = 20): string {
  const few = names.slice(0, most).map(named).join(', ');
  return names.length > most ? `${few} and ${names.length - most} more` : few;
}
