import type { CaseReport } from '../../report.js';
import { showMs } from '../figures.js';
import { triesOf } from '../finding.js';
import { visibleLine } from '../foreign.js';
import { loadLines, outputOfCase } from '../output.js';
import type { Paint } from './paint.js';
import { cutTo, widthOf } from './width.js';

/** Where less is left, a message says nothing. */
const leastForMessage = 16;
const words = { passed: 'ok', failed: 'FAILED', skipped: 'skipped', flaky: 'flaky' } as const;
const marks = { passed: '✓', failed: '✕', skipped: '–', flaky: '~' } as const;
const styles = { passed: 'green', failed: 'red', skipped: 'dim', flaky: 'yellow' } as const;

/**
 * One finished case in a line. Words can be searched for in a log; a person sees a mark sooner, and is told at the end all of
 * what does not fit into the columns of the terminal.
 */
export function caseLine(each: CaseReport, paint: Paint, columns?: number): string {
  const outcome = each.status === 'passed' && each.isFlaky ? 'flaky' : each.status;
  const sign = columns === undefined ? words[outcome].padEnd(7) : marks[outcome];
  const notes = [
    each.status === 'skipped' ? (each.reason ?? '') : showMs(each.durationMs),
    triesOf(each) ?? '',
    each.load ? loadLines(each.load).slice(0, 2).join('; ') : '',
  ]
    .filter((note) => note !== '')
    .map(visibleLine);
  const name = visibleLine(each.id);
  const message = messageOf(each, columns, `  x ${name}  ${notes.join('  ')}  `);
  return `  ${paint(styles[outcome], sign)} ${name}  ${paint('dim', [...notes, ...message].join('  '))}\n`;
}

/** Of a failed case. In the columns of a terminal it is what fits behind the rest. */
function messageOf({ status, findings: [first] }: CaseReport, columns: number | undefined, rest: string) {
  if (status !== 'failed' || first === undefined) return [];
  const message = visibleLine(first.message);
  if (columns === undefined) return [message];
  const left = columns - widthOf(rest) - 1;
  return left >= leastForMessage ? [cutTo(message, left)] : [];
}

/** What its validators said, the values that it gave, and figures, below its line. */
export function caseDetails(each: CaseReport, paint: Paint): string {
  const lines = outputOfCase(each).split('\n');
  return lines.map((line) => (line === '' ? '' : `      ${paint('dim', visibleLine(line))}\n`)).join('');
}
