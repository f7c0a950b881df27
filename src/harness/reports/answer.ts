import type { CaseReport, Finding } from '../report.js';
import { type FindingLine, linesOfFinding } from './finding.js';
import { cutText, exactLine } from './foreign.js';
import { jsonOf } from './jsontext.js';
import { withoutFigures } from './without-figures.js';

const maxLines = 40;
const maxLineLength = 1000;

/** All that was found of a case, and the answer beneath where that is all there is to see. */
export function linesOfFindings(each: CaseReport, maxFindings = each.findings.length): readonly FindingLine[] {
  return [...each.findings.slice(0, maxFindings).flatMap((finding) => linesOfFinding(finding)), ...answerLines(each)];
}

/** The answer that a validator looked at and failed of, unless its finding shows what came. */
export function answerLines({ findings, response }: CaseReport): readonly FindingLine[] {
  if (response === undefined || !findings.some(showsNothing)) return [];
  const lines = jsonOf(withoutFigures(response)).split('\n');
  const more = lines.length - maxLines;
  return [
    { kind: 'message', text: 'The answer:' },
    ...lines
      .slice(0, maxLines)
      .map((line) => ({ kind: 'quote' as const, text: exactLine(cutText(line, maxLineLength)) })),
    ...(more > 0 ? [{ kind: 'note' as const, text: `… ${more} more ${more === 1 ? 'line' : 'lines'}` }] : []),
  ];
}

function showsNothing({ kind, code, actual }: Finding): boolean {
  const hasLooked = code === undefined || code === 'EXCEPTION';
  return kind === 'validator' && hasLooked && actual === undefined;
}
