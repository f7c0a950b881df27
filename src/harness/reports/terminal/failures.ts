import type { CaseReport, Report, SuiteReport } from '../../report.js';
import { linesOfFindings } from '../answer.js';
import { counted, showMs } from '../figures.js';
import { type FindingLine, isCompared, placeOfCase, triesOf } from '../finding.js';
import { cutText, loggedLine, visibleLine } from '../foreign.js';
import type { Paint } from './paint.js';

const maxShown = 50;
const maxFindings = 20;
const maxLastWords = 20;
const maxLineLength = 400;

/** Each failed case with all that is needed to mend it. */
export function failuresText({ suites }: Report, paint: Paint): string {
  const failed = suites.flatMap((suite) =>
    suite.cases.filter(({ status }) => status === 'failed').map((each) => ({ suite, each })),
  );
  const shown = failed.slice(0, maxShown).map(({ suite, each }, index) => failureText(suite, each, index + 1, paint));
  const more = failed.length - shown.length;
  const hasValues = failed.some(({ each }) => each.findings.some(isCompared));
  const legend = `${paint('green', '- expected')}  ${paint('red', '+ came')}\n`;
  return [
    ...(hasValues ? [legend] : []),
    ...shown,
    ...(more > 0 ? [`${counted(more, 'more case')} failed; --json and --html tell of all.\n`] : []),
  ].join('\n');
}

function failureText(suite: SuiteReport, each: CaseReport, number: number, paint: Paint): string {
  const findings = linesOfFindings(each, maxFindings);
  const more = each.findings.length - maxFindings;
  return [
    `${paint(['red', 'bold'], `${number}) ${visibleLine(each.id)}`)}  ${paint('cyan', placeOfCase(suite, each))}`,
    ...aboutCase(each).map((text) => paint('dim', text)),
    ...findings.map((line) => findingLine(line, paint)),
    ...(more > 0 ? [`… ${counted(more, 'more finding')}`] : []),
    ...lastWords(each.stderr ?? [], paint),
  ]
    .map((line, index) => (index === 0 ? `${line}\n` : `   ${line}\n`))
    .join('');
}

function aboutCase(each: CaseReport): readonly string[] {
  const words = [
    [each.request?.method ?? each.kind, each.target ?? ''].join(' ').trim(),
    ...(each.latencyMs === undefined ? [] : [`answered in ${showMs(each.latencyMs)}`]),
    ...(triesOf(each) === undefined ? [] : [triesOf(each) ?? '']),
  ];
  return [cutText(visibleLine(words.join(' · ')), maxLineLength)];
}

function findingLine({ kind, text }: FindingLine, paint: Paint): string {
  const shown = cutText(text, maxLineLength);
  switch (kind) {
    case 'message':
      return shown;
    case 'out':
      return `  ${paint('green', `- ${shown}`)}`;
    case 'in':
      return `  ${paint('red', `+ ${shown}`)}`;
    case 'same':
      return `    ${shown}`;
    case 'note':
      return `  ${paint('cyan', shown)}`;
    case 'quote':
      return paint('dim', `  | ${shown}`);
    case 'place':
      return paint('dim', shown);
  }
}

/** What the server wrote to standard error before the end. */
export function lastWords(stderr: readonly string[], paint: Paint): readonly string[] {
  const lines = stderr.map(loggedLine).filter((line) => line !== '');
  if (lines.length === 0) return [];
  const shown = lines.slice(-maxLastWords).map((line) => paint('dim', `  | ${cutText(line, maxLineLength)}`));
  return ['The server wrote at last:', ...shown];
}
