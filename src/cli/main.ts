import { type Command, CommanderError } from 'commander';
import { reportFailure } from './failure.js';
import { createProgram } from './program.js';
import { withLoneFlags } from './settings.js';
import type { Terminal } from './terminal.js';

const usageExitCode = 2;

/** Runs one command line; the exit code is what the work came to. */
export async function main(words: readonly string[], terminal: Terminal): Promise<number> {
  let exitCode = 0;
  const setExitCode = (code: number) => {
    exitCode = code;
  };
  const program = createProgram(terminal, setExitCode, words[0]);
  try {
    await program.parseAsync(withLoneFlags(asHelpFlag(words, program)), { from: 'user' });
    return exitCode;
  } catch (error) {
    if (error instanceof CommanderError) return exitCodeOf(error);
    return reportFailure(error, terminal);
  }
}

/** So that help of a verb goes the way of the verb itself, on which its flags are made. */
function asHelpFlag(words: readonly string[], { commands }: Command): readonly string[] {
  const [first, verb] = words;
  const isVerb = commands.some((command) => command.name() === verb);
  return first === 'help' && verb !== undefined && isVerb ? [verb, '--help'] : words;
}

/** Help and version that were asked for are no failure. */
function exitCodeOf({ exitCode }: CommanderError): number {
  return exitCode === 0 ? 0 : usageExitCode;
}
