import type { Command } from 'commander';
import { addCodeFlags, readCodeSettings } from './code-flags.js';
import { addNames } from './exploring.js';
import { reportFailure } from './failure.js';
import type { GenerateFlags } from './generating.js';
import type { SetExitCode } from './program.js';
import type { Terminal } from './terminal.js';

const details = `
Each server of the config becomes a Python package in servers/ of the workspace: a typed function per tool, stubs for editors, and
an index. Only files whose content changed are written. A server that fails does not keep the others from being
generated, and what was generated for it before stays.

Definitions of tools are pinned: where a server changed a tool since it was generated, the change is told and taken over, because a
person asked for it here. With --keep-pinned it is told and left; runs of scripts never take it over.

Examples:
  $ mcp-exec generate --config .mcp.json
  $ mcp-exec generate --config cursor --workspace work --servers github,slack
  $ mcp-exec generate --typescript --keep-pinned`;

export function addGenerate(program: Command, terminal: Terminal, setExitCode: SetExitCode): void {
  addCodeFlags(program.command('generate'))
    .summary('make Python modules of MCP servers')
    .description(
      'Makes importable, typed Python of the MCP servers in a config: from servers.github import create_issue.',
    )
    .option('--servers <names>', 'these servers alone; what was generated for others stays', addNames)
    .option('--typescript', 'write TypeScript declarations as well')
    .option('--keep-pinned', 'leave tools that changed as they were generated, and tell of them')
    .option('--json', 'print one JSON object: folder, servers, written, removed and unchanged, or error')
    .addHelpText('after', details)
    .action(async (flags: GenerateFlags, command: Command) => {
      try {
        const settings = await readCodeSettings(command, terminal.environment);
        const { generate } = await import('./code-verbs.js');
        setExitCode(await generate(flags, settings, terminal));
      } catch (error) {
        setExitCode(reportFailure(error, terminal, flags.json));
      }
    });
}
