import type { Command } from 'commander';
import { addCodeFlags, readCodeSettings } from './code-flags.js';
import type { RunsFlags } from './counting-runs.js';
import { reportFailure } from './failure.js';
import { toCount } from './list-tools.js';
import type { SetExitCode } from './program.js';
import type { Terminal } from './terminal.js';

const details = `
The log is runs/log.jsonl of the workspace: one line for each operation, with its outcome and the calls that it made, and without
arguments, results and source. It counts what the command, the library and mcp-execution-server did in this workspace.

Examples:
  $ mcp-exec runs
  $ mcp-exec runs --workspace work --limit 50
  $ mcp-exec runs --json`;

export function addRuns(program: Command, terminal: Terminal, setExitCode: SetExitCode): void {
  addCodeFlags(program.command('runs'))
    .summary('show what was run in a workspace')
    .description('Counts the operations in the run log of a workspace, and shows the last of them.')
    .option('--limit <number>', 'this many of the last ones; 20 where not given', toCount)
    .option('--json', 'print one JSON object: operations and last')
    .addHelpText('after', details)
    .action(async (flags: RunsFlags, command: Command) => {
      try {
        const { code } = await readCodeSettings(command, terminal.environment);
        const { countRuns } = await import('./code-verbs.js');
        setExitCode(await countRuns(flags, code, terminal));
      } catch (error) {
        setExitCode(reportFailure(error, terminal, flags.json));
      }
    });
}
