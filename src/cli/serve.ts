import type { Command } from 'commander';
import type { SetExitCode } from './program.js';
import type { Terminal } from './terminal.js';

export function addServe(program: Command, _terminal: Terminal, _setExitCode: SetExitCode): void {
  program.command('serve').summary('serve scripts as an MCP server on stdio');
}
