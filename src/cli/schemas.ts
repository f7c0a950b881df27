import type { Command } from 'commander';
import { addCodeFlags, readCodeSettings } from './code-flags.js';
import { reportFailure } from './failure.js';
import type { SchemasFlags } from './learning-schemas.js';
import type { SetExitCode } from './program.js';
import type { Terminal } from './terminal.js';

const details = `
Many tools do not say what they answer. Those that you name as safe are called, and what they answer becomes a schema in schemas/ of
the workspace, from which generated result types are made. Nothing else is called, and no answer is kept.

  --safe github/list_issues                           called without arguments
  --safe github/list_issues='{"state":"open"}'        with these; a list of objects is one call each
  --safe github/list_issues=@samples.json             with those in a file
Give --safe more than once for more samples: the schema covers them all. A later result that does not fit is told as drift.

Examples:
  $ mcp-exec schemas --config .mcp.json
  $ mcp-exec schemas github --safe github/list_issues='{"owner":"a","repo":"b"}' --safe github/get_me
  $ mcp-exec schemas --accept-read-only --json`;

export function addSchemas(program: Command, terminal: Terminal, setExitCode: SetExitCode): void {
  addCodeFlags(program.command('schemas'))
    .summary('learn what tools of MCP servers answer')
    .description('Learns the result schemas of tools that declare none, by calling those that are marked as safe.')
    .argument('[servers...]', 'these servers alone')
    .option('--safe <server/tool[=json]>', 'a tool that may be called, with arguments; may be repeated', addWord)
    .option(
      '--accept-read-only',
      'also call tools that say of themselves that they change nothing, and need no arguments',
    )
    .option('--json', 'print one JSON object: tools and failures, or error')
    .addHelpText('after', details)
    .action(async (servers: readonly string[], flags: SchemasFlags, command: Command) => {
      try {
        const settings = await readCodeSettings(command, terminal.environment);
        const { learnSchemas } = await import('./code-verbs.js');
        setExitCode(await learnSchemas(servers, flags, settings, terminal));
      } catch (error) {
        setExitCode(reportFailure(error, terminal, flags.json));
      }
    });
}

function addWord(word: string, earlier: readonly string[] = []): readonly string[] {
  return [...earlier, word];
}
