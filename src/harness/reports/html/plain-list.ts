import type { CaseReport, Report, SuiteReport } from '../../report.js';
import { linesOfFindings } from '../answer.js';
import { showMs } from '../figures.js';
import { asText, placeOfCase } from '../finding.js';
import { cutText } from '../foreign.js';
import { summaryLine } from '../summary.js';
import { escapeHtml } from './markup.js';

const maxCases = 2000;
const maxText = 4000;

/** What a reader without scripts sees: all failures first, then the rest. */
export function plainList(report: Report): string {
  const all = report.suites.flatMap((suite) => suite.cases.map((each) => ({ suite, each })));
  const ordered = [
    ...all.filter(({ each }) => each.status === 'failed'),
    ...all.filter(({ each }) => each.status !== 'failed'),
  ];
  const items = ordered.slice(0, maxCases).map(({ suite, each }) => itemOf(suite, each));
  const more = ordered.length - items.length;
  const rest = more > 0 ? `<p>${more} more cases are listed where scripts are allowed.</p>` : '';
  return `<main class="plain"><h1>${escapeHtml(summaryLine(report))}</h1><ul>${items.join('')}</ul>${rest}</main>`;
}

function itemOf(suite: SuiteReport, each: CaseReport): string {
  const said = each.status === 'skipped' ? (each.reason ?? '') : showMs(each.durationMs);
  const line = `${each.status}: ${each.id} (${[said, placeOfCase(suite, each)].filter((text) => text !== '').join(', ')})`;
  const lines = linesOfFindings(each).map(asText);
  const text = lines.length > 0 ? `<pre>${escapeHtml(cutText(lines.join('\n'), maxText))}</pre>` : '';
  return `<li>${escapeHtml(cutText(line, maxText))}${text}</li>`;
}
