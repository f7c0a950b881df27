import { CallerError } from '../errors.js';
import { nearest } from '../nearest.js';

export function wrongFlag(flag: string, reason: string): CallerError {
  return new CallerError('INVALID_ARGUMENTS', `${flag}: ${reason}`, { argument: flag });
}

/** What was probably meant, or what there is. */
export function hintOf(given: string, known: readonly string[], mostShown = 10): string {
  const near = nearest(given, known);
  if (near !== undefined) return `; did you mean ${near}?`;
  const more = known.length > mostShown ? ` and ${known.length - mostShown} more` : '';
  return known.length === 0 ? '' : `; there are ${known.slice(0, mostShown).join(', ')}${more}`;
}
