import type { Command } from 'commander';
import type { SetExitCode } from './program.js';
import type { Terminal } from './terminal.js';

export function addDiscover(program: Command, _terminal: Terminal, _setExitCode: SetExitCode): void {
  program.command('discover').summary('show the tools that scripts become');
}
