import { type Command, InvalidArgumentError } from 'commander';
import { addCodeFlags, readCodeSettings } from './code-flags.js';
import { reportFailure } from './failure.js';
import type { ListToolsFlags } from './listing-tools.js';
import type { SetExitCode } from './program.js';
import type { Terminal } from './terminal.js';

const details = `
Lists are remembered, so that servers which did not change are not started for it. A server that fails is told of on stderr,
beside the tools of the others.

Examples:
  $ mcp-exec list-tools --config .mcp.json
  $ mcp-exec list-tools github slack --search 'create issue' --limit 5
  $ mcp-exec list-tools github/create_issue
  $ mcp-exec list-tools --json | jq -r '.[].import'`;

export function addListTools(program: Command, terminal: Terminal, setExitCode: SetExitCode): void {
  addCodeFlags(program.command('list-tools'))
    .summary('show the tools of MCP servers')
    .description('Shows the tools of the MCP servers in a config, and finds those that match some words.')
    .argument('[names...]', 'these servers alone; or server/tool, for everything that is known of a tool')
    .option('--search <words>', 'the tools that match, the best first')
    .option('--limit <number>', 'this many at the most', toCount)
    .option('--json', 'print a JSON array: server, tool, summary, signature and import of each')
    .addHelpText('after', details)
    .action(async (names: readonly string[], flags: ListToolsFlags, command: Command) => {
      try {
        const settings = await readCodeSettings(command, terminal.environment);
        const { listTools } = await import('./code-verbs.js');
        setExitCode(await listTools(names, flags, settings, terminal));
      } catch (error) {
        setExitCode(reportFailure(error, terminal, flags.json));
      }
    });
}

export function toCount(text: string): number {
  if (/^[1-9]\d{0,8}$/.test(text)) return Number(text);
  throw new InvalidArgumentError('A whole number from 1 on is expected.');
}
