import type { CaseReport, Report, SuiteReport } from '../report.js';
import { answerLines } from './answer.js';
import { asText, isBreakage, linesOfFinding, placeOfCase, triesOf } from './finding.js';
import { cutText, loggedLine, visibleLine } from './foreign.js';
import { outputOfCase } from './output.js';
import { type Element, toXml } from './xml.js';

const maxOutput = 32_000;
const maxMessage = 1000;
/** A tool that reads the file shows each; more tell nobody more. */
const maxReruns = 20;

/** A report in the form that Jenkins, GitLab and others read. */
export function toJunit(report: Report): string {
  const counts = report.suites.map(countsOf);
  const sum = (key: 'tests' | 'failures' | 'errors') => counts.reduce((total, each) => total + each[key], 0);
  return toXml({
    name: 'testsuites',
    attributes: {
      name: 'mcp-exec test',
      tests: sum('tests'),
      failures: sum('failures'),
      errors: sum('errors'),
      time: seconds(report.durationMs),
    },
    children: report.suites.map((suite) => suiteElement(suite, report)),
  });
}

function suiteElement(suite: SuiteReport, report: Report): Element {
  return {
    name: 'testsuite',
    attributes: {
      name: suite.name,
      ...countsOf(suite),
      time: seconds(suite.durationMs),
      timestamp: report.startedAt,
      file: suite.file,
    },
    children: [
      { name: 'properties', children: propertiesOf(suite, report) },
      ...suite.cases.map((each) => caseElement(each, suite, classNameOf(suite, report))),
      ...optional('system-out', suite.notes.join('\n')),
      ...optional('system-err', troublesOf(suite).join('\n')),
    ],
  };
}

function countsOf({ cases }: SuiteReport) {
  const failed = cases.filter(({ status }) => status === 'failed');
  const errors = failed.filter(isError).length;
  const skipped = cases.filter(({ status }) => status === 'skipped').length;
  return { tests: cases.length, failures: failed.length - errors, errors, skipped };
}

/** Nothing was judged: all that was found is that something broke. */
function isError({ findings }: CaseReport): boolean {
  return findings.length > 0 && findings.every(isBreakage);
}

function propertiesOf({ server }: SuiteReport, { environment }: Report): readonly Element[] {
  const values = {
    'server.kind': server.kind,
    'server.shown': server.shown,
    'server.name': server.name,
    'server.version': server.version,
    'server.protocol': server.protocolVersion,
    'server.starts': server.starts,
    'mcp-execution': environment.mcpExecution,
    node: environment.node,
    platform: environment.platform,
  };
  return Object.entries(values).flatMap(([name, value]) =>
    value === undefined ? [] : [{ name: 'property', attributes: { name, value } }],
  );
}

/** Readers take a dot for the end of a package, and cases of one class and name for the same case. */
function classNameOf({ name, file }: SuiteReport, { suites }: Report): string {
  const isOneOfMany = suites.filter((each) => each.name === name).length > 1;
  return (isOneOfMany ? file.replace(/\.(?:ya?ml|json)$/i, '') : name).replaceAll('.', '_');
}

function caseElement(each: CaseReport, suite: SuiteReport, classname: string): Element {
  return {
    name: 'testcase',
    attributes: {
      name: each.id,
      classname,
      time: seconds(each.durationMs),
      group: each.tags.length > 0 ? each.tags.join(',') : undefined,
    },
    children: [
      ...outcomeElements(each, suite),
      ...optional('system-out', outputOfCase(each)),
      ...optional('system-err', (each.stderr ?? []).map(loggedLine).join('\n')),
    ],
  };
}

function outcomeElements(each: CaseReport, suite: SuiteReport): readonly Element[] {
  if (each.status === 'skipped') return [{ name: 'skipped', attributes: { message: each.reason ?? 'skipped' } }];
  const { type, message, text } = failureOf(each, suite);
  if (each.status === 'passed') {
    if (!each.isFlaky) return [];
    return Array.from({ length: within(each.attempts - 1) }, () => ({
      name: 'flakyFailure',
      attributes: { message, type },
      children: [{ name: 'stackTrace', text }],
    }));
  }
  const isOfError = isError(each);
  const rerun = isOfError ? 'rerunError' : 'rerunFailure';
  const reruns = each.attempts > 1 ? within(each.attempts - 1) : 0;
  return [
    { name: isOfError ? 'error' : 'failure', attributes: { message, type }, text },
    ...Array.from({ length: reruns }, (_, index) => ({
      name: rerun,
      attributes: { message: `Try ${index + 2} of ${each.attempts} failed too.`, type },
    })),
  ];
}

function failureOf(each: CaseReport, suite: SuiteReport): { type: string; message: string; text: string } {
  const findings = each.earlierFindings ?? each.findings;
  const [first, ...others] = findings;
  const tries = triesOf(each);
  const more = others.length > 0 ? ` (and ${others.length} more)` : '';
  const message = visibleLine(`${first?.message ?? tries ?? 'It failed.'}${more}`);
  const found = findings.flatMap((finding) => [...linesOfFinding(finding).map(asText), '']);
  const lines = [...found, ...answerLines(each).map(asText)];
  const text = [placeOfCase(suite, each), ...(tries === undefined ? [] : [tries]), '', ...lines].join('\n');
  const code = first?.code === undefined ? '' : `.${first.code}`;
  return {
    type: `${first?.kind ?? 'failed'}${code}`,
    message: cutText(message, maxMessage),
    text: cutText(text.trimEnd(), maxOutput),
  };
}

function troublesOf({ server }: SuiteReport): readonly string[] {
  return [
    ...server.crashes.flatMap(({ during, message, stderr }) => [
      `During ${visibleLine(during)}: ${visibleLine(message)}`,
      ...stderr.map((line) => `  ${loggedLine(line)}`),
    ]),
    ...server.noise.map((line) => `On standard output, no message: ${loggedLine(line)}`),
  ];
}

function optional(name: string, text: string): readonly Element[] {
  return text === '' ? [] : [{ name, text: cutText(text, maxOutput) }];
}

function within(reruns: number): number {
  return Math.max(1, Math.min(maxReruns, reruns));
}

function seconds(ms: number): string {
  return (Math.min(ms, Number.MAX_SAFE_INTEGER) / 1000).toFixed(3);
}
