import type { Command } from 'commander';
import { addCodeFlags, readCodeSettings } from './code-flags.js';
import { reportFailure } from './failure.js';
import type { SetExitCode } from './program.js';
import type { RunFlags } from './running.js';
import type { Terminal } from './terminal.js';

const details = `
The script runs in the sandbox: it reads servers/ of the workspace and Python itself, writes its scratch folder, and has no network.
Tools of the servers in the config are called by the host, which alone knows their secrets:
  from servers.github import create_issue      a generated function: mcp-exec generate makes them
  from mcp_execution import call_tool          any tool: call_tool("github", "create_issue", {...})

What it prints goes to stdout and stderr as it comes; what it passes to result() goes to stdout after that: text as it is, everything
else as JSON. Words after SCRIPT that are no flags of mcp-exec are its sys.argv; after -- all of them are.
Tools under --ask-tools are asked about where a person is at the terminal, and refused otherwise.

Examples:
  $ mcp-exec run report.py --config .mcp.json
  $ mcp-exec run report.py 2026-05 --context '{"team":"core"}' --save monthly-report
  $ mcp-exec run monthly-report 2026-06 --deny-tools 'slack/*' --json
  $ mcp-exec run report.py --watch --ask-tools '*/delete_*'
  $ echo 'from mcp_execution import search_tools; print(search_tools("issue"))' | mcp-exec run -`;

export function addRun(program: Command, terminal: Terminal, setExitCode: SetExitCode): void {
  addCodeFlags(program.command('run'))
    .summary('run a Python script that calls tools of MCP servers')
    .description('Runs a Python script in the sandbox. It may import the tools of the MCP servers in a config.')
    .usage('[options] SCRIPT [arguments...]')
    .argument('[script]', 'a Python file, the name of a saved script, or - for standard input')
    .argument('[arguments...]', 'what the script finds in sys.argv')
    .option('--context <json>', 'what the script finds in context: a JSON object, or @file')
    .option('--save <name>', 'keep the script under this name where it succeeds')
    .option('--files <folder>', 'write the files that the script leaves in its scratch folder to this one')
    .option('--list', 'list the scripts that were saved')
    .option('--watch', 'run it again whenever the file is saved; servers stay connected')
    .option('--verbose', 'tell of every call that the script made')
    .option('--json', 'print one JSON object: run, value, stdout, stderr, calls, files, figures, warnings …, or error')
    .allowUnknownOption()
    .addHelpText('after', details)
    .action(async (script: string | undefined, args: readonly string[], flags: RunFlags, command: Command) => {
      try {
        const settings = await readCodeSettings(command, terminal.environment);
        const { run } = await import('./code-verbs.js');
        setExitCode(await run({ script, args, flags }, settings, terminal));
      } catch (error) {
        setExitCode(reportFailure(error, terminal, flags.json));
      }
    });
}
