import type { Command } from 'commander';
import type { Examination } from './examination.js';
import { reportFailure } from './failure.js';
import type { SetExitCode } from './program.js';
import { readSettings } from './settings.js';
import { paint, type Terminal } from './terminal.js';

const details = `
Examples:
  $ mcp-exec doctor
  $ mcp-exec doctor examples/word-count/word_count.py
  $ mcp-exec doctor --profile strict
  $ mcp-exec doctor --python python3.12 --json

What strict cannot enforce here is shown and is no failure, unless --profile strict is given: then the code is 3.`;

export function addDoctor(program: Command, terminal: Terminal, setExitCode: SetExitCode): void {
  program
    .command('doctor')
    .summary('show what works on this machine, and what to do')
    .description(
      'Shows which Python is used, what this machine can enforce, what to change, and how the given scripts are run.',
    )
    .argument('[scripts...]', 'Python files to import, to see how their calls are run')
    .option('--json', 'print one JSON object')
    .addHelpText('after', details)
    .action(async (scripts: readonly string[], flags: { readonly json?: boolean }, command: Command) => {
      try {
        const settings = readSettings(command, terminal.environment);
        const { examine } = await import('./examination.js');
        const examination = await examine(settings, scripts, terminal);
        terminal.out(await describe(examination, terminal, flags.json));
        setExitCode(examination.exitCode);
      } catch (error) {
        setExitCode(reportFailure(error, terminal, flags.json));
      }
    });
}

async function describe(examination: Examination, terminal: Terminal, asJson = false): Promise<string> {
  if (asJson) return `${JSON.stringify(examination, null, 2)}\n`;
  const { describeExamination } = await import('./report.js');
  return describeExamination(examination, (style, text) => paint(terminal, style, text));
}
