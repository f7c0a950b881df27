import type { CaseReport, Report, SuiteReport } from '../report.js';
import { linesOfFindings } from './answer.js';
import { counted, showBytes, showMs } from './figures.js';
import { asText, firstFailure, placeOfCase, tellsOf, triesOf } from './finding.js';
import { cutText, loggedLine, visibleLine } from './foreign.js';
import { summaryLine } from './summary.js';
import { notCalledLine } from './tools-not-called.js';

/** GitHub takes a megabyte of it; what is longer it shows nothing of. */
const maxLength = 900_000;
const maxFailures = 100;
const maxBlock = 8000;
const maxTools = 50;

/** A page in Markdown for GITHUB_STEP_SUMMARY. Text of servers stands in code blocks, or is escaped. */
export function toGithubSummary(report: Report): string {
  const mark = report.outcome === 'passed' ? '✅' : '❌';
  const isOneOfMany = report.suites.length > 1;
  const ofSuites = report.suites.flatMap((suite) => {
    const pieces = suitePieces(suite).filter((piece) => piece !== '');
    return isOneOfMany && pieces.length > 0 ? [`### ${escaped(suite.name)}\n`, ...pieces] : pieces;
  });
  const pieces = [`## ${mark} ${summaryLine(report)}\n`, suiteTable(report), ...ofSuites];
  let text = '';
  for (const piece of pieces.filter((each) => each !== '')) {
    if (text.length + piece.length > maxLength) return `${text}\nMore did not fit; the other reports have it.\n`;
    text += `${piece}\n`;
  }
  return text;
}

function suiteTable({ suites }: Report): string {
  return table(
    ['Suite', 'Server', 'Passed', 'Failed', 'Skipped', 'Flaky', 'Time'],
    suites.map(({ name, server, totals, durationMs }) => [
      name,
      [server.name ?? server.shown, server.version ?? ''].join(' ').trim(),
      totals.passed,
      totals.failed,
      totals.skipped,
      totals.flaky,
      showMs(durationMs),
    ]),
  );
}

function suitePieces(suite: SuiteReport): readonly string[] {
  const failed = suite.cases.filter(({ status }) => status === 'failed');
  const more = failed.length - maxFailures;
  return [
    ...failed.slice(0, maxFailures).map((each) => failurePiece(suite, each)),
    more > 0 ? `${counted(more, 'more case')} failed.\n` : '',
    ...(tellsOf('crash', suite) ? [] : suite.server.crashes).map(
      ({ during, message, stderr }) =>
        `⚠️ The server ended unasked during ${escaped(during)}: ${escaped(message)}\n${
          stderr.length > 0 ? `\n${block(stderr.map(loggedLine).join('\n'))}` : ''
        }`,
    ),
    flakyPiece(suite),
    measuresPiece(suite),
    ...(suite.toolCoverage === undefined ? [] : notCalledLine(suite.toolCoverage)).map((line) => `${escaped(line)}\n`),
  ];
}

function failurePiece(suite: SuiteReport, each: CaseReport): string {
  const tries = triesOf(each);
  const lines = linesOfFindings(each).map(asText);
  const title = `❌ <b>${escaped(each.id)}</b> · ${escaped(placeOfCase(suite, each))}`;
  const quoted = (each.stderr ?? []).map((line) => `| ${loggedLine(line)}`);
  const text = [...lines, ...(tries === undefined ? [] : [`${tries}.`]), ...quoted].join('\n');
  return `<details><summary>${title}</summary>\n\n${block(text, 'diff')}\n</details>\n`;
}

function flakyPiece({ cases }: SuiteReport): string {
  const flaky = cases.filter(({ isFlaky }) => isFlaky);
  if (flaky.length === 0) return '';
  return table(
    ['Flaky case', 'What happened', 'What failed'],
    flaky.slice(0, maxFailures).map((each) => [each.id, triesOf(each) ?? '', firstFailure(each)]),
  );
}

function measuresPiece({ measures }: SuiteReport): string {
  if (measures.tools.length === 0) return '';
  const rows = measures.tools
    .slice(0, maxTools)
    .map(({ tool, calls, latency }) => [
      tool,
      calls,
      showMs(latency.p50Ms),
      showMs(latency.p95Ms),
      showMs(latency.p99Ms),
    ]);
  const server = measures.server;
  const used =
    server === undefined
      ? ''
      : `\nThe server used ${showBytes(server.peakMemoryBytes)} and ${showMs(server.cpuMs)} of CPU.\n`;
  return `${table(['Tool', 'Calls', 'p50', 'p95', 'p99'], rows)}${used}`;
}

function table(titles: readonly string[], rows: readonly (readonly (string | number)[])[]): string {
  const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |\n`;
  const cells = [titles, ...rows].map((row) => row.map((cell) => escaped(String(cell))));
  const [head = [], ...others] = cells;
  return [head, titles.map(() => '---'), ...others].map(line).join('');
}

/** A fence that nothing inside can close. */
function block(text: string, language = ''): string {
  const inside = cutText(text, maxBlock);
  const longest = Math.max(2, ...[...inside.matchAll(/`+/g)].map(([run]) => run.length));
  const fence = '`'.repeat(longest + 1);
  return `${fence}${language}\n${inside}\n${fence}\n`;
}

/** As text and nothing else, in Markdown and in HTML alike: no markup and no link. */
function escaped(text: string): string {
  return cutText(visibleLine(text), 300).replace(
    /[&<>"'\\`*_[\]|~@#:.]/g,
    (character) => `&#${character.charCodeAt(0)};`,
  );
}
