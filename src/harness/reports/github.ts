import { isAbsolute, relative, resolve, sep } from 'node:path';
import type { CaseReport, Report, SuiteReport } from '../report.js';
import { linesOfFindings } from './answer.js';
import { asText, linesOfFinding, tellsOf, triesOf } from './finding.js';
import { cutText, visibleLine } from './foreign.js';

export { toGithubSummary } from './github-summary.js';

export interface GithubOptions {
  /** The folder of the checkout: GITHUB_WORKSPACE. */
  readonly workspace?: string;
  /** What the names of suites start from; the folder of the process unless said. */
  readonly cwd?: string;
}

/** GitHub shows ten of a kind for a step; a few more stand in its log. */
const maxAnnotations = 50;
const maxMessage = 4000;

/** Workflow commands that put failures beside the lines of the suites. Empty where there is nothing to say. */
export function toGithub(report: Report, options: GithubOptions = {}): string {
  const all = report.suites.flatMap((suite) => suite.cases.map((each) => ({ suite, each })));
  const failed = all.filter(({ each }) => each.status === 'failed');
  const flaky = all.filter(({ each }) => each.status === 'passed' && each.isFlaky);
  const more = failed.length - maxAnnotations;
  return [
    ...failed.slice(0, maxAnnotations).map(({ suite, each }) => errorOf(suite, each, options)),
    ...(more > 0 ? [command('error', {}, `${more} more cases failed; the log and the other reports have them.`)] : []),
    ...flaky.slice(0, maxAnnotations).map(({ suite, each }) => warningOf(suite, each, options)),
    ...report.suites.flatMap((suite) => crashesOf(suite, options)),
  ].join('');
}

function errorOf(suite: SuiteReport, each: CaseReport, options: GithubOptions): string {
  const tries = triesOf(each);
  const lines = linesOfFindings(each).map(asText);
  const message = [...lines, ...(tries === undefined ? [] : [`${tries}.`])].join('\n');
  return command('error', placed(suite, each, options), message === '' ? 'The case failed.' : message);
}

function warningOf(suite: SuiteReport, each: CaseReport, options: GithubOptions): string {
  const lines = (each.earlierFindings ?? []).flatMap((finding) => linesOfFinding(finding).map(asText));
  const message = [`It is flaky: ${triesOf(each) ?? 'it did not always pass'}.`, ...lines].join('\n');
  return command('warning', placed(suite, each, options), message);
}

function crashesOf(suite: SuiteReport, options: GithubOptions): readonly string[] {
  if (tellsOf('crash', suite)) return [];
  const properties = { file: pathOf(suite.file, options), title: 'The server ended unasked' };
  return suite.server.crashes
    .slice(0, maxAnnotations)
    .map(({ during, message }) => command('warning', properties, `During ${during}: ${message}`));
}

type Properties = Readonly<Record<string, string | number | undefined>>;

function placed(suite: SuiteReport, { id, line, column }: CaseReport, options: GithubOptions): Properties {
  return { file: pathOf(suite.file, options), line, col: column, title: `${suite.name}: ${id}` };
}

/** From the top of the checkout, with slashes; as it is where it lies elsewhere. */
function pathOf(file: string, { workspace, cwd = process.cwd() }: GithubOptions): string {
  const path = workspace === undefined ? file : relative(resolve(workspace), resolve(cwd, file));
  const isInside = path !== '' && !isAbsolute(path) && path.split(sep)[0] !== '..';
  return (isInside ? path : file).split(sep).join('/');
}

function command(name: 'error' | 'warning', properties: Properties, message: string): string {
  const said = Object.entries(properties)
    .filter(([, value]) => value !== undefined)
    .map(([key, value]) => `${key}=${escapeProperty(visibleLine(String(value)))}`)
    .join(',');
  const lines = cutText(message, maxMessage).split('\n').map(visibleLine).join('\n');
  return `::${name}${said === '' ? '' : ` ${said}`}::${escapeData(lines)}\n`;
}

function escapeData(text: string): string {
  return text.replace(/%/g, '%25').replace(/\r/g, '%0D').replace(/\n/g, '%0A');
}

function escapeProperty(text: string): string {
  return escapeData(text).replace(/:/g, '%3A').replace(/,/g, '%2C');
}
