import type { Command } from 'commander';
import type { SetExitCode } from './program.js';
import type { Terminal } from './terminal.js';

/** What a script under plain Python starts for itself: nothing that a person types. */
export function addBroker(program: Command, terminal: Terminal, setExitCode: SetExitCode): void {
  program
    .command('broker', { hidden: true })
    .summary('answer the tool calls of a script under plain Python')
    .description('Answers, on standard input and output, the tool calls of a script that plain Python runs.')
    .action(async (_flags: unknown, command: Command) => {
      const { runBroker } = await import('./brokering.js');
      setExitCode(await runBroker(command, terminal));
    });
}
