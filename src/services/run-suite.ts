import { parseSettings, type SettingsInput } from '../config.js';
import { CallerError } from '../errors.js';
import type { RunOptions } from '../harness/harness.js';
import type { Report } from '../harness/report.js';
import type { Selection } from '../harness/run/selection.js';
import type { SuiteInput } from '../harness/suite/schema.js';
import type { Suite } from '../harness/suite.js';
import { createLog, type Log } from '../log.js';
import { nearest } from '../nearest.js';
import { checkOptions } from './run-options.js';

export interface RunSuiteInput extends RunOptions {
  /** What a suite that is given as an object is beside: relative paths in it start from here. */
  readonly folder?: string;
  /** Settings of the engine, for validators. */
  readonly engine?: SettingsInput;
  readonly environment?: NodeJS.ProcessEnv;
  readonly log?: Log;
}

/**
 * Runs a suite, given by its file or as the object that a file would hold, from the start of its server to its end.
 * Rejects where the suite or an option is wrong, and where no case is meant: that would look like one that passed.
 */
export async function runSuite(suite: string | SuiteInput, input: RunSuiteInput = {}): Promise<Report> {
  checkOptions(input);
  const [{ createHarness }, { readSuite, suiteOf }, { selectFrom }] = await Promise.all([
    import('./harness.js'),
    import('../harness/suite/read.js'),
    import('../harness/run/selection.js'),
  ]);
  const { folder = process.cwd(), engine, environment = process.env, log, ...options } = input;
  const settings = parseSettings(engine);
  const { logLevel: level, secrets, logFile: file } = settings;
  const told = log ?? createLog({ level, secrets, file });
  const harness = await createHarness({ engine: settings, environment, log: told });
  try {
    const read =
      typeof suite === 'string'
        ? await readSuite(suite, { environment })
        : await suiteOf(suite, { environment, folder });
    if (hasNothing(read, selectFrom(read, options))) throw nothingToRun(read, options);
    const report = await harness.run([read], options);
    // What checks there are shows only while they run.
    if (report.totals.cases === 0 && report.outcome !== 'interrupted') throw nothingToRun(read, options);
    return report;
  } finally {
    await harness.close();
  }
}

function hasNothing({ document }: Suite, { cases, isComplete }: Selection): boolean {
  const { checks, conformance, capabilities } = document;
  const hasChecks = Object.values(checks).some((check) => check !== undefined && check !== false);
  const looksAtServer = isComplete && capabilities !== undefined;
  return cases.size === 0 && !hasChecks && conformance === undefined && !looksAtServer;
}

function nothingToRun({ cases }: Suite, { filter, tags = [] }: RunOptions): CallerError {
  const asked = [
    ...(filter === undefined ? [] : [`filter ${JSON.stringify(filter)}`]),
    ...(tags.length === 0 ? [] : [`tags ${JSON.stringify(tags)}`]),
  ].join(' and ');
  if (asked === '') {
    return new CallerError('INVALID_ARGUMENTS', 'There is no case to run: the suite has neither cases nor checks');
  }
  const known = filter === undefined ? cases.flatMap(({ spec }) => spec.tags) : cases.map(({ id }) => id);
  const near = nearest(filter ?? tags[0] ?? '', [...new Set(known)]);
  const hint = near === undefined ? '' : `; did you mean ${JSON.stringify(near)}?`;
  const argument = filter === undefined ? 'tags' : 'filter';
  return new CallerError('INVALID_ARGUMENTS', `No case matches ${asked}${hint}`, { argument });
}

export const reportForms = ['text', 'json', 'junit', 'html'] as const;
export type ReportForm = (typeof reportForms)[number];

/** A report as the command writes it: for people, as JSON, as JUnit's XML or as one page of HTML. */
export async function formatReport(report: Report, form: ReportForm): Promise<string> {
  if (form === 'json') return (await import('../harness/reports/json.js')).toJson(report);
  if (form === 'junit') return (await import('../harness/reports/junit.js')).toJunit(report);
  if (form === 'html') return (await import('../harness/reports/html.js')).toHtml(report);
  if (form === 'text') return asText(report);
  const message = `A report has the form ${reportForms.join(', ')}; got ${JSON.stringify(form)}`;
  throw new CallerError('INVALID_ARGUMENTS', message, { argument: 'form' });
}

async function asText(report: Report): Promise<string> {
  const { createTerminalReport } = await import('../harness/reports/terminal.js');
  let text = '';
  const write = (more: string) => {
    text += more;
  };
  createTerminalReport({ write, isTerminal: false }).finish(report);
  return text;
}
