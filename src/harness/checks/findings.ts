import type { Exchange, Outcome } from '../../testedserver.js';
import type { JsonObject } from '../../toolbox.js';
import { shown } from '../expect/shown.js';
import type { Finding } from '../report.js';
import type { Skipped } from './check.js';

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

/** A call that is refused by itself shows nothing: whoever named it hears of it, and one that was chosen here is left out. */
export function refusedAlone(name: string, args: JsonObject, wasNamed: boolean): readonly Finding[] | Skipped {
  const message = `${named(name)} refuses the call, so that nothing can be seen by it; name arguments that it takes.`;
  return wasNamed ? [wrong(message, { detail: callText(name, args) })] : { skipped: message };
}

export function listed(names: readonly string[], most = 20): string {
  const few = names.slice(0, most).map(named).join(', ');
  return names.length > most ? `${few} and ${names.length - most} more` : few;
}
