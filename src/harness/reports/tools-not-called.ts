import type { SuiteReport } from '../report.js';
import { cutText, visibleLine } from './foreign.js';

const maxName = 100;

/** `2 of 5 tools were not called: add, count`; nothing where all were. */
export function notCalledLine(
  { listed, notCalled }: NonNullable<SuiteReport['toolCoverage']>,
  maxNames = 10,
): readonly string[] {
  if (notCalled.length === 0) return [];
  const names = notCalled
    .slice(0, maxNames)
    .map((name) => cutText(visibleLine(name), maxName))
    .join(', ');
  const more = notCalled.length > maxNames ? ` and ${notCalled.length - maxNames} more` : '';
  const were = notCalled.length === 1 ? 'was' : 'were';
  return [`${notCalled.length} of ${listed} tools ${were} not called: ${names}${more}`];
}
