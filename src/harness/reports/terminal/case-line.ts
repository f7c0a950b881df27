import type { CaseReport } from '../../report.js';
import { showMs } from '../figures.js';
import { triesOf } from '../finding.js';
import { visibleLine } from '../foreign.js';
import { loadLines, outputOfCase } from '../output.js';
import type { Paint } from './paint.js';

const words = { passed: 'ok', failed: 'FAILED', skipped: 'skipped', flaky: 'flaky' } as const;
const marks = { passed: '✓', failed: '✕', skipped: '–', flaky: '~' } as const;
const styles = { passed: 'green', failed: 'red', skipped: 'dim', flaky: 'yellow' } as const;

/** One finished case in a line. Words can be searched for in a log; a person sees a mark sooner. */
export function caseLine(each: CaseReport, paint: Paint, forPerson: boolean): string {
  const outcome = each.status === 'passed' && each.isFlaky ? 'flaky' : each.status;
  const sign = forPerson ? marks[outcome] : words[outcome].padEnd(7);
  const notes = [
    each.status === 'skipped' ? (each.reason ?? '') : showMs(each.durationMs),
    triesOf(each) ?? '',
    each.load ? loadLines(each.load).slice(0, 2).join('; ') : '',
    each.status === 'failed' ? (each.findings[0]?.message ?? '') : '',
  ].filter((note) => note !== '');
  return `  ${paint(styles[outcome], sign)} ${visibleLine(each.id)}  ${paint('dim', notes.map(visibleLine).join('  '))}\n`;
}

/** What its validators said, the values that it gave, and figures, below its line. */
export function caseDetails(each: CaseReport, paint: Paint): string {
  const lines = outputOfCase(each).split('\n');
  return lines.map((line) => (line === '' ? '' : `      ${paint('dim', visibleLine(line))}\n`)).join('');
}
