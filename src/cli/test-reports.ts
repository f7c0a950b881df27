import { resolve } from 'node:path';
import type { Report } from '../harness/report.js';
import { harmlessLines } from './harmless.js';
import type { Terminal } from './terminal.js';
import { prepareFile, reasonOf, writeWhole } from './test-files.js';
import type { TestFlags } from './test-flags.js';
import { wrongFlag } from './test-mistakes.js';

/** Where reports of the run go, beside the one that a person reads. */
export interface ReportPlan {
  /** Whether stdout is for one of them, and the rest for stderr. */
  readonly claimsStdout: boolean;
  /** Writes all of them; false where one could not be written, which is told. */
  write(report: Report): Promise<boolean>;
}

const stdout = '-';

const forms = {
  junit: async (report: Report) => (await import('../harness/reports/junit.js')).toJunit(report),
  json: async (report: Report) => (await import('../harness/reports/json.js')).toJson(report),
  html: async (report: Report) => (await import('../harness/reports/html.js')).toHtml(report),
} as const;

/** Says before anything runs what could not be written. */
export async function planReports(flags: TestFlags, terminal: Terminal): Promise<ReportPlan> {
  const asked = (['junit', 'json', 'html'] as const).flatMap((form) => {
    const file = flags[form];
    return file === undefined ? [] : [{ form, file }];
  });
  const taken = new Map<string, string>();
  for (const { form, file } of asked) {
    const place = file === stdout ? stdout : resolve(file);
    const earlier = taken.get(place);
    if (earlier !== undefined) {
      throw wrongFlag(`--${form}`, `${file === stdout ? 'stdout' : file} is taken by --${earlier}; name another file`);
    }
    taken.set(place, form);
    if (file !== stdout) await prepareFile(file, `--${form}`);
  }
  return { claimsStdout: taken.has(stdout), write };

  async function write(report: Report): Promise<boolean> {
    let areWritten = true;
    for (const { form, file } of asked) {
      try {
        const text = await forms[form](report);
        if (file === stdout) terminal.out(terminal.outWatched ? harmlessLines(text) : text);
        else await writeWhole(file, text);
      } catch (error) {
        areWritten = false;
        terminal.note(harmlessLines(`--${form}: ${file} could not be written: ${reasonOf(error)}\n`));
      }
    }
    return areWritten;
  }
}
