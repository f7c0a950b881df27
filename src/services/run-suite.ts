import { parseSettings, type SettingsInput } from '../config.js';
import { CallerError } from '../errors.js';
import type { RunOptions } from '../harness/harness.js';
import type { Report } from '../harness/report.js';
import type { SuiteInput } from '../harness/suite/schema.js';
import { createLog, type Log } from '../log.js';

export interface RunSuiteInput extends RunOptions {
  /** What a suite that is given as an object is beside: relative paths in it start from here. */
  readonly folder?: string;
  /** Settings of the engine, for validators. */
  readonly engine?: SettingsInput;
  readonly environment?: NodeJS.ProcessEnv;
  readonly log?: Log;
}

/** Runs a suite, given by its file or as the object that a file would hold, from the start of its server to its end. */
export async function runSuite(suite: string | SuiteInput, input: RunSuiteInput = {}): Promise<Report> {
  const [{ createHarness }, { readSuite, suiteOf }] = await Promise.all([
    import('./harness.js'),
    import('../harness/suite/read.js'),
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
    return await harness.run([read], options);
  } finally {
    await harness.close();
  }
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
