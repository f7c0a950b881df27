import type { Report, RunEvent } from '../report.js';
import { counted } from './figures.js';
import { visibleLine } from './foreign.js';
import { summaryLine } from './summary.js';
import { caseDetails, caseLine } from './terminal/case-line.js';
import { failuresText } from './terminal/failures.js';
import { createLive, type Live } from './terminal/live.js';
import { overviewText } from './terminal/overview.js';
import { createPaint } from './terminal/paint.js';
import { createProgress } from './terminal/progress.js';

export interface TerminalReportOptions {
  write(text: string): void;
  /** Whether a person watches: then progress is drawn, and what passes is only counted. */
  readonly isTerminal: boolean;
  /** The width of the terminal, asked anew each time: it may be changed. 100 unless said. */
  readonly columns?: number | (() => number);
  readonly colours?: boolean;
  /** Cases that pass are listed on a terminal too, and of each what it gave beside its outcome. */
  readonly verbose?: boolean;
}

export interface TerminalReport {
  onEvent(event: RunEvent): void;
  /** Says what came of it. Nothing is drawn any more. */
  finish(report: Report): void;
  /** Takes progress off the terminal where there will be no report. */
  end(): void;
}

const usualColumns = 100;

/** What a person, or the log of a CI job, is told of a run: while it goes on, and at its end. */
export function createTerminalReport(options: TerminalReportOptions): TerminalReport {
  const { isTerminal, verbose = false, columns = usualColumns } = options;
  const width = () => (typeof columns === 'number' ? columns : columns()) || usualColumns;
  const paint = createPaint(options.colours ?? false);
  const write = isTerminal ? options.write : (text: string) => options.write(withoutCommands(text));
  const progress = createProgress(() => performance.now());
  let live: Live | undefined;
  const print = (text: string) => (live === undefined ? write(text) : live.print(text));
  const end = () => {
    live?.end();
    live = undefined;
  };
  return {
    onEvent(event) {
      progress.onEvent(event);
      switch (event.type) {
        case 'suite-started':
          print(`${paint('bold', visibleLine(event.name))}  ${paint('dim', describe(event))}\n`);
          if (isTerminal) live ??= createLive(write, width, progress.line);
          return;
        case 'case-finished':
          if (!isTerminal || verbose || isTold(event))
            print(caseLine(event.report, paint, isTerminal ? width() : undefined));
          if (verbose) print(caseDetails(event.report, paint));
          return;
        case 'note':
          return print(
            event.message
              .split('\n')
              .map((line) => `  ${visibleLine(line)}\n`)
              .join(''),
          );
      }
    },
    finish(report) {
      end();
      const parts = [
        failuresText(report, paint),
        overviewText(report, paint, width()),
        `${paint([styles[report.outcome], 'bold'], summaryLine(report))}\n`,
      ];
      write(
        parts
          .filter((part) => part !== '')
          .map((part) => `\n${part}`)
          .join(''),
      );
    },
    end,
  };
}

const styles = { passed: 'green', failed: 'red', interrupted: 'yellow' } as const;

type Finished = Extract<RunEvent, { type: 'case-finished' }>;

function isTold({ report }: Finished): boolean {
  return report.status === 'failed' || report.isFlaky;
}

function describe({ file, cases }: Extract<RunEvent, { type: 'suite-started' }>): string {
  return `${visibleLine(file)}, ${counted(cases, 'case')}`;
}

/** Machines that run CI take lines of some forms for commands, and a server may have written one. */
function withoutCommands(text: string): string {
  return text.replace(/^(\s*:)(?=:)/gm, '$1 ').replace(/##(?=\[|vso\[|teamcity\[)/g, '## ');
}
