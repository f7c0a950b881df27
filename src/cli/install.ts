import type { Command } from 'commander';
import type { SetExitCode } from './program.js';
import type { Terminal } from './terminal.js';

export function addInstall(program: Command, _terminal: Terminal, _setExitCode: SetExitCode): void {
  program.command('install').summary('add scripts to an MCP client');
}
