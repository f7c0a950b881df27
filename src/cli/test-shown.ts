import type { Report, RunEvent } from '../harness/report.js';
import { createTerminalReport, type TerminalReport } from '../harness/reports/terminal.js';
import { columnsOf } from './table.js';
import type { Terminal } from './terminal.js';
import type { TestFlags } from './test-flags.js';

/** The report for the person who waits. */
export interface Shown {
  /** Of the run that begins. */
  begin(): void;
  onEvent(event: RunEvent): void;
  finish(report: Report): void;
  /** Of a run that has no report. */
  end(): void;
  /** To where it goes. */
  write(text: string): void;
  /** Something else for stderr, which must not fall into a line that is drawn. */
  note(text: string): void;
}

/**
 * On stdout, because it is what the verb gives; where that is for a report that a program reads, on stderr. Who watches
 * stderr alone sees there how far it is.
 */
export function createShown(flags: TestFlags, claimsStdout: boolean, terminal: Terminal): Shown {
  const write = claimsStdout ? terminal.note : terminal.out;
  const isDrawn = !isCi(flags, terminal) && terminal.environment.TERM !== 'dumb';
  const isWatched = isDrawn && (claimsStdout ? terminal.watched : terminal.outWatched === true);
  let whole: TerminalReport | undefined;
  let aside: TerminalReport | undefined;
  return {
    begin() {
      whole = reportTo(write, isWatched);
      aside = isDrawn && terminal.watched && !isWatched ? reportTo(terminal.note, true) : undefined;
    },
    onEvent(event) {
      whole?.onEvent(event);
      aside?.onEvent(event);
    },
    finish(report) {
      aside?.end();
      whole?.finish(report);
      [whole, aside] = [undefined, undefined];
    },
    end() {
      aside?.end();
      whole?.end();
      [whole, aside] = [undefined, undefined];
    },
    write,
    note(text) {
      const drawn = isWatched ? whole : aside;
      if (drawn === undefined) terminal.note(text);
      else drawn.onEvent({ type: 'note', message: text.trimEnd() });
    },
  };

  function reportTo(to: (text: string) => void, isTerminal: boolean): TerminalReport {
    const columns = () => columnsOf(terminal);
    const colours = terminal.colours && isTerminal;
    return createTerminalReport({ write: to, isTerminal, columns, colours, verbose: flags.verbose });
  }
}

/** Nobody sits there who would look at what is drawn, or at snapshots that are written. */
export function isCi({ ci }: TestFlags, { environment }: Terminal): boolean {
  return ci ?? !['', '0', 'false'].includes(environment.CI ?? '');
}

export function isGithub({ github }: TestFlags, { environment }: Terminal): boolean {
  return github ?? environment.GITHUB_ACTIONS === 'true';
}
