import type { CaseReport, Report, SuiteReport } from '../../report.js';
import { counted, showBytes, showMs } from '../figures.js';
import { tellsOf, triesOf } from '../finding.js';
import { cutText, loggedLine, visibleLine } from '../foreign.js';
import { notCalledLine } from '../tools-not-called.js';
import { lastWords } from './failures.js';
import type { Paint } from './paint.js';
import { formatRows } from './rows.js';

const maxCrashes = 10;
const maxNoise = 5;
const maxTools = 30;
const maxListed = 10;
const maxOvercome = 3;
const maxLineLength = 400;
/** Cases that take longer are told of. */
const slowMs = 1000;

/** What there is to know of a run beside its failures. Parts that have nothing to say are left out. */
export function overviewText({ suites }: Report, paint: Paint, columns: number): string {
  const isOneOfMany = suites.length > 1;
  return suites
    .map((suite) => {
      const parts = [
        troubles(suite, paint),
        flakyCases(suite, paint),
        slowCases(suite, paint),
        latencies(suite, paint, columns),
        remarks(suite),
      ].filter((part) => part !== '');
      const title = isOneOfMany && parts.length > 0 ? [`${paint('bold', visibleLine(suite.name))}\n`] : [];
      return [...title, ...parts].join('\n');
    })
    .filter((text) => text !== '')
    .join('\n');
}

/** What no case tells of. */
function troubles(suite: SuiteReport, paint: Paint): string {
  const ended = tellsOf('crash', suite) ? [] : suite.server.crashes;
  const lost = tellsOf('stdout', suite) ? [] : suite.server.noise;
  const crashes = ended
    .slice(0, maxCrashes)
    .flatMap(({ during, message, stderr }) => [
      `${paint('red', 'The server ended unasked')} during ${visibleLine(during)}: ${visibleLine(message)}`,
      ...lastWords(stderr, paint).map((line) => `  ${line}`),
    ]);
  const more = ended.length - maxCrashes;
  const noise = lost.slice(0, maxNoise).map((line) => paint('dim', `  | ${loggedLine(line)}`));
  return lines([
    ...crashes,
    ...(more > 0 ? [`It ended ${counted(more, 'more time')}.`] : []),
    ...(noise.length > 0 ? [paint('yellow', 'Lines on standard output that are no messages:'), ...noise] : []),
  ]);
}

function flakyCases({ cases }: SuiteReport, paint: Paint): string {
  const flaky = cases.filter(({ isFlaky }) => isFlaky);
  if (flaky.length === 0) return '';
  const shown = flaky
    .slice(0, maxListed)
    .flatMap((each) => [`  ${visibleLine(each.id)}  ${paint('dim', triesOf(each) ?? '')}`, ...overcome(each, paint)]);
  return lines([paint('yellow', 'Flaky:'), ...shown, ...leftOut(flaky.length)]);
}

/** What failed of a case that passed in the end stands nowhere else. */
function overcome({ earlierFindings = [] }: CaseReport, paint: Paint): readonly string[] {
  return earlierFindings
    .slice(0, maxOvercome)
    .map(({ message }) => paint('dim', `    ${cutText(visibleLine(message), maxLineLength)}`));
}

function slowCases({ cases }: SuiteReport, paint: Paint): string {
  const slow = cases.filter(({ durationMs, load }) => durationMs >= slowMs && load === undefined);
  if (slow.length === 0) return '';
  const shown = slow
    .toSorted((one, other) => other.durationMs - one.durationMs)
    .slice(0, maxListed)
    .map((each) => `  ${visibleLine(each.id)}  ${paint('dim', showMs(each.durationMs))}`);
  return lines([`Slowest:`, ...shown, ...leftOut(slow.length)]);
}

function latencies({ measures, toolCoverage }: SuiteReport, paint: Paint, columns: number): string {
  const { tools, server, validators } = measures;
  const rows = tools
    .slice(0, maxTools)
    .map(({ tool, calls, failures, latency }) => [
      visibleLine(tool),
      `${calls}`,
      `${failures}`,
      showMs(latency.p50Ms),
      showMs(latency.p95Ms),
      showMs(latency.p99Ms),
    ]);
  const titles = ['tool', 'calls', 'failed', 'p50', 'p95', 'p99'];
  const used =
    server && `The server held ${showBytes(server.peakMemoryBytes)} at most, and took ${showMs(server.cpuMs)} of CPU.`;
  const ran = validators && `Validators ran ${counted(validators.runs, 'time')}: p50 ${showMs(validators.wall.p50Ms)}.`;
  return lines([
    ...(rows.length > 0 ? formatRows([titles, ...rows], columns, paint) : []),
    ...(tools.length > maxTools ? [`… ${counted(tools.length - maxTools, 'more tool')}`] : []),
    ...(used === undefined ? [] : [paint('dim', used)]),
    ...(ran === undefined ? [] : [paint('dim', ran)]),
    ...(toolCoverage === undefined ? [] : notCalledLine(toolCoverage)).map((line) => paint('dim', line)),
  ]);
}

function remarks({ snapshots, notes }: SuiteReport): string {
  const { written, updated, unused } = snapshots;
  return lines([
    ...(written > 0 ? [`${counted(written, 'snapshot')} written.`] : []),
    ...(updated > 0 ? [`${counted(updated, 'snapshot')} updated.`] : []),
    ...(unused.length > 0 ? [`${counted(unused.length, 'snapshot')} no longer used: ${listed(unused)}`] : []),
    ...notes.map(visibleLine),
  ]);
}

function listed(names: readonly string[]): string {
  const more = names.length - maxListed;
  return `${names.slice(0, maxListed).map(visibleLine).join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
}

function leftOut(count: number): readonly string[] {
  return count > maxListed ? [`  … ${count - maxListed} more`] : [];
}

function lines(texts: readonly string[]): string {
  return texts.map((text) => `${text}\n`).join('');
}
