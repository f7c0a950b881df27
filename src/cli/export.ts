import type { Command } from 'commander';
import type { SetExitCode } from './program.js';
import type { Terminal } from './terminal.js';

export function addExport(program: Command, _terminal: Terminal, _setExitCode: SetExitCode): void {
  program.command('export').summary('write a standalone MCP server');
}
