import { appendFile } from 'node:fs/promises';
import type { Report } from '../harness/report.js';
import type { Terminal } from './terminal.js';
import { reasonOf } from './test-files.js';

/** Annotations for the log of a job, and a page for its summary. */
export async function tellGithub(report: Report, write: (text: string) => void, terminal: Terminal): Promise<void> {
  const { toGithub, toGithubSummary } = await import('../harness/reports/github.js');
  const { GITHUB_WORKSPACE: workspace, GITHUB_STEP_SUMMARY: page } = terminal.environment;
  write(toGithub(report, { workspace }));
  if (!page) return;
  try {
    await appendFile(page, toGithubSummary(report));
  } catch (error) {
    terminal.note(`The summary of the job could not be written: ${reasonOf(error)}\n`);
  }
}
