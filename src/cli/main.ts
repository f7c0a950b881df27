import { CommanderError } from 'commander';
import { reportFailure } from './failure.js';
import { createProgram } from './program.js';
import type { Terminal } from './terminal.js';

const usageExitCode = 2;

/** Runs one command line; the exit code is what the work came to. */
export async function main(words: readonly string[], terminal: Terminal): Promise<number> {
  let exitCode = 0;
  const program = createProgram(terminal, (code) => {
    exitCode = code;
  });
  try {
    await program.parseAsync(words, { from: 'user' });
    return exitCode;
  } catch (error) {
    if (error instanceof CommanderError) return exitCodeOf(error);
    return reportFailure(error, terminal);
  }
}

function exitCodeOf({ code }: CommanderError): number {
  const wasAskedFor = code === 'commander.helpDisplayed' || code === 'commander.version';
  return wasAskedFor ? 0 : usageExitCode;
}
