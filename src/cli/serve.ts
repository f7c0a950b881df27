import type { Command } from 'commander';
import { addSelection } from './exploring.js';
import { reportFailure } from './failure.js';
import type { SetExitCode } from './program.js';
import { addServeFlags } from './serve-flags.js';
import type { ServeFlags } from './serving.js';
import { readSettings } from './settings.js';
import type { Terminal } from './terminal.js';

const details = `
The server speaks MCP on standard input and output, one JSON-RPC message per line; logs go to stderr, and with --log-file to a
file as well. It ends when the client closes standard input.

With a progress token, each line that a script prints is a progress notification; without one, and with a log level set by
the client, a log message. Results beyond --preview-bytes are shown as a preview, with the whole as a resource.

Examples:
  $ mcp-exec serve examples/word-count/word_count.py
  $ mcp-exec serve scripts/ --only 'report_*' --watch
  $ mcp-exec serve tools.json --health-port 9000`;

export function addServe(program: Command, terminal: Terminal, setExitCode: SetExitCode): void {
  const serve = program
    .command('serve')
    .summary('serve scripts as an MCP server on stdio')
    .description('Serves the functions and command lines of scripts as the tools of one MCP server, on stdio.')
    .argument('<scripts...>', 'Python files, folders of them, or manifests');
  addServeFlags(addSelection(serve).option('--watch', 'pick up edits without a restart'))
    .addHelpText('after', details)
    .action(async (targets: readonly string[], flags: ServeFlags, command: Command) => {
      try {
        const settings = readSettings(command, terminal.environment);
        const { serveTargets } = await import('./serving.js');
        setExitCode(await serveTargets(targets, flags, settings, terminal));
      } catch (error) {
        setExitCode(reportFailure(error, terminal));
      }
    });
}
